/**
 * Words that decide articles, possessives and where a description stops saying what a person would say.
 */
const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word.length > 0))

/** Things people call theirs. */
export const personal = set(`
  order orders account accounts booking bookings reservation reservations subscription subscriptions address profile
  appointment appointments ticket tickets invoice invoices payment payments refund cart password card delivery package
  parcel shipment plan membership device claim policy policies contract prescription balance bill bills statement email
  phone flight trip itinerary insurance loan mortgage portfolio return warranty lease salary paycheck benefits calendar
  inbox meeting meetings playlist wallet pension reminder reminders todo settings id username purchase purchases
`)

/** Nouns that take no article when nothing says which. */
export const mass = set(`
  weather traffic information data news inventory sentiment energy water air music emissions status history stock money
  advice availability inflation progress feedback space storage humidity access support help math code text details
  statistics
`)

/** Words before a noun that only say "the one in the arguments". */
export const placeholders = set(`
  specific specified given certain particular provided requested desired single supplied corresponding respective
  selected chosen designated stated said relevant appropriate input
`)

/** Where the object of a description ends for a person. */
export const stops = set(`
  given using based when which that who whose such including where if so because according depending considering
  optionally along via through without unless and/or e.g. i.e. after before while within per as optionally returning
  returns whether or between considering involving if accounting providing
`)

export const prepositions = set(
  "of for in on at to from by with about into over under during between across against around near within towards toward onto upon as"
)

export const determiners = set("a an the all any some every each this that these those my your their its his her our")

/** Who a thing is done for, where that is the person who asks: "book a room for a guest". */
export const patrons = set(
  "user customer caller client guest passenger patient member visitor shopper buyer tenant subscriber traveler traveller"
)

/** Readers of descriptions, not people: "the user" is the person who asks. */
export const users = set("user customer caller client requester end-user")

/** Abbreviations in argument names, as people say them. */
export const spelled: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  loc: "location",
  num: "number",
  qty: "quantity",
  dest: "destination",
  addr: "address",
  desc: "description",
  msg: "message",
  tz: "time zone",
  timezone: "time zone",
  lang: "language",
  temp: "temperature",
  dob: "date of birth",
  birthdate: "date of birth",
  zip: "zip code",
  zipcode: "zip code",
  amt: "amount",
  info: "information",
  max: "maximum",
  min: "minimum",
  lat: "latitude",
  lon: "longitude",
  lng: "longitude",
  loctype: "location type",
  perpage: "page size",
  cc: "copy",
  principle: "principal"
}) as Readonly<Record<string, string>>
