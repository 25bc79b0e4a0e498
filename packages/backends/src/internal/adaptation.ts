/**
 * What a server was seen to refuse: left out or renamed from then on, for everybody who calls it, and noted.
 */
import type { Complaint } from "./failure.ts"
import type { Parameter } from "./protocol.ts"

export interface Adaptation {
  /** A body as the server takes it, with a form of reply that is no less plain than the given one. */
  readonly apply: (body: Record<string, unknown>, form: Form) => Record<string, unknown>
  /** Learns from a complaint about a body that was sent; false when it says nothing that can be helped. */
  readonly learn: (complaint: Complaint, sent: Readonly<Record<string, unknown>>) => boolean
  /** The next plainer form of reply; null where the body that was sent has none. */
  readonly plainer: (sent: Readonly<Record<string, unknown>>) => Form | null
  /** From now on for everybody: the server took it where it took nothing less plain. */
  readonly keep: (form: Form) => void
  /** By parameter, what became of it; undefined while nothing was refused. */
  readonly notes: () => Readonly<Record<string, string>> | undefined
}

/** How a reply is asked for: by a schema, as any JSON, or by the words of the messages alone. */
export type Form = 0 | 1 | 2

type Change = { readonly _tag: "LeftOut" } | { readonly _tag: "Renamed"; readonly to: string }

export const make = (parameters: ReadonlyMap<string, Parameter>): Adaptation => {
  const changes = new Map<string, Change>()
  let notes: Readonly<Record<string, string>> | undefined
  const [formName = "", { form } = {}] = [...parameters].find(([, parameter]) => parameter.form !== undefined) ?? []
  let plain: Form = 0

  const sentForm = (sent: Readonly<Record<string, unknown>>): Form =>
    sent[formName] === undefined ? 2 : sent[formName] === form?.plainer ? 1 : 0

  const plainer = (sent: Readonly<Record<string, unknown>>): Form | null => {
    const now = sentForm(sent)
    return now === 2 ? null : now === 0 && form?.plainer !== undefined ? 1 : 2
  }

  const keep = (given: Form): void => {
    plain = given > plain ? given : plain
    note()
  }

  const note = (): void => {
    const told = [...changes].map(([each, how]) => [
      each,
      how._tag === "Renamed" ? `sent as ${how.to}: the server refused it` : "left out: the server refused it"
    ])
    if (plain === 1) told.push([formName, "any JSON: the server refused a schema"])
    if (plain === 2) told.push([formName, "left out: the server refused it"])
    notes = Object.fromEntries(told) as Readonly<Record<string, string>>
  }

  /** What the body has of it is dealt with; the note speaks of the name it had first. */
  const change = (name: string): void => {
    const first = [...changes].find(([, change]) => change._tag === "Renamed" && change.to === name)?.[0]
    const renamed = parameters.get(name)?.renamed
    if (first !== undefined) changes.set(first, { _tag: "LeftOut" })
    else changes.set(name, renamed === undefined ? { _tag: "LeftOut" } : { _tag: "Renamed", to: renamed })
    note()
  }

  return {
    notes: () => notes,
    plainer,
    keep,
    apply: (body, given) => {
      const least = given > plain ? given : plain
      const lowers = least > 0 && Object.hasOwn(body, formName)
      if (changes.size === 0 && !lowers) return body
      const out = { ...body }
      if (lowers && least === 1) out[formName] = form?.plainer
      else if (lowers) delete out[formName]
      for (const [name, how] of changes) {
        if (!Object.hasOwn(out, name)) continue
        const value = out[name]
        delete out[name]
        if (how._tag === "Renamed") out[how.to] = value
        else for (const other of parameters.get(name)?.takes ?? []) delete out[other]
      }
      return out
    },
    learn: (complaint, sent) => {
      const next = plainer(sent)
      if (next !== null && (aboutForm.test(complaint.words) || complaint.parameter?.startsWith(formName) === true)) {
        keep(next)
        return true
      }
      if (complaint.trouble) return false
      const name = refusedParameter(
        complaint,
        [...parameters.keys()].filter((each) => Object.hasOwn(sent, each))
      )
      if (name === null) return false
      if (name === formName && next !== null) {
        keep(next)
        return true
      }
      // Somebody else may have learned it while this body was under way.
      const known = changes.get(name)
      if (known === undefined) change(name)
      return true
    }
  }
}

/** Words about how a reply is formed, also where a server says no more than that it fell over it. */
const aboutForm =
  /response[_ ]format|json[_ ]?(?:schema|object|mode)|structured output|grammar|gbnf|guided|schema conversion|output_config/i

/** A server says that it does not take a parameter, not that its value is out of range. */
const refusing =
  /unsupported|not support|n't support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|not available|not enabled|not compatible|incompatible|extra (?:inputs|fields)|extra_forbidden|deprecated|only the default|only (?:be )?set to|cannot (?:be (?:used|set|specified)|both)|instead|not implemented|no longer|additional propert|does not accept|not valid for|is not a valid/i

/** Which of the parameters that were sent is refused: the one that is named by field, or else by words. */
const refusedParameter = ({ parameter, words }: Complaint, sent: ReadonlyArray<string>): string | null => {
  if (!refusing.test(words)) return null
  const field = parameter?.split(/[./[\]]+/).filter((part) => part !== "" && part !== "body") ?? []
  // `response_format.type` is about `response_format`; `tools.0.custom` is about none of ours.
  const byField = sent.find((name) => field[0] === name || field.at(-1) === name)
  if (byField !== undefined) return byField
  const position = (name: string): number => words.search(new RegExp(`(?<![\\w])${name}(?![\\w])`))
  const named = sent.filter((name) => position(name) >= 0).sort((a, b) => position(a) - position(b))
  return named[0] ?? spoken(words, sent)
}

/** "This model does not support log probabilities", "structured outputs are not supported". */
const spoken = (words: string, sent: ReadonlyArray<string>): string | null => {
  const known: ReadonlyArray<readonly [string, RegExp]> = [
    ["logprobs", /log[ -]?prob/i],
    ["response_format", /structured output|json[ _]schema|json mode|guided/i],
    ["text", /structured output|json[ _]schema|json mode/i],
    ["output_config", /structured output|json[ _]schema|output_config|output format/i],
    ["include", /encrypted content|logprobs?/i]
  ]
  return known.find(([name, said]) => sent.includes(name) && said.test(words))?.[0] ?? null
}
