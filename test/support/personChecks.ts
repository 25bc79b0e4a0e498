/**
 * Facts of people against their worlds, as somebody would check them who knows nothing of how either was made: rows are
 * read, and the calls that an agent could make are made in the world of each task.
 */
import * as MockWorld from "@sandtable/core/MockWorld"
import * as Simulation from "@sandtable/core/Simulation"
import * as World from "@sandtable/core/World"
import { layer } from "@sandtable/core/node"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ToolSet } from "./toolSets.ts"

type Json = Readonly<Record<string, unknown>>

/** What is read of a row here. */
export interface Row {
  readonly task_id: string
  readonly scenario_id: string
  readonly prompt: string
  readonly world_state: string | null
  readonly scenario_dimensions: Readonly<Record<string, string>>
  readonly plan: {
    readonly world_seed: number
    readonly need: string | null
    readonly facts: Readonly<Record<string, string>>
    readonly traits: Readonly<Record<string, string>>
    readonly entity: { readonly tool: string; readonly argument: string; readonly id: string } | null
    readonly person?: { readonly noun: string; readonly id: string }
    readonly unknown?: ReadonlyArray<string>
  }
}

export interface Rehearsed {
  readonly rows: ReadonlyArray<Row>
  /** Calls a tool in the world of a row's task, before anything else happened in it. */
  readonly call: (row: Row, tool: string, args: Json) => unknown
}

/** Asks of a set, one row each, with an agent that does nothing. */
export const rehearse = async (set: ToolSet, budget: number, seed: number, more: object = {}): Promise<Rehearsed> => {
  let input: World.WorldInput | undefined
  const watched: World.Kind = {
    ...MockWorld.kind,
    make: (given) => {
      input = given
      return MockWorld.kind.make(given)
    }
  }
  const rows = await Effect.gen(function* () {
    const options = {
      agent: () => "One moment, please.",
      tools: set.tools as ReadonlyArray<Json>,
      systemPrompt: set.policy,
      simulator: false,
      rolloutsPerRequest: 1,
      budget,
      seed,
      ...more
    } as unknown as Parameters<typeof Simulation.stream>[0]
    const run = yield* Simulation.stream(options)
    return yield* Stream.runCollect(run.rows)
  }).pipe(Effect.scoped, Effect.provide(World.layer(watched)), Effect.provide(layer), Effect.runPromise)
  if (input === undefined) throw new Error("no world was made")
  const mock = await Effect.runPromise(MockWorld.load(input))
  return {
    rows: [...rows] as unknown as ReadonlyArray<Row>,
    call: (row, tool, args) =>
      MockWorld.step(mock.begin(taskOf(row)), { tool, arguments: typed(set, tool, args) })[1].result
  }
}

/** Numbers where the tool wants whole numbers: facts are texts. */
const typed = (set: ToolSet, tool: string, args: Json): Json => {
  const found = set.tools.find((one) => (one as { function: { name: string } }).function.name === tool)
  const properties = (found as { function: { parameters: Json } } | undefined)?.function.parameters["properties"] as
    | Readonly<Record<string, Json>>
    | undefined
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      properties?.[name]?.["type"] === "integer" ? Number(value) : value
    ])
  )
}

const taskOf = (row: Row): Parameters<MockWorld.Mock["begin"]>[0] => ({
  id: row.task_id,
  scenarioId: row.scenario_id,
  prompt: row.prompt,
  dimensions: row.scenario_dimensions,
  tier: null,
  shown: {},
  arm: "grid",
  phrasing: 0,
  writer: "template",
  worldState: row.world_state,
  faults: [],
  plan: row.plan,
  privileged: {}
})

export interface Contradiction {
  readonly what: string
  readonly row: Row
}

/** How records of a set are read: by kind, the tool and its argument. */
interface Readers {
  readonly [noun: string]: readonly [tool: string, argument: string]
}

/** Those whose names do not say it. */
const foreign: Readers = {
  kunden: ["kunde_abrufen", "kunden_id"],
  auftrag: ["auftrag_anzeigen", "auftrag_id"]
}

const functions = (
  set: ToolSet
): ReadonlyArray<{
  readonly name: string
  readonly required: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}> =>
  set.tools.map((tool) => {
    const { name, parameters } = (tool as { function: { name: string; parameters: Json } }).function
    return {
      name,
      required: (parameters["required"] as ReadonlyArray<string> | undefined) ?? [],
      names: Object.keys((parameters["properties"] as Json | undefined) ?? {})
    }
  })

