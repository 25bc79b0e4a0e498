/**
 * The words records are made of. Domains and telephone numbers are those set aside for examples (RFC 2606, the 555-01xx
 * block), so that nothing reaches a real person.
 */

const words = (text: string): ReadonlyArray<string> => text.split(" ")
const phrases = (text: string): ReadonlyArray<string> => text.split("|")

export const firstNames = words(
  "Olivia Liam Sara Noah Mia Yusuf Aisha Lucas Ivan Harper Daiki Mei Ethan Sofia Omar Chloe Raj Emma Fatima Mateo " +
    "Evelyn James Isabella Lei Anya Juan Ava Mohamed Amelia Chen"
)
export const lastNames = words(
  "Nguyen Garcia Patel Johnson Rossi Kim Lopez Davis Kowalski Silva Khan Brown Muller Santos Ahmed Wilson Ito Moore " +
    "Novak Jackson Smith Li Sanchez Anderson Hernandez Martin Taylor Okafor Larsen Thomas"
)

export interface Place {
  readonly city: string
  readonly state: string
  /** First three digits of its postal codes. */
  readonly zip: string
  readonly area: string
  readonly latitude: number
  readonly longitude: number
  readonly zone: string
  readonly airport: string
}

const place = (
  city: string,
  state: string,
  zip: string,
  area: string,
  latitude: number,
  longitude: number,
  zone: string,
  airport: string
): Place => ({ city, state, zip, area, latitude, longitude, zone, airport })

export const places: ReadonlyArray<Place> = [
  place("New York", "NY", "100", "212", 40.7128, -74.006, "America/New_York", "JFK"),
  place("Los Angeles", "CA", "900", "213", 34.0522, -118.2437, "America/Los_Angeles", "LAX"),
  place("Chicago", "IL", "606", "312", 41.8781, -87.6298, "America/Chicago", "ORD"),
  place("Houston", "TX", "770", "713", 29.7604, -95.3698, "America/Chicago", "IAH"),
  place("Phoenix", "AZ", "850", "602", 33.4484, -112.074, "America/Phoenix", "PHX"),
  place("Philadelphia", "PA", "191", "215", 39.9526, -75.1652, "America/New_York", "PHL"),
  place("Denver", "CO", "802", "303", 39.7392, -104.9903, "America/Denver", "DEN"),
  place("Seattle", "WA", "981", "206", 47.6062, -122.3321, "America/Los_Angeles", "SEA"),
  place("Boston", "MA", "021", "617", 42.3601, -71.0589, "America/New_York", "BOS"),
  place("Austin", "TX", "787", "512", 30.2672, -97.7431, "America/Chicago", "AUS"),
  place("San Francisco", "CA", "941", "415", 37.7749, -122.4194, "America/Los_Angeles", "SFO"),
  place("Portland", "OR", "972", "503", 45.5152, -122.6784, "America/Los_Angeles", "PDX"),
  place("Miami", "FL", "331", "305", 25.7617, -80.1918, "America/New_York", "MIA"),
  place("Atlanta", "GA", "303", "404", 33.749, -84.388, "America/New_York", "ATL"),
  place("Columbus", "OH", "432", "614", 39.9612, -82.9988, "America/New_York", "CMH"),
  place("Charlotte", "NC", "282", "704", 35.2271, -80.8431, "America/New_York", "CLT")
]

export const streets = phrases(
  "Maple Drive|River Road|Sunset Drive|Oak Street|Park Avenue|Cedar Avenue|Hillcrest Drive|Lakeview Drive|Elm Street|" +
    "Highland Drive|Pine Lane|Washington Street|Broadway|Chestnut Street|Willow Lane|Main Street"
)

