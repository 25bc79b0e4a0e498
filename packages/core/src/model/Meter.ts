/**
 * What the models of a run spend, by role: calls, tokens and money, held against the run's caps as calls finish.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { ModelFailed } from "./ChatModel.ts"
import type { Identity } from "./Identity.ts"
import { roles, type Call, type Role, type Watch } from "./ModelCall.ts"
import * as Prices from "./Prices.ts"
import * as Usage from "./Usage.ts"

/** What a role spent. */
export interface Spent extends Usage.Usage {
  /** Requests sent, those sent again included; null where only tokens were told. */
  readonly calls: number | null
  /** Of `calls`, those that told no tokens: they failed, were given up, or the provider does not count. */
  readonly uncounted: number
  /** US dollars; null where no price is known. */
  readonly cost: number | null
}

/** All roles together. */
export interface Total {
  /** Tokens, as far as they are told; null where none are. */
  readonly input: number | null
  readonly output: number | null
  /** US dollars; null where the tokens of any role have no price. */
  readonly cost: number | null
}

/** The caps a run has, and how it tells of what happens. */
export interface Options {
  /** Most tokens, input and output, over all roles. */
  readonly tokenBudget: number | null
  /** Most US dollars over all roles. */
  readonly costBudget: number | null
  readonly prices: Prices.Table
}

export type Cap = "token_budget" | "cost_budget"

/** What a run is told of its calls. */
export interface Listener {
  readonly spent: (role: Role, total: Total) => void
  /** Calls of the role wait until then; null when none does any more. */
  readonly waiting: (role: Role, model: string, until: number | null) => void
}

/** An endpoint that refused a role for good. */
export interface Refusal {
  readonly role: Role
  readonly error: ModelFailed
}

export class Meter implements Watch {
  /** Completes with the cap that was reached. */
  readonly reached = Deferred.unsafeMake<Cap>(FiberId.none)
  listener: Listener = { spent: () => {}, waiting: () => {} }
  private readonly options: Options
  private readonly tallies = new Map<Role, Tally>()
  private readonly before = new Map<Role, Spent>()
  private readonly refused = new Map<string, Refusal>()
  private readonly waits = new Map<Role, Waiting>()
  private readonly prices = new WeakMap<Identity, Prices.Price | null>()
  private cap: Cap | null = null
  private over = false

  constructor(options: Options) {
    this.options = options
  }

  readonly begin = (role: Role, model: Identity): Call | ModelFailed => {
    const refusal = this.refusalOf(role, model)
    if (refusal !== null) return refusal
    const call = {}
    let sent = 0
    let counted = 0
    let kept = false
    const waits = (until: number | null): void => this.waited(role, model, call, until)
    return {
      sent: () => {
        sent += 1
      },
      waits,
      spent: (usage) => {
        if (this.count(role, model, usage)) counted += 1
      },
      kept: () => {
        kept = true
      },
      end: (exit) => {
        waits(null)
        if (Exit.isSuccess(exit) && !kept && this.count(role, model, exit.value.usage)) counted += 1
        const tally = this.tallyOf(role)
        const calls = kept ? sent : Math.max(1, sent)
        tally.calls = (tally.calls ?? 0) + calls
        tally.uncounted += Math.max(0, calls - counted)
        if (Exit.isFailure(exit)) {
          const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
          if (error?.reason === "auth" || error?.reason === "quota") this.refusedFor(role, model, error)
        }
        this.listener.spent(role, this.check())
      }
    }
  }

  /** Tokens a role told of itself, where its calls are not made through here. */
  told(role: Role, model: Identity, usage: Usage.Usage): void {
    if (this.tallies.get(role)?.calls != null || !this.count(role, model, usage)) return
    this.listener.spent(role, this.check())
  }

  /** The cap that was reached; null while there is room. */
  reachedCap(): Cap | null {
    return this.cap
  }

  /** Who was refused for good, in the order it happened. */
  refusals(): ReadonlyArray<Refusal> {
    return [...this.refused.values()]
  }

  /** From now on nothing is sent: the run is over. */
  close(): void {
    this.over = true
  }

  /** What a role spent before the run was gone on with: part of what it spent, and of no cap. */
  recall(role: Role, spent: Spent): void {
    const known = this.before.get(role)
    this.before.set(role, known === undefined ? spent : both(known, spent))
  }

