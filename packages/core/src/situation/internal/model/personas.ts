/**
 * A slot as a persona: who to be, what to want, what to give away and what to keep back. A persona is a function of the slot
 * and the run's seed, so that a second try is about the same person.
 */
import type { Draws } from "../../../random/Randomness.ts"
import { multiTool, unrelated, unspecified } from "../../../task/Cell.ts"
import * as WorldSeed from "../../../task/WorldSeed.ts"
import type { Draw } from "../../../world/Draws.ts"
import { knownFacts } from "../knownFacts.ts"
import type { Entity, Owner } from "../../../task/Plan.ts"
import type { Tool } from "../../../task/Tool.ts"
import type { RunInput, Slot, Source } from "../../SituationWriter.ts"
import { parametersOf, type Parameter } from "../parameters.ts"
import { identifiersOf } from "../spans.ts"
import * as Say from "./instructions.ts"

export interface Persona {
  readonly id: string
  readonly slot: Slot
  /** Paragraphs that say who to be. */
  readonly lines: ReadonlyArray<string>
  /** What the text may show, by axis, with the value a row then has. */
  readonly traits: ReadonlyMap<string, string>
  /** Identifiers that the message has to hold as they are. */
  readonly given: ReadonlyArray<string>
  /** Identifiers that are for later. */
  readonly withheld: ReadonlyArray<string>
  /** What the person knows, by argument name. */
  readonly facts: Readonly<Record<string, string>>
  readonly entity: Entity | null
  /** Their own record, and what they do not know of it, where the world says who they are. */
  readonly person?: Owner
  readonly unknown?: ReadonlyArray<string>
  /** The argument that names the record, where the person themselves would have to say it. */
  readonly reference: { readonly tool: string; readonly argument: string } | null
  /** Names of further things the person may know. */
  readonly askable: ReadonlySet<string>
  readonly stance: string | undefined
}

/** Writes personas of a run. */
export const writer = (run: RunInput, draw: Draw | null = null): ((slot: Slot, id: string) => Persona) => {
  const tools = run.settings.tools.list
  const clauses = new Map(run.clauses.map(({ id, text }) => [id, text]))
  const parameters = new Map(tools.map((tool) => [tool.name, parametersOf(tool)]))
  return (slot, id) => {
    const draws = run.randomness.stream(["writer", "card", slot.scenarioId])
    const manner = run.randomness.stream(["writer", "manner", slot.scenarioId, slot.phrasing, slot.attempt])
    const source = slot.source
    if (source !== undefined && source._tag !== "OpenEnded") return fromText(run, slot, id, source, manner)
    const { dimensions } = slot.cell
    const stance = dimensions["stance"]
    const wanted = toolsOf(tools, dimensions["tool"], source?._tag === "OpenEnded", draws)
    const known = knowledge(run, draw, wanted, parameters, slot, draws)
    const tone = manner.pick(Say.tones)
    const style = manner.pick(Say.styles)
    const traits = new Map<string, string>([["tone", tone]])
    const told = (axis: string, table: Readonly<Record<string, string>>): ReadonlyArray<string> => {
      const value = dimensions[axis]
      if (value === undefined || !Object.hasOwn(table, value)) return []
      traits.set(axis, value)
      return [`${table[value]} [${axis}]`]
    }
    const rule = clauses.get(dimensions["rule"] ?? "")
    const held = stance !== undefined && Say.withholding.has(stance) && draws.chance(0.7)
    const ids = known.ids.map(({ argument, value }) => `${argument.replaceAll("_", " ")} ${value}`).join(", ")
    return {
      id,
      slot,
      lines: [
        ...wishes(wanted, dimensions["tool"] === unrelated, source?._tag === "OpenEnded"),
        ...(rule === undefined
          ? []
          : [`Your wish touches a rule of theirs that you do not know of and never quote: ${rule}`]),
        ...told("stance", Say.stances),
        ...told("history", Say.histories),
        ...told("world_state", Say.worldStates),
        ...told("tool_condition", Say.conditions),
        ...(ids === ""
          ? []
          : held
            ? [`You have at hand, and do not mention yet: ${ids}.`]
            : [`Say exactly as written here: ${ids}.`]),
        ...namedIn(known.facts),
        ...(known.askable.size === 0
          ? []
          : [`Make up what you would know of, and list it under \`knows\`: ${[...known.askable].join(", ")}.`]),
        `You sound ${tone} [tone], and write ${style}.`
      ],
      traits,
      given: held ? [] : known.ids.map(({ value }) => value),
      withheld: held ? known.ids.map(({ value }) => value) : [],
      facts: known.facts,
      ...(known.person === undefined ? {} : { person: known.person }),
      ...(known.unknown === undefined ? {} : { unknown: known.unknown }),
      entity: known.entity,
      reference: known.reference,
      askable: known.askable,
      stance
    }
  }
}

