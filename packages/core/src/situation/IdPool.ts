/**
 * The identifiers that asks use. They come from the caller's material, so that the agent's world holds them; only when
 * nothing names any are they invented, and the pool says so.
 */
import type { Service as Randomness } from "../random/Randomness.ts"
import type { Tool } from "../task/Tool.ts"
import { leafOf, nounOf } from "./internal/argumentNouns.ts"
import { readIds, type Context } from "./internal/idReading.ts"
import { isPlaceholder, shapeOf, shapeOfNoun, shapeOfSchema, type Digits, type Shape } from "./internal/idShapes.ts"
import { parametersOf, type Parameter } from "./internal/parameters.ts"

export interface Input {
  readonly tools: ReadonlyArray<Tool>
  /** The `ids` option: identifiers that exist, by argument name. */
  readonly ids?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Identifiers mined from traces, by argument name. */
  readonly mined?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Seeds, and asks of traces. */
  readonly texts?: ReadonlyArray<string>
  readonly systemPrompt?: string
  readonly random: Randomness
}

export interface Taken {
  readonly id: string
  /** Nothing the caller gave says that it exists. */
  readonly invented: boolean
}

export interface IdPool {
  /**
   * The n-th id for an argument of a tool. Ids that exist rotate with n; otherwise one is invented by the form the
   * caller's texts show, or by the argument's name, from `draws` (by default a draw of the argument and n).
   */
  readonly take: (tool: string, argument: string, n: number, draws?: Digits) => Taken
  /** Ids known to exist for an argument (or a synonym: `order_id` serves `orderId`, `order`, `order_ids`), in order. */
  readonly declared: (tool: string, argument: string) => ReadonlyArray<string>
  /** Known ids a text names, each with the argument it belongs to, in order of the text. */
  readonly find: (text: string) => ReadonlyArray<{ readonly argument: string; readonly id: string }>
  /** Every id known to exist: the mock world holds records for them. */
  readonly known: ReadonlySet<string>
  /** Arguments whose ids have to be invented, in tool order; not empty: asks may name what the world does not hold. */
  readonly inventedArguments: ReadonlyArray<string>
  readonly invented: boolean
}

export const make = (input: Input): IdPool => {
  const slots = slotsOf(input)
  const nouns = [...new Set(slots.map((slot) => slot.noun))]
  const examples = examplesOf(input, slots, nouns)
  const declared = declaredOf(input, slots, nouns, examples)
  const bySlot = new Map(slots.map((slot) => [keyOf(slot.tool, slot.parameter.name), slot]))
  const argumentByNoun = new Map<string, string>()
  for (const slot of slots) if (!argumentByNoun.has(slot.noun)) argumentByNoun.set(slot.noun, slot.parameter.name)
  const argumentById = new Map<string, string>()
  for (const [noun, ids] of declared) {
    for (const id of ids) if (!argumentById.has(id)) argumentById.set(id, argumentByNoun.get(noun) ?? noun)
  }

  const spaced = [...argumentById.keys()].filter((id) => /\s/.test(id))
  const beginning = beginningWith(argumentById.keys())

  const declaredFor = cached((tool, argument): ReadonlyArray<string> => {
    const slot = bySlot.get(keyOf(tool, leafOf(argument)))
    if (slot !== undefined && slot.parameter.choices.length > 0) return slot.parameter.choices
    const noun = slot?.noun ?? nounOf(argument, tool)
    const exact = declared.get(noun)
    if (exact !== undefined) return exact
    // `new_item_id` is served by ids of items
    if (slot === undefined || !slot.parameter.isId) return none
    return declared.get(lastWord(noun)) ?? none
  })
  const formsFor = cached((tool, argument): Forms => {
    const noun = nounOf(argument, tool)
    return { noun, shapes: shapesOf(bySlot.get(keyOf(tool, leafOf(argument))), noun, examples) }
  })

  const inventedArguments = [
    ...new Set(
      slots
        .filter((slot) => slot.parameter.isId && declaredFor(slot.tool, slot.parameter.name).length === 0)
        .map((slot) => slot.parameter.name)
    )
  ]
  return {
    take: (tool, argument, n, draws) => {
      const known = declaredFor(tool, argument)
      if (known.length > 0) return { id: known[n % known.length] as string, invented: false }
      const { noun, shapes } = formsFor(tool, argument)
      const shape = shapes[n % shapes.length] ?? shapeOfNoun(noun)
      return { id: shape(draws ?? input.random.stream(["id", noun, n])), invented: true }
    },
    declared: declaredFor,
    find: (text) => findKnown(text, argumentById, beginning, spaced),
    known: new Set(argumentById.keys()),
    inventedArguments,
    invented: inventedArguments.length > 0
  }
}