/** Things that are sold, with the category they are sold in. */
export const categoryByProduct: ReadonlyMap<string, string> = new Map(
  phrases(
    "Wireless Earbuds:electronics|Office Chair:office|Water Bottle:outdoors|Desk Lamp:home|Running Shoes:sports|" +
      "Mechanical Keyboard:electronics|Backpack:travel|Bookshelf:home|Electric Kettle:kitchen|Smart Watch:electronics|" +
      "Yoga Mat:sports|Bluetooth Speaker:electronics|Hiking Boots:outdoors|Gaming Mouse:electronics|" +
      "Coffee Maker:kitchen|Air Purifier:home|Luggage Set:travel|Notebook:office|Tea Kettle:kitchen|Wall Clock:home|" +
      "Garden Hose:garden|Skateboard:sports|Headphones:electronics|Vacuum Cleaner:home|Digital Camera:electronics|" +
      "Patio Umbrella:garden|Laptop Stand:office|Cotton T-Shirt:clothing"
  ).map((pair) => pair.split(":") as [string, string])
)
export const products: ReadonlyArray<string> = [...categoryByProduct.keys()]
export const styles = words("standard compact classic pro mini deluxe")
export const brands = words("Northfield Aldera Kestrel Lumen Brightway Orvane Halcyon Tamarin")
export const companies = phrases(
  "Northfield Systems|Brightway Logistics|Aldera Foods|Kestrel Analytics|Harbor & Finch|Lumen Energy|Orchard Health|" +
    "Meridian Travel|Summit Outfitters|Cobalt Software"
)
const venues = phrases(
  "The Olive Branch|Harbor House|Blue Lantern|Corner Table|The Grand Alder|Riverside Inn|Golden Fig|Copper Kettle|" +
    "Parkview Suites|The Larkspur|Juniper Hall|Old Mill"
)
const titles = phrases(
  "The Quiet Harbor|A Winter in Lisbon|Northern Lights|The Glass Orchard|Paper Boats|Second Summer|The Long Way Home|" +
    "Echoes of Stone|Midnight Garden|The Cartographer"
)
export const subjects = phrases(
  "Delivery later than promised|Wrong size received|Charged twice for one purchase|Cannot sign in after reset|" +
    "Question about the last invoice|Item arrived damaged|Change of delivery address|Refund not yet received"
)
export const events = phrases(
  "Project review|Team planning|Quarterly check-in|Customer call|Annual check-up|Design workshop|Budget review|Follow-up visit"
)
export const tasks = phrases(
  "Update the onboarding guide|Review the quarterly budget|Fix the login timeout|Prepare the release notes|" +
    "Call back the supplier|Renew the certificate|Clean up old accounts|Write the test plan"
)
export const files = words(
  "invoice-march report-q1 contract-final meeting-notes budget-2025 itinerary photo-album handbook"
)
export const sentences = phrases(
  "Handled as requested.|Checked and confirmed by the team.|No further action is needed at this time.|" +
    "Please allow two to three business days.|Created from the online form.|The details were verified on file.|" +
    "Standard terms apply.|Reviewed at the last update."
)
export const colors = words("black white blue red green gray silver navy beige purple")
export const sizes = words("S M L XL XXL")
export const materials = words("cotton polyester leather aluminum glass oak ceramic nylon steel")
export const categories = words("electronics home clothing outdoors office sports kitchen travel books garden")
export const airlines = phrases("Alder Air|Northwind Airways|Pacific Crest|Meridian Air|Bluebird Airlines")
export const carriers = phrases("UPS|FedEx|USPS|DHL")
export const weathers = phrases("sunny|partly cloudy|cloudy|light rain|clear|windy|thunderstorms|fog")
export const genres = words("drama comedy thriller documentary fantasy history mystery romance")
export const cuisines = words("Italian Japanese Mexican Indian Thai French Greek Vietnamese")
export const departments = words("Sales Support Engineering Finance Operations Marketing")
export const teams = words("Hawks United Rovers Comets Pioneers Falcons")
export const roles = phrases("Account Manager|Support Specialist|Software Engineer|Analyst|Operations Lead|Consultant")
export const languages = words("English Spanish French German Japanese Portuguese")
export const vehicles = phrases(
  "Toyota Corolla|Honda Civic|Ford Escape|Subaru Outback|Mazda CX-5|Kia Sportage|Volvo XC60"
)
export const amenities = phrases("wifi|parking|breakfast|pool|gym|air conditioning|pet friendly")
export const plainWords = words("standard basic premium regular primary classic express extended")
export const securityWords = words("lantern harbor cobalt meadow falcon juniper velvet compass orchard thimble")
export const cards = words("visa mastercard")