const wishes = (tools: ReadonlyArray<Tool>, off: boolean, open: boolean): ReadonlyArray<string> => {
  if (off) {
    return [
      "You bring something that has nothing to do with what they are there for, such as another subject, small talk, a riddle, or a question about themselves."
    ]
  }
  if (open) return ["You bring something that people rarely ask here, and that a person could still seriously want."]
  if (tools.length === 0) return ["You want something that this place is there for."]
  const wants = tools.map(({ description, name }) => description || name.replaceAll("_", " "))
  return [
    wants.length === 1
      ? `What you are after comes down to this, which you put in words of your own: ${wants[0]}`
      : `You want several things in one go, which you put in words of your own: ${wants.join(" / ")}`
  ]
}

/** Who they are, for those who sign or say so. */
const namedIn = (facts: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const whole =
    facts["name"] ?? [facts["first_name"], facts["last_name"]].filter((part) => part !== undefined).join(" ")
  return whole === "" ? [] : [`Your name is ${whole}; use no other, and only where you would.`]
}

/** The tools a persona is about; for several, two drawn ones. */
const toolsOf = (
  tools: ReadonlyArray<Tool>,
  value: string | undefined,
  open: boolean,
  draws: Draws
): ReadonlyArray<Tool> => {
  const named = tools.find(({ name }) => name === value)
  if (named !== undefined) return [named]
  return value === multiTool && !open ? draws.shuffle(tools).slice(0, 2) : []
}

interface Knowledge extends Pick<Persona, "facts" | "entity" | "reference" | "askable" | "person" | "unknown"> {
  readonly ids: ReadonlyArray<{ readonly argument: string; readonly value: string }>
}

/** Identifiers come from the pool; what else a tool needs, the model makes up. */
const knowledge = (
  { ids: pool, randomness }: RunInput,
  draw: Draw | null,
  tools: ReadonlyArray<Tool>,
  parameters: ReadonlyMap<string, ReadonlyArray<Parameter>>,
  slot: Slot,
  draws: Draws
): Knowledge => {
  const facts = Object.create(null) as Record<string, string>
  const ids: Array<{ argument: string; value: string }> = []
  const askable = new Set<string>()
  let entity: Entity | null = null
  let reference: Persona["reference"] = null
  const start = draws.int(1 << 20)
  const primaryOf = (tool: Tool): Parameter | undefined => {
    const own = parameters.get(tool.name) ?? []
    return (
      own.find(({ isId, required }) => isId && required) ??
      own.find(({ reference: why, required }) => why !== undefined && required) ??
      own.find(({ isId }) => isId)
    )
  }
  const state = slot.cell.dimensions["world_state"]
  const drawn =
    draw?.({
      worldSeed: WorldSeed.of(randomness, slot.scenarioId),
      worldState: state === undefined || state === unspecified ? null : state,
      visit: slot.visit,
      wants: tools.map((tool) => {
        const primary = primaryOf(tool)
        return {
          tool: tool.name,
          reference: primary?.name ?? null,
          declared: primary?.isId === true ? pool.declared(tool.name, primary.name) : [],
          arguments: (parameters.get(tool.name) ?? []).flatMap(({ name, required }) => (required ? [name] : []))
        }
      })
    }) ?? null
  for (const [i, tool] of tools.entries()) {
    const own = parameters.get(tool.name) ?? []
    const primary = primaryOf(tool)
    const want = drawn?.wants[i]
    if (primary !== undefined && entity === null) reference ??= { tool: tool.name, argument: primary.name }
    for (const parameter of own) {
      if (Object.hasOwn(facts, parameter.name)) continue
      if (parameter.isId && (parameter.required || parameter === primary)) {
        const given = want?.values.get(parameter.name)
        const id =
          (parameter === primary ? want?.reference : given?.join(", ")) ??
          pool.take(tool.name, parameter.name, start + slot.visit).id
        // There is no such thing for them to name.
        if (id === "") continue
        facts[parameter.name] = id
        if (parameter === primary) {
          ids.push({ argument: parameter.name, value: id })
          entity ??= { tool: tool.name, argument: parameter.name, id }
        }
      } else if (parameter.required && parameter.type !== "boolean" && parameter.type !== "object") {
        const given = parameter === primary ? want?.reference : want?.values.get(parameter.name)?.join(", ")
        if (typeof given === "string" && given !== "") facts[parameter.name] = given
        else askable.add(parameter.name)
      }
    }
  }
  const person = drawn?.person ?? null
  return {
    facts: drawn === null ? facts : knownFacts(facts, drawn.identity),
    ids,
    askable,
    entity,
    reference: entity === null ? reference : null,
    ...(person === null ? {} : { person: { noun: person.noun, id: person.id } }),
    ...(drawn === null || drawn.unknown.length === 0 ? {} : { unknown: drawn.unknown })
  }
}