const readersOf = (set: ToolSet): Readers => {
  const out: Record<string, readonly [string, string]> = {}
  for (const { name, required } of functions(set)) {
    const [only] = required
    const noun = only === undefined ? undefined : /^(\w+)_id$/.exec(only)?.[1]
    if (name.startsWith("get_") && required.length === 1 && only !== undefined && noun !== undefined) {
      if (name.includes(noun)) out[noun] = [name, only]
    }
    const known = Object.entries(foreign).find(([, [tool]]) => tool === name)
    if (known !== undefined) out[known[0]] = known[1]
  }
  return out
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const failed = (answer: unknown): boolean =>
  isObject(answer) && typeof answer["error"] === "string" && typeof answer["status"] === "string"

/** The first leaf of one of these names, at any depth. */
const leaf = (value: unknown, names: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => leaf(one, names)).find((one) => one !== undefined)
  if (!isObject(value)) return undefined
  for (const name of names) if (name in value && !isObject(value[name])) return value[name]
  for (const inner of Object.values(value)) {
    const found = isObject(inner) ? leaf(inner, names) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** All values of a field, at any depth. */
const every = (value: unknown, name: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((one) => every(one, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && (typeof inner === "string" || typeof inner === "number") ? [String(inner)] : every(inner, name)
  )
}

/** Fields of a person that are compared, with the names a record may have for them. */
const personal: ReadonlyArray<readonly [fact: string, names: ReadonlyArray<string>]> = [
  ["email", ["email", "email_address"]],
  ["phone", ["phone", "phone_number"]],
  ["zip", ["zip", "zip_code", "postal_code", "plz"]],
  ["plz", ["plz", "zip", "postal_code"]],
  ["date_of_birth", ["date_of_birth", "dob", "birth_date"]],
  ["first_name", ["first_name"]],
  ["last_name", ["last_name"]],
  ["full_name", ["full_name", "name"]],
  ["name", ["name", "full_name"]],
  ["pin", ["pin"]]
]

/** States that a tool's words demand of what it works on. */
const demanded = /(?:^|_| )(pending|scheduled|delivered|open)(?:_| )/

/** Everything in a row that its world says otherwise. */
export const contradictionsOf = (set: ToolSet, { call, rows }: Rehearsed): ReadonlyArray<Contradiction> => {
  const readers = readersOf(set)
  const tools = functions(set)
  const out: Array<Contradiction> = []
  for (const row of rows) {
    const { entity, facts, person } = row.plan
    const say = (what: string): void => void out.push({ what, row })
    const read = (noun: string, id: string): unknown => {
      const reader = readers[noun]
      return reader === undefined ? undefined : call(row, reader[0], { [reader[1]]: id })
    }
    const nounOf = (argument: string): string => argument.replace(/^(?:new|from|to|current)_/, "").replace(/_ids?$/, "")
    const about = entity === null ? null : nounOf(entity.argument)
    /** Of a state that a read has to tell, nothing is known before it. */
    const open = row.world_state === "unknown"
    const isMissing = (id: string): boolean =>
      row.world_state === "missing" && (entity?.id === id || (person?.id === id && isFoundBy(row, tools)))
    const maybeMissing = (id: string): boolean =>
      open && (entity?.id === id || (person?.id === id && isFoundBy(row, tools)))
    const own = person === undefined ? undefined : read(person.noun, person.id)
    if (person !== undefined && own !== undefined) {
      const gone = (row.world_state === "missing" || open) && (about === person.noun || isFoundBy(row, tools))
      if (failed(own) && !gone) say(`${person.noun} ${person.id} is not there: ${JSON.stringify(own)}`)
      if (!failed(own)) {
        for (const [fact, names] of personal) {
          const told = facts[`current_${fact}`] ?? facts[fact]
          if (told === undefined || (facts[`current_${fact}`] === undefined && isSet(row, set, fact))) continue
          const held = leaf(own, names)
          if (held !== undefined && String(held) !== told) say(`${fact} ${told}, in the record ${String(held)}`)
        }
      }
      const idFact = facts[`${person.noun}_id`]
      if (idFact !== undefined && idFact !== person.id) say(`knows ${idFact} for ${person.id}`)
    }
    for (const [name, value] of Object.entries(facts)) {
      if (!/_ids?$/.test(name)) continue
      for (const id of value.split(", ")) {
        const answer = read(nounOf(name), id)
        if (answer !== undefined && failed(answer) && !isMissing(id) && !maybeMissing(id))
          say(`${name} ${id} is not there`)
        if (answer !== undefined && !failed(answer) && isMissing(id))
          say(`${name} ${id} is there and should be missing`)
      }
    }
    const record = about === null || entity === null ? undefined : read(about, entity.id)
    if (record !== undefined && !failed(record) && person !== undefined && about !== person.noun) {
      const direct = leaf(record, [`${person.noun}_id`])
      const between = Object.keys(isObject(record) ? record : {}).find(
        (name) => name.endsWith("_id") && nounOf(name) !== about && readers[nounOf(name)] !== undefined
      )
      const hop =
        direct === undefined && between !== undefined
          ? leaf(read(nounOf(between), String(leaf(record, [between]))), [`${person.noun}_id`])
          : direct
      if (hop !== undefined && String(hop) !== person.id)
        say(`${about} ${entity?.id} is of ${String(hop)}, the person is ${person.id}`)
    }
    if (record !== undefined && !failed(record)) {
      const held = every(record, "item_id")
      for (const id of (facts["item_ids"] ?? "").split(", ").filter(Boolean)) {
        if (about === "order" && !held.includes(id)) say(`item ${id} is not in the order`)
      }
      const statement = tools.find(({ name }) => name === entity?.tool)
      const needs = demanded.exec(`${statement?.name ?? ""} `)?.[1]
      const status = leaf(record, ["status"])
      if (needs !== undefined && row.world_state === "exists" && status !== needs)
        say(`${entity?.tool} of what is ${String(status)}`)
      if (needs !== undefined && row.world_state === "already_acted_on" && status === needs)
        say(`nothing was done to what is still ${needs}`)
    }
    const methods = every(own, "payment_method_id")
    const method = facts["payment_method_id"]
    if (method !== undefined && methods.length > 0 && !methods.includes(method))
      say(`payment method ${method} is not theirs`)
    const next = (facts["new_item_ids"] ?? "").split(", ").filter(Boolean)
    const before = (facts["item_ids"] ?? "").split(", ").filter(Boolean)
    next.forEach((id, i) => {
      const item =
        isObject(record) && Array.isArray(record["items"])
          ? (record["items"] as ReadonlyArray<Json>).find((one) => one["item_id"] === before[i])
          : undefined
      const product = item === undefined ? undefined : read("product", String(item["product_id"]))
      if (product !== undefined && !every(product, "item_id").includes(id))
        say(`new item ${id} is not of the product of ${before[i]}`)
      if (before.includes(id)) say(`item ${id} for itself`)
    })
    for (const { name, required } of tools) {
      if (
        !/^find_\w+/.test(name) ||
        person === undefined ||
        ["missing", "duplicate", "unknown"].includes(row.world_state ?? "")
      )
        continue
      const values = required.map((argument) => facts[`current_${argument}`] ?? facts[argument])
      if (values.some((value) => value === undefined) || required.length === 0) continue
      const answer = call(row, name, Object.fromEntries(required.map((argument, i) => [argument, values[i]])))
      const id = leaf(answer, [`${person.noun}_id`, "id"])
      if (String(id) !== person.id) say(`${name} finds ${JSON.stringify(answer)} for ${person.id}`)
    }
    const signed = /\n(\p{Lu}\p{L}+ \p{Lu}\p{L}+)$/u.exec(row.prompt)?.[1]
    const name =
      facts["first_name"] === undefined
        ? (facts["name"] ?? facts["full_name"])
        : `${facts["first_name"]} ${facts["last_name"]}`
    if (signed !== undefined && name !== undefined && signed !== name) say(`signed ${signed}, is ${name}`)
    if (row.plan.traits["off_topic"] !== undefined) continue
    const told = Object.values(facts).join(" ")
    for (const [token = ""] of row.prompt.matchAll(/#?[A-Za-z]*[-_]?\d{4,}\b/g)) {
      if (/^(?:19|20)\d\d$/.test(token)) continue
      if (!told.includes(token)) say(`the ask names ${token}, of which the person knows nothing`)
    }
  }
  return out
}

/** Whether the ask is to find the person by something of theirs. */
const isFoundBy = (row: Row, tools: ReadonlyArray<{ readonly name: string }>): boolean =>
  !(row.plan.entity?.argument ?? "_id").endsWith("_id") &&
  /^(?:find|search)_/.test(tools.find(({ name }) => name === row.plan.entity?.tool)?.name ?? "")

/** Whether the ask is to give the person's record another value of the field. */
const isSet = (row: Row, set: ToolSet, fact: string): boolean =>
  functions(set).some(
    ({ name, names }) =>
      /^(?:update|modify|change|set)_|_aendern$|_senden$/.test(name) &&
      names.includes(fact) &&
      [row.plan.entity?.tool, row.scenario_dimensions["tool"], "multi_tool"].includes(row.scenario_dimensions["tool"])
  )
