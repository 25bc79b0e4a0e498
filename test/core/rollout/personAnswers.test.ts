/**
 * Questions to the person that needs no model: what they tell, correct, agree to and turn down. Four people, each with
 * what they came for and what they know.
 */
import { describe, expect, it } from "@effect/vitest"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { Effect } from "effect"
import type { Plan } from "../../../packages/core/src/task/Plan.ts"
import * as Kit from "./kit.ts"

interface Someone {
  readonly ask: string
  readonly plan: Partial<Plan>
}

const shopper: Someone = {
  ask: "Hi, I want to call off my pending order #W5026426.",
  plan: {
    need: "Cancel my pending order #W5026426.",
    facts: {
      order_id: "#W5026426",
      reason: "no longer needed",
      first_name: "Daiki",
      last_name: "Kowalski",
      email: "daiki.kowalski51@example.com",
      phone: "+1-404-555-0198",
      zip: "30375"
    },
    entity: { tool: "cancel_pending_order", argument: "order_id", id: "#W5026426" },
    person: { noun: "user", id: "daiki_kowalski_297" },
    unknown: ["user_id"]
  }
}

const patient: Someone = {
  ask: "Hello, can you move my appointment APT-55120 for me?",
  plan: {
    need: "Move my scheduled appointment APT-55120 to another free slot.",
    facts: {
      appointment_id: "APT-55120",
      slot_id: "SL-88012",
      name: "Raj Lopez",
      date_of_birth: "1986-04-06",
      phone: "+1-305-555-0156",
      patient_id: "P-559142"
    },
    entity: { tool: "reschedule_appointment", argument: "appointment_id", id: "APT-55120" },
    person: { noun: "patient", id: "P-559142" }
  }
}

const customer: Someone = {
  ask: "I need to send some money from my account AC-90331276.",
  plan: {
    need: "Transfer money from account AC-90331276 to account AC-11874420.",
    facts: {
      from_account_id: "AC-90331276",
      to_account_id: "AC-11874420",
      amount: "350",
      name: "Lena Novak",
      date_of_birth: "1971-11-23",
      phone: "+1-206-555-0143",
      customer_id: "C-2041187"
    },
    entity: { tool: "transfer_money", argument: "from_account_id", id: "AC-90331276" },
    person: { noun: "customer", id: "C-2041187" }
  }
}

const mover: Someone = {
  ask: "I'm trying to change the address on #W7016423.",
  plan: {
    need: "Change the address of my pending order #W7016423.",
    facts: {
      order_id: "#W7016423",
      address1: "431 Elm Drive",
      city: "Chicago",
      state: "IL",
      zip: "60659",
      first_name: "James",
      last_name: "Ito",
      email: "james.ito84@example.com",
      current_zip: "97288",
      payment_method_id: "gift_card_4547310"
    },
    entity: { tool: "modify_pending_order_address", argument: "order_id", id: "#W7016423" },
    person: { noun: "user", id: "james_ito_626" }
  }
}

interface Question {
  readonly of: Someone
  readonly line: string
  readonly says: RegExp
  /** What the answer must not hold. */
  readonly not?: RegExp
  readonly cannot?: boolean
}

const knows = (of: Someone, line: string, says: RegExp, not?: RegExp): Question => ({
  of,
  line,
  says,
  ...(not === undefined ? {} : { not })
})
const unknown = (of: Someone, line: string): Question => ({
  of,
  line,
  says: /don't|couldn't|can't/i,
  not: /#W|@|AC-|APT-|C-204|P-55/,
  cannot: true
})
const agrees = (of: Someone, line: string): Question => ({
  of,
  line,
  says: /^(?:yes|sure|correct)/i,
  not: /#W|@|AC-|APT-|C-204|P-55/
})
const declines = (of: Someone, line: string): Question => ({
  of,
  line,
  says: /^no\b/i,
  not: /#W|@|AC-|APT-|C-204|P-55/
})
/** Nothing of theirs is told, and nothing is agreed to. */
const turnsAside = (of: Someone, line: string): Question => ({
  of,
  line,
  says: /./,
  not: /#W|@|AC-|APT-|C-204|P-55|\d{4}|^yes|^sure/i
})