/** An argument that can hold an id. */
interface Slot {
  readonly tool: string
  readonly noun: string
  readonly parameter: Parameter
}

/** How ids of an argument are invented. */
interface Forms {
  readonly noun: string
  readonly shapes: ReadonlyArray<Shape>
}

const none: ReadonlyArray<string> = []

/** Computes once per tool and argument: every ask looks ids up. */
const cached = <A>(compute: (tool: string, argument: string) => A): ((tool: string, argument: string) => A) => {
  const byTool = new Map<string, Map<string, A>>()
  return (tool, argument) => {
    let byArgument = byTool.get(tool)
    if (byArgument === undefined) byTool.set(tool, (byArgument = new Map()))
    let found = byArgument.get(argument)
    if (found === undefined) byArgument.set(argument, (found = compute(tool, argument)))
    return found
  }
}

const keyOf = (tool: string, argument: string): string => `${tool}\u0000${argument}`

const lastWord = (noun: string): string => noun.slice(noun.lastIndexOf(" ") + 1)

/** Arguments that are ids, and those the caller's `ids` or mined ids name in any spelling. */
const slotsOf = (input: Input): ReadonlyArray<Slot> => {
  const given = new Set(
    [...Object.keys(input.ids ?? {}), ...Object.keys(input.mined ?? {})].map((name) => nounOf(name, ""))
  )
  return input.tools.flatMap((tool) =>
    parametersOf(tool).flatMap((parameter) => {
      if (parameter.type === "boolean" || parameter.type === "object") return []
      const noun = nounOf(parameter.name, tool.name)
      const named = given.has(noun) && parameter.choices.length === 0
      return parameter.isId || named ? [{ tool: tool.name, noun, parameter }] : []
    })
  )
}

type ByNoun = Map<string, Array<string>>

const addTo = (map: ByNoun, noun: string, id: string): void => {
  const list = map.get(noun)
  if (list === undefined) map.set(noun, [id])
  else if (!list.includes(id)) list.push(id)
}

/** Forms that descriptions and the prompt show. */
const examplesOf = (input: Input, slots: ReadonlyArray<Slot>, nouns: ReadonlyArray<string>): ByNoun => {
  const examples: ByNoun = new Map()
  for (const { parameter, noun } of slots) {
    for (const reading of readIds(parameter.description, { nouns: [noun], own: noun, examples })) {
      if (reading.format) addTo(examples, reading.noun, reading.id)
    }
  }
  for (const text of [...input.tools.map((tool) => tool.description), input.systemPrompt ?? ""]) {
    for (const reading of readIds(text, { nouns, examples }))
      if (reading.format) addTo(examples, reading.noun, reading.id)
  }
  return examples
}

/** Ids by noun, each once and in order: there may be very many. */
type Found = Map<string, Set<string>>

const find = (found: Found, noun: string, id: string): void => {
  const ids = found.get(noun)
  if (ids === undefined) found.set(noun, new Set([id]))
  else ids.add(id)
}

/** Ids that exist, by noun; the first source that knows any for a noun is the one that counts. */
const declaredOf = (
  input: Input,
  slots: ReadonlyArray<Slot>,
  nouns: ReadonlyArray<string>,
  examples: ByNoun
): ByNoun => {
  const context: Context = { nouns, examples }
  const sources: ReadonlyArray<(into: Found) => void> = [
    (into) => addRecord(into, input.ids),
    (into) => {
      addRecord(into, input.mined)
      addTexts(into, input.texts ?? [], context)
    },
    (into) => {
      for (const { parameter, noun } of slots) {
        for (const id of [...parameter.choices, ...schemaExamples(parameter)]) find(into, noun, id)
        addRead(into, parameter.description, { nouns: [noun], own: noun, examples })
      }
      for (const tool of input.tools) addRead(into, tool.description, context)
      addRead(into, input.systemPrompt ?? "", context)
    }
  ]
  const declared: ByNoun = new Map()
  for (const source of sources) {
    const found: Found = new Map()
    source(found)
    for (const [noun, ids] of found) if (!declared.has(noun)) declared.set(noun, [...ids])
  }
  return declared
}

