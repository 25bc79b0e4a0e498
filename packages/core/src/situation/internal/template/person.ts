/**
 * Who writes: a name, an address, and when their plans begin.
 */
import * as Identity from "../../../world/internal/identity.ts"
import type { Choice } from "./choice.ts"
import * as En from "../../../language/internal/english/values.ts"

/** The person's own data, the same in every argument of a situation. */
export interface Person {
  readonly first: string
  readonly last: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly unit: string
  readonly city: string
  readonly state: string
  readonly zip: string
  /** Day of birth. */
  readonly born: string
  /** Days from the present to the day their plans begin. */
  readonly starts: number
  /** Days that their plans take. */
  readonly lasts: number
}

export const personOf = (choice: Choice): Person => new Drawn(choice)

/** The person as their record has them; what it does not say is as it was made up. */
export const ofRecord = (record: Readonly<Record<string, unknown>>, made: Person): Person => {
  const of = (name: string): string | null => Identity.valueOf(record, name)
  const first = of("first_name")
  return {
    first: first ?? made.first,
    last: (first === null ? null : of("last_name")) ?? made.last,
    email: of("email") ?? made.email,
    phone: of("phone") ?? made.phone,
    street: of("address1") ?? made.street,
    unit: of("address2") ?? made.unit,
    city: of("city") ?? made.city,
    state: of("state") ?? made.state,
    zip: of("zip") ?? made.zip,
    born: of("date_of_birth") ?? made.born,
    starts: made.starts,
    lasts: made.lasts
  }
}

/** The same person by other data: where they move to, what they are reached by from now on. */
export const renamed = (made: Person, { born, first, last }: Person): Person => ({
  first,
  last,
  email: made.email.replace(/^[^@]*?(\d+)@/, `${first}.${last}$1@`).toLowerCase(),
  phone: made.phone,
  street: made.street,
  unit: made.unit,
  city: made.city,
  state: made.state,
  zip: made.zip,
  born,
  starts: made.starts,
  lasts: made.lasts
})

/** Drawn whole, spelled out on demand: of most people an ask tells next to nothing. */
class Drawn implements Person {
  readonly first: string
  readonly last: string
  private readonly mailNumber: number
  private readonly mailHost: string
  private readonly line: number
  private readonly house: number
  private readonly road: string
  readonly unit: string
  private readonly town: (typeof En.towns)[number]
  private readonly block: number
  readonly starts: number
  readonly lasts: number

  constructor(choice: Choice) {
    this.first = choice.pick(En.firstNames)
    this.last = choice.pick(En.lastNames)
    this.town = choice.pick(En.towns)
    this.mailNumber = 10 + choice.int(90)
    this.mailHost = choice.pick(En.mailHosts)
    this.line = 10 + choice.int(90)
    this.house = 11 + choice.int(980)
    this.road = choice.pick(En.streets)
    this.unit = choice.pick(En.units)
    this.block = 10 + choice.int(90)
    this.starts = 3 + choice.int(45)
    this.lasts = 1 + choice.int(6)
  }

  get born(): string {
    // Of age, whichever of the numbers they are made of.
    return `${1958 + ((this.house + this.line) % 46)}-${two(1 + (this.house % 12))}-${two(1 + (this.block % 28))}`
  }

  get email(): string {
    return `${this.first}.${this.last}${this.mailNumber}@${this.mailHost}`.toLowerCase()
  }

  get phone(): string {
    return `555-01${this.line}`
  }

  get street(): string {
    return `${this.house} ${this.road}`
  }

  get city(): string {
    return this.town[0]
  }

  get state(): string {
    return this.town[1]
  }

  get zip(): string {
    return `${this.town[2]}${this.block}`
  }
}

const two = (n: number): string => String(n).padStart(2, "0")