  /** By role, those that spent anything. */
  spent(): Partial<Record<Role, Spent>> {
    const out: Partial<Record<Role, Spent>> = {}
    for (const role of roles) {
      const tally = this.tallies.get(role)
      const before = this.before.get(role)
      const now =
        tally === undefined
          ? undefined
          : { ...tally.usage, calls: tally.calls, uncounted: tally.uncounted, cost: costOf(tally) }
      const all = before === undefined || now === undefined ? (before ?? now) : both(before, now)
      if (all !== undefined) out[role] = all
    }
    return out
  }

  private total(): Total {
    const tallies = [...this.tallies.values()]
    const sum = (value: (tally: Tally) => number | null): number | null =>
      tallies.reduce<number | null>((all, tally) => plus(all, value(tally)), null)
    return {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cost: tallies.some(({ unpriced }) => unpriced) ? null : sum(costOf)
    }
  }

  private count(role: Role, model: Identity, usage: Usage.Usage): boolean {
    if (usage.input === null && usage.output === null) return false
    const tally = this.tallyOf(role)
    tally.usage = Usage.add(tally.usage, usage)
    const price = this.priceOf(model)
    const cost = price === null ? null : Prices.costOf(price, usage)
    if (cost === null) tally.unpriced = true
    else tally.cost += cost
    return true
  }

  /** Looked up once per model: what is asked for with every call is the same few. */
  private priceOf(model: Identity): Prices.Price | null {
    let price = this.prices.get(model)
    if (price === undefined) {
      price = Prices.priceOf(this.options.prices, model) ?? null
      this.prices.set(model, price)
    }
    return price
  }

  private tallyOf(role: Role): Tally {
    let tally = this.tallies.get(role)
    if (tally === undefined) {
      tally = { usage: Usage.unknown, calls: null, uncounted: 0, cost: 0, unpriced: false }
      this.tallies.set(role, tally)
    }
    return tally
  }

  /** Holds what was spent against the caps. */
  private check(): Total {
    const total = this.total()
    if (this.cap !== null) return total
    const { costBudget, tokenBudget } = this.options
    const { cost, input, output } = total
    if (tokenBudget !== null && (input ?? 0) + (output ?? 0) >= tokenBudget) this.cap = "token_budget"
    else if (costBudget !== null && (cost ?? 0) >= costBudget) this.cap = "cost_budget"
    if (this.cap !== null) Deferred.unsafeDone(this.reached, Effect.succeed(this.cap))
    return total
  }

  /** Once refused for good, a model is not asked again: the answer would be the same. */
  private refusedFor(role: Role, model: Identity, error: ModelFailed): void {
    const key = keyOf(role, model)
    if (!this.refused.has(key)) this.refused.set(key, { role, error })
  }

  private refusalOf(role: Role, model: Identity): ModelFailed | null {
    const stopped = (detail: string): ModelFailed => new ModelFailed({ reason: "stopped", model: model.name, detail })
    if (this.over) return stopped("the run is over, so nothing was sent")
    if (this.cap !== null) return stopped(`the run reached its cap (${this.cap}), so nothing was sent`)
    return this.refused.get(keyOf(role, model))?.error ?? null
  }

  /** Tells when the first call of a role waits, when one waits longer than those before, and when none waits any more. */
  private waited(role: Role, { name }: Identity, call: object, until: number | null): void {
    let waiting = this.waits.get(role)
    if (waiting === undefined) {
      if (until === null) return
      this.waits.set(role, (waiting = { calls: new Set(), until: 0 }))
    }
    if (until !== null) {
      waiting.calls.add(call)
      if (until <= waiting.until) return
      waiting.until = until
    } else {
      if (!waiting.calls.delete(call) || waiting.calls.size > 0) return
      waiting.until = 0
    }
    this.listener.waiting(role, name, until)
  }
}

/** The calls of a role that wait, and the latest time that one of them waits for. */
interface Waiting {
  readonly calls: Set<object>
  until: number
}

interface Tally {
  usage: Usage.Usage
  calls: number | null
  uncounted: number
  cost: number
  /** Tokens were spent that no price is known for. */
  unpriced: boolean
}

const both = (a: Spent, b: Spent): Spent => ({
  ...Usage.add(a, b),
  calls: plus(a.calls, b.calls),
  uncounted: a.uncounted + b.uncounted,
  cost: a.cost === null || b.cost === null ? null : a.cost + b.cost
})

const costOf = ({ cost, unpriced, usage }: Tally): number | null =>
  unpriced || (usage.input === null && usage.output === null) ? null : cost

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

const keyOf = (role: Role, { endpoint, name, provider }: Identity): string =>
  [role, provider, endpoint, name].join("\n")