/** Titles of a kind of record by its last word; what is not here is named by the record's own noun. */
export const namesByNoun: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  (
    [
      [["product", "item", "good", "article", "sku", "variant", "part", "equipment", "gift", "device"], products],
      [
        [
          "company",
          "organization",
          "organisation",
          "business",
          "supplier",
          "vendor",
          "employer",
          "merchant",
          "lender",
          "bank",
          "client"
        ],
        companies
      ],
      [
        [
          "hotel",
          "restaurant",
          "venue",
          "place",
          "store",
          "shop",
          "cafe",
          "location",
          "museum",
          "bar",
          "property",
          "facility",
          "poi"
        ],
        venues
      ],
      [
        [
          "movie",
          "film",
          "book",
          "song",
          "album",
          "game",
          "show",
          "artwork",
          "painting",
          "sculpture",
          "novel",
          "track",
          "series",
          "paper",
          "recipe",
          "exhibition"
        ],
        titles
      ],
      [
        [
          "ticket",
          "issue",
          "case",
          "incident",
          "complaint",
          "claim",
          "inquiry",
          "message",
          "email",
          "notification",
          "base",
          "article",
          "page",
          "post",
          "guide"
        ],
        subjects
      ],
      [["event", "meeting", "appointment", "session", "class", "course", "activity", "concert"], events],
      [["task", "todo", "job", "reminder", "project", "milestone", "goal"], tasks],
      [["file", "document", "attachment", "image", "photo", "folder", "report"], files],
      [["car", "vehicle", "truck"], vehicles],
      [["airline"], airlines],
      [["carrier"], carriers],
      [["city", "town", "destination"], places.map((p) => p.city)],
      [["category", "type", "department"], categories]
    ] as const
  ).flatMap(([nouns, names]) => nouns.map((noun) => [noun, names] as const))
)

export const statusesByNoun: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  (
    [
      [
        ["order", "purchase"],
        ["pending", "processed", "delivered"]
      ],
      [
        ["reservation", "booking", "appointment", "meeting", "visit", "rental", "trip"],
        ["confirmed", "confirmed", "pending"]
      ],
      [
        ["ticket", "issue", "case", "incident", "complaint", "request", "claim", "inquiry"],
        ["open", "in_progress", "resolved"]
      ],
      [
        ["invoice", "bill", "payment", "charge"],
        ["paid", "pending", "overdue"]
      ],
      [
        ["transaction", "transfer", "refund"],
        ["completed", "completed", "pending"]
      ],
      [
        ["shipment", "package", "parcel", "delivery"],
        ["in_transit", "out_for_delivery", "delivered"]
      ],
      [
        ["user", "customer", "account", "subscription", "membership", "member", "card", "policy", "employee", "plan"],
        ["active", "active", "active", "suspended"]
      ],
      [
        ["task", "todo", "project", "job", "milestone"],
        ["todo", "in_progress", "done"]
      ],
      [
        ["flight", "train", "bus"],
        ["on_time", "scheduled", "delayed"]
      ],
      [
        ["device", "sensor", "server", "machine", "service", "instance"],
        ["online", "online", "offline"]
      ],
      [
        ["product", "item", "variant"],
        ["available", "available", "out_of_stock"]
      ],
      [
        ["document", "file", "article", "post", "page", "report", "content"],
        ["published", "draft"]
      ],
      [
        ["message", "email", "notification", "sms"],
        ["sent", "delivered", "read"]
      ]
    ] as const
  ).flatMap(([nouns, statuses]) => nouns.map((noun) => [noun, statuses] as const))
)
export const commonStatuses: ReadonlyArray<string> = ["active", "pending", "completed"]

/** Adjectives of tool names that are states of a record: `cancel_pending_order` needs a pending one. */
export const stateWords: ReadonlySet<string> = new Set(
  words(
    "pending delivered processed shipped active inactive open closed draft scheduled confirmed unconfirmed paid unpaid " +
      "published archived completed overdue suspended locked approved unapproved booked"
  )
)

export const personNouns: ReadonlySet<string> = new Set(
  words(
    "user customer client member patient employee contact person student driver passenger guest subscriber owner agent " +
      "tenant doctor teacher lawyer author recipient assignee payer manager profile lead candidate applicant attendee " +
      "holder requester organizer sender host staff resident borrower buyer seller provider technician"
  )
)

/** Kinds of hotel rooms: how many sleep there, and what a night costs at least, in dollars. */
export const roomTypes: ReadonlyArray<readonly [type: string, sleeps: number, price: number]> = [
  ["standard", 2, 85],
  ["superior", 3, 110],
  ["deluxe", 4, 145],
  ["suite", 6, 210]
]