const addRecord = (into: Found, record: Input["ids"]): void => {
  for (const name of Object.keys(record ?? {})) {
    const noun = nounOf(name, "")
    for (const id of record?.[name] ?? []) find(into, noun, id)
  }
}

const addRead = (into: Found, text: string, context: Context): void => {
  for (const reading of readIds(text, context)) if (!reading.format) find(into, reading.noun, reading.id)
}

/** Ids of the caller's asks. One that the words bind to nothing may still have the form of one that they do bind. */
const addTexts = (into: Found, texts: ReadonlyArray<string>, context: Context): void => {
  const first: Found = new Map()
  for (const text of texts) for (const { id, noun } of readIds(text, context)) find(first, noun, id)
  const examples: ByNoun = new Map([...context.examples].map(([noun, ids]) => [noun, [...ids]]))
  for (const [noun, ids] of first) for (const id of [...ids].slice(0, formsRead)) addTo(examples, noun, id)
  for (const text of texts) {
    for (const { id, noun } of readIds(text, { ...context, examples })) if (!isPlaceholder(id)) find(into, noun, id)
  }
}

/** Ids of a noun whose forms are looked for in texts. */
const formsRead = 8

/** A schema's `examples` exist, unless they are all zeros or brackets. */
const schemaExamples = (parameter: Parameter): ReadonlyArray<string> => {
  const given = parameter.schema["examples"]
  return (Array.isArray(given) ? given : []).flatMap((value: unknown) =>
    (typeof value === "string" || typeof value === "number") && !isPlaceholder(String(value)) ? [String(value)] : []
  )
}

/** Forms for one argument: its own description first, then what other arguments of its noun show. */
const shapesOf = (slot: Slot | undefined, noun: string, examples: ByNoun): ReadonlyArray<Shape> => {
  const shown = examples.get(noun) ?? examples.get(lastWord(noun)) ?? none
  if (shown.length > 0) return shown.map(shapeOf)
  const bySchema = slot === undefined ? undefined : shapeOfSchema(slot.parameter.schema)
  return [bySchema ?? shapeOfNoun(noun)]
}

/** Words that begin as some id does, in quotes or brackets or not. */
const beginningWith = (ids: Iterable<string>): RegExp => {
  const firsts = new Set(Array.from(ids, (id) => id.slice(0, 1).replace(/[\\\]^-]/, "\\$&")))
  return firsts.size === 0 ? /(?!)/g : new RegExp(`(?<!\\S)[([{<'"‘“\`]*[${[...firsts].join("")}]\\S*`, "g")
}

/** Single words that begin as some id does are looked up; only ids with spaces have to be searched for. */
const findKnown = (
  text: string,
  argumentById: ReadonlyMap<string, string>,
  beginning: RegExp,
  spaced: ReadonlyArray<string>
): ReturnType<IdPool["find"]> => {
  const out: Array<{ readonly argument: string; readonly id: string; readonly at: number }> = []
  const keep = (id: string, at: number): boolean => {
    const argument = argumentById.get(id)
    if (argument !== undefined && !out.some((found) => found.id === id)) out.push({ argument, id, at })
    return argument !== undefined
  }
  beginning.lastIndex = 0
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const [raw] = match
    if (keep(raw, match.index)) continue
    const begun = raw.replace(/^[([{<'"‘“`]+/u, "")
    keep(begun.replace(/(?:['’]s)?[.,;:!?)\]}>'"’”`]*$/u, ""), match.index)
  }
  for (const id of spaced) {
    const at = text.indexOf(id)
    if (at !== -1 && !inWord.test(text.charAt(at - 1)) && !inWord.test(text.charAt(at + id.length))) keep(id, at)
  }
  return out.sort((a, b) => a.at - b.at).map(({ argument, id }) => ({ argument, id }))
}

const inWord = /[\p{L}\p{N}_]/u