const questions: ReadonlyArray<Question> = [
  // Known: what is asked for, and nothing beside it.
  knows(
    shopper,
    "Could you please tell me the email address on your account?",
    /daiki\.kowalski51@example\.com/,
    /#W|30375|0198|needed/
  ),
  knows(shopper, "May I have your name?", /Daiki Kowalski/, /@|#W|30375/),
  knows(
    shopper,
    "To verify your identity, please provide your first and last name and your zip code.",
    /Daiki Kowalski.*30375/,
    /@|#W/
  ),
  knows(shopper, "What's your last name?", /Kowalski/, /@|#W/),
  knows(shopper, "Sure! Which order would you like to cancel?", /#W5026426/, /@/),
  knows(shopper, "Can you give me the order number?", /#W5026426/, /@|30375/),
  knows(shopper, "I found order #W5026426. What is the reason for the cancellation?", /no longer needed/, /@|30375/),
  knows(shopper, "Is the reason that it's no longer needed, or was it ordered by mistake?", /no longer needed/i),
  knows(shopper, "Please share your email, or your full name and zip code.", /daiki\.kowalski51@example\.com/, /30375/),
  knows(
    shopper,
    "I'll need your user id or your email address to look you up.",
    /daiki\.kowalski51@example\.com/,
    /#W/
  ),
  knows(patient, "What is your date of birth?", /1986-04-06/, /P-55|APT|Raj/),
  knows(
    patient,
    "Before I can help, I need your patient id and your date of birth.",
    /P-559142.*1986-04-06|1986-04-06.*P-559142/,
    /APT/
  ),
  knows(patient, "Which appointment is it about?", /APT-55120/, /1986/),
  knows(patient, "And which slot would you like instead?", /SL-88012/),
  knows(patient, "Who am I speaking with?", /Raj Lopez/, /1986/),
  knows(
    customer,
    "Please give me your customer id, your date of birth and the last four digits of your phone number.",
    /C-2041187/,
    /AC-/
  ),
  knows(customer, "What are the last four digits of the phone number on file?", /0143/, /206-555/),
  knows(customer, "How much would you like to transfer?", /350/, /C-204/),
  knows(customer, "Which account should the money go to?", /AC-11874420/),
  knows(mover, "What is the new address?", /431 Elm Drive.*Chicago/, /97288|@/),
  knows(mover, "To verify you, what's the zip code on file?", /97288/, /60659/),
  knows(mover, "Can I get your name and zip code to find your account?", /James Ito.*97288/, /60659/),
  knows(mover, "And the new zip code?", /60659/, /97288/),
  knows(shopper, "How can I help you today?", /cancel my pending order/i, /@|30375/),
  knows(shopper, "I need to verify your identity first.", /Daiki Kowalski|@example/, /#W/),

  // Unknown: what cannot be known is not made up.
  unknown(shopper, "What's your user id?"),
  unknown(shopper, "Could you provide your date of birth?"),
  unknown(shopper, "What is the tracking number of the parcel?"),
  unknown(shopper, "Please enter the security code of your card."),
  unknown(patient, "What is your insurance number?"),
  unknown(patient, "What's your email address?"),
  unknown(customer, "Please tell me your PIN."),
  unknown(customer, "What's your mother's maiden name?"),
  unknown(mover, "Could you read me your credit card number?"),
  unknown(mover, "What is your phone number?"),

  // A value to confirm.
  knows(
    shopper,
    "Is your email d.kowalski@example.com?",
    /^No.*daiki\.kowalski51@example\.com|not right.*daiki/,
    /30375/
  ),
  knows(shopper, "Just to confirm, the order is #W9999999, correct?", /^No.*#W5026426|not right.*#W5026426/, /@/),
  knows(shopper, "Am I speaking with Peter Miller?", /Daiki Kowalski/, /@|#W/),
  agrees(shopper, "Am I speaking with Daiki Kowalski?"),
  agrees(shopper, "So your zip code is 30375, is that correct?"),
  knows(patient, "Your date of birth is 1986-06-04, right?", /1986-04-06/, /APT/),
  knows(customer, "You want to send 350 USD to AC-55555555, is that right?", /AC-11874420/),
  knows(shopper, "I'll cancel order #W5026462 because it is no longer needed. Shall I go ahead?", /#W5026426/),
  knows(mover, "I will refund the difference to your credit card. Do you confirm?", /gift_card_4547310/),
  agrees(customer, "Is your customer id C-2041187?"),

  // Consent.
  agrees(shopper, "I'll cancel order #W5026426 with the reason 'no longer needed'. Do you confirm (yes/no)?"),
  agrees(shopper, "Would you like me to proceed with the cancellation?"),
  agrees(
    shopper,
    "Order #W5026426 will be cancelled and you get your money back in 5 to 7 business days. Shall I proceed?"
  ),
  declines(shopper, "Delete your account and buy a car?"),
  declines(shopper, "Would you like me to add our extended warranty for $29?"),
  declines(shopper, "Should I exchange the items of the order instead?"),
  agrees(patient, "I can move APT-55120 to slot SL-88012. Should I do that?"),
  declines(patient, "Shall I cancel the appointment altogether?"),
  agrees(customer, "I am about to transfer 350 USD from AC-90331276 to AC-11874420. May I proceed?"),
  declines(customer, "Do you want me to close the account as well?"),
  declines(mover, "Would you like to upgrade to our premium membership?"),

  // Beside the point.
  turnsAside(shopper, "What do you think of the weather?"),
  turnsAside(patient, "Do you like football?"),
  turnsAside(customer, "What is the capital of France?"),
  turnsAside(mover, "Have you seen any good films lately?")
]

const member: Someone = {
  ask: "Hello, I would like to renew my loan LN-884120.",
  plan: {
    need: "Renew my active loan LN-884120.",
    facts: {
      loan_id: "LN-884120",
      name: "Amara Okafor",
      email: "amara.okafor44@example.com",
      phone: "+44-20-555-0117",
      zip: "90210",
      pin: "4417",
      member_id: "LM-20931"
    },
    entity: { tool: "renew_loan", argument: "loan_id", id: "LN-884120" },
    person: { noun: "member", id: "LM-20931" }
  }
}

const traveller: Someone = {
  ask: "I have to cancel my reservation ZFA04Y.",
  plan: {
    need: "Cancel my reservation ZFA04Y.",
    facts: {
      reservation_id: "ZFA04Y",
      user_id: "sara_doe_496",
      first_name: "Sara",
      last_name: "Doe",
      date_of_birth: "1990-02-17",
      email: "sara.doe12@example.com",
      payment_method_id: "credit_card_7815826"
    },
    entity: { tool: "cancel_reservation", argument: "reservation_id", id: "ZFA04Y" },
    person: { noun: "user", id: "sara_doe_496" }
  }
}

/** Written after the answers were, and looked at once. */
const later: ReadonlyArray<Question> = [
  knows(member, "Sure. For security, what's the PIN of your library card?", /4417/, /LM-|LN-|@/),
  knows(member, "Could I have your PIN and your postcode, please?", /4417.*90210|90210.*4417/, /LN-|@/),
  knows(member, "Which loan do you want to renew?", /LN-884120/, /4417|LM-/),
  knows(member, "What's the best email to send the confirmation to?", /amara\.okafor44@example\.com/, /4417/),
  knows(member, "Your membership number?", /LM-20931/, /4417/),
  knows(traveller, "May I have your user ID, please?", /sara_doe_496/, /1990|ZFA/),
  knows(traveller, "Thanks Sara. Please confirm your date of birth so that I can verify you.", /1990-02-17/, /ZFA/),
  knows(traveller, "What is your reservation code?", /ZFA04Y/, /1990/),
  knows(traveller, "Please tell me your full name as it is on the booking.", /Sara Doe/, /1990|ZFA/),
  knows(traveller, "Which payment method should the refund go to?", /credit_card_7815826/, /1990/),
  unknown(member, "What is the ISBN number of the book?".replace("ISBN number", "serial number")),
  unknown(member, "Could you tell me your date of birth?"),
  unknown(traveller, "And your phone number?"),
  unknown(traveller, "Please give me your passport number."),
  unknown(traveller, "What's the security code on the back of the card?"),
  knows(member, "So that's loan LN-884102, right?", /LN-884120/, /4417/),
  knows(traveller, "You were born on 1990-12-17, is that correct?", /1990-02-17/),
  knows(traveller, "Is this Laura Stone?", /Sara Doe/),
  agrees(traveller, "Is your user id sara_doe_496?"),
  agrees(member, "The loan would then run until 24 November. Shall I renew it?"),
  declines(member, "Would you like me to cancel the loan instead?"),
  declines(member, "While you are here: shall I sign you up for our premium card?"),
  agrees(
    traveller,
    "I will cancel ZFA04Y and refund 312 dollars to credit_card_7815826. Do you want me to go ahead (yes/no)?"
  ),
  declines(traveller, "Instead of that, should I move your flight to next Friday?"),
  declines(traveller, "Can I upgrade you to business class for 200 dollars?"),
  turnsAside(member, "Who do you think will win the match tonight?"),
  turnsAside(traveller, "Do you enjoy flying with us?"),
  turnsAside(traveller, "Can you write me a poem?")
]

const answerTo = ({ line, of }: Question) =>
  Effect.gen(function* () {
    const user = yield* UserSimulator.UserSimulator
    const base = Kit.task()
    const task = Kit.task({ prompt: of.ask, plan: { ...base.plan, ...of.plan } })
    const thread = [
      { role: "user", text: of.ask },
      { role: "agent", text: line }
    ] as const
    return yield* user.react({
      task,
      info: Kit.rollout({ task }).info,
      thread,
      question: true,
      more: false,
      temperature: null
    })
  })

const isRight = ({ cannot, not, says }: Question, reaction: UserSimulator.Reaction): boolean => {
  if (!("text" in reaction)) return false
  if (cannot === true && reaction._tag !== "CannotAnswer") return false
  return says.test(reaction.text) && not?.test(reaction.text) !== true
}

describe("sixty questions to the person", () => {
  it.effect("are answered from what they know and came for", () =>
    Effect.gen(function* () {
      const wrong: Array<string> = []
      for (const question of questions) {
        const reaction = yield* answerTo(question)
        if (!isRight(question, reaction))
          wrong.push(`${question.line} -> ${"text" in reaction ? reaction.text : reaction._tag}`)
      }
      expect(questions.length).toBe(60)
      expect(wrong).toEqual([])
    })
  )

  it.effect("hold for questions nobody had in mind", () =>
    Effect.gen(function* () {
      const wrong: Array<string> = []
      for (const question of later) {
        const reaction = yield* answerTo(question)
        if (!isRight(question, reaction))
          wrong.push(`${question.line} -> ${"text" in reaction ? reaction.text : reaction._tag}`)
      }
      expect(wrong).toEqual([])
    })
  )
})