type Text = Exclude<Source, { readonly _tag: "OpenEnded" }>

/** A persona for a text that another text is made into. */
const fromText = (run: RunInput, slot: Slot, id: string, source: Text, manner: Draws): Persona => {
  const found = run.ids.find(source.text)
  const identifiers = [
    ...new Set(
      identifiersOf(
        source.text,
        found.map(({ id: known }) => known)
      )
    )
  ]
  const facts = Object.create(null) as Record<string, string>
  for (const { argument, id: known } of found) if (!Object.hasOwn(facts, argument)) facts[argument] = known
  const more = Object.entries(source._tag === "Vary" ? (source.facts ?? {}) : {}).filter(
    ([argument]) => !Object.hasOwn(facts, argument)
  )
  for (const [argument, value] of more) facts[argument] = value
  const quoted = `«${source.text}»`
  const style = manner.pick(Say.styles)
  const lines = ((): ReadonlyArray<string> => {
    switch (source._tag) {
      case "Reword":
        return [
          `You wrote this once: ${quoted} Write it anew ${style}: the same wish, the same details, other words throughout.`
        ]
      case "Vary":
        return [
          `Somebody else wrote this: ${quoted} You are another person with the same kind of trouble, and circumstances of your own. Write ${style}, in words that do not follow theirs.`
        ]
      case "Mutate":
        return [
          `This was written here and was dealt with badly: ${quoted}`,
          ...(source.reason === undefined ? [] : [`What went wrong then: ${source.reason}`]),
          ...(source.other === undefined ? [] : [`So was this: «${source.other}»`]),
          `Write a near variant of the first that is at least as hard to deal with, ${style}.`
        ]
    }
  })()
  return {
    id,
    slot,
    lines: [
      ...lines,
      ...(identifiers.length === 0 ? [] : [`Keep exactly as written: ${identifiers.join(", ")}.`]),
      ...(more.length === 0
        ? []
        : [`You also know: ${more.map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", ")}.`])
    ],
    traits: new Map(),
    given: identifiers,
    withheld: [],
    facts,
    entity: entityOf(run, slot, found),
    reference: null,
    askable: new Set(),
    stance: slot.cell.dimensions["stance"]
  }
}

/** The record a text names, when a tool of the cell, or any, takes an identifier of that name. */
const entityOf = (
  {
    settings: {
      tools: { list: tools }
    }
  }: RunInput,
  slot: Slot,
  found: ReadonlyArray<{ readonly argument: string; readonly id: string }>
): Entity | null => {
  const named = tools.filter(({ name }) => name === slot.cell.dimensions["tool"])
  for (const tool of [...named, ...tools]) {
    for (const { argument, id } of found) {
      if (parametersOf(tool).some((parameter) => parameter.name === argument)) return { tool: tool.name, argument, id }
    }
  }
  return null
}
