/**
 * Tools of an airline's agent under the names its recorded conversations use, described in our own words.
 */
const text = (description: string) => ({ type: "string", description })
const object = (properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required
})
const flights = {
  type: "array",
  items: object({ flight_number: text("Number of the flight"), date: text("Day of departure, YYYY-MM-DD") })
}
const cabin = { type: "string", enum: ["basic_economy", "economy", "business"] }
const reservation = text("The reservation's id")
const payment = text("Id of a payment method of the profile")

export const airlineTools = [
  {
    name: "get_reservation_details",
    description: "Look up a reservation.",
    parameters: object({ reservation_id: reservation })
  },
  {
    name: "get_user_details",
    description: "Look up a traveller's profile.",
    parameters: object({ user_id: text("The traveller's id") })
  },
  {
    name: "search_direct_flight",
    description: "Find direct flights between two airports on a day.",
    parameters: object({ origin: text("Airport code"), destination: text("Airport code"), date: text("YYYY-MM-DD") })
  },
  {
    name: "search_onestop_flight",
    description: "Find flights with one stop between two airports on a day.",
    parameters: object({ origin: text("Airport code"), destination: text("Airport code"), date: text("YYYY-MM-DD") })
  },
  {
    name: "book_reservation",
    description: "Book flights for passengers.",
    parameters: object({ user_id: text("The traveller's id"), flights, cabin, payment_id: payment }, [
      "user_id",
      "flights"
    ])
  },
  {
    name: "update_reservation_flights",
    description: "Change the flights or the cabin of a reservation.",
    parameters: object({ reservation_id: reservation, cabin, flights, payment_id: payment })
  },
  {
    name: "update_reservation_baggages",
    description: "Change the checked bags of a reservation.",
    parameters: object({ reservation_id: reservation, total_baggages: { type: "integer" }, payment_id: payment })
  },
  {
    name: "update_reservation_passengers",
    description: "Correct the passengers of a reservation.",
    parameters: object({
      reservation_id: reservation,
      passengers: { type: "array", items: object({ last_name: text("Family name") }) }
    })
  },
  {
    name: "cancel_reservation",
    description: "Cancel a reservation.",
    parameters: object({ reservation_id: reservation })
  },
  {
    name: "send_certificate",
    description: "Send a travel certificate to a traveller.",
    parameters: object({ user_id: text("The traveller's id"), amount: { type: "number" } })
  },
  { name: "calculate", description: "Work out a sum.", parameters: object({ expression: text("Such as 2 * 150") }) },
  {
    name: "transfer_to_human_agents",
    description: "Hand the person over to a human colleague.",
    parameters: object({ summary: text("What the person needs") })
  }
]
