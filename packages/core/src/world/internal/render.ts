/**
 * Records as a tool's result: in the shape the tool declares, valid against its schema, else as they are.
 */
import * as English from "../../language/English.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as FieldCheck from "./fieldCheck.ts"
import { freeze, get, isRecord, withFields, type JsonObject } from "./records.ts"
import * as ResultShapes from "./resultShapes.ts"
import * as SchemaCheck from "./schemaCheck.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity, TaskWorld } from "./taskWorld.ts"

export interface Renderer {
  /** One record as the tool's result; `extra` is laid over it where the shape allows. */
  readonly one: (taskWorld: TaskWorld, plan: ToolPlan, entity: Entity, extra?: JsonObject) => unknown
  readonly many: (taskWorld: TaskWorld, plan: ToolPlan, entities: ReadonlyArray<Entity>, extra: JsonObject) => unknown
  /** A result that no record stands behind. */
  readonly loose: (taskWorld: TaskWorld, plan: ToolPlan, name: string, fields: JsonObject) => unknown
}

/** No fields are laid over a result. */
export const nothing: JsonObject = Object.freeze({})

/** So many draws are tried before only what a schema requires is given. */
const attempts = 6

export const make = (): Renderer => {
  const fits = FieldCheck.remembering()
  const validators = new Map<string, (value: unknown) => boolean>()
  const valid = (plan: ToolPlan): ((value: unknown) => boolean) => {
    const known = validators.get(plan.tool.name)
    if (known !== undefined) return known
    const made = (plan.tool.output === undefined ? null : SchemaCheck.of(plan.tool.output)) ?? (() => true)
    validators.set(plan.tool.name, made)
    return made
  }
  const shaped = (
    taskWorld: TaskWorld,
    plan: ToolPlan,
    entities: ReadonlyArray<Entity>,
    extra: JsonObject,
    name: string
  ): unknown => {
    const { shape, type } = plan
    const [first] = entities
    const subject = taskWorld.subject(type.noun, first?.id ?? name)
    if (shape._tag === "Examples") {
      const whole = shape.pick(subject.key)
      if (!shape.place.found) return whole
      const records = entities.map((entity) => withFields(taskWorld.record(entity), Object.entries(extra)))
      return ResultShapes.counted(
        ResultShapes.put(whole, shape.place, shape.place.many ? records : (records[0] ?? whole)),
        records.length
      )
    }
    if (shape._tag === "None") return null
    const check = valid(plan)
    const made = (attempt: number, known: boolean, lean: boolean): unknown => {
      const record = (entity: Entity): unknown => {
        const fields = withFields(taskWorld.record(entity), Object.entries(extra))
        return shape.record(taskWorld.subject(entity.noun, entity.id), {
          attempt,
          lean,
          ...(known ? { known: knownIn(fields, fits) } : {})
        })
      }
      const root = taskWorld.subject(type.noun, first?.id ?? name)
      if (!shape.place.found)
        return plan.subject.tail === "id" && first !== undefined && attempt === 0
          ? first.id
          : shape.whole(root, { attempt, lean })
      if (shape.place.path.length === 0)
        return shape.place.many
          ? entities.map(record)
          : first === undefined
            ? shape.whole(root, { attempt, lean, known: knownIn(extra, fits) })
            : record(first)
      const whole = shape.whole(root, { attempt, lean })
      const put = ResultShapes.put(
        whole,
        shape.place,
        shape.place.many
          ? entities.map(record)
          : first === undefined
            ? get(isRecord(whole) ? whole : {}, shape.place.path[0] ?? "")
            : record(first)
      )
      return shape.place.many ? ResultShapes.counted(put, entities.length) : put
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      const value = made(attempt, true, attempt > attempts / 2)
      if (check(value)) return value
    }
    for (let attempt = 0; attempt < attempts; attempt++) {
      const value = shape.whole(subject, { attempt, lean: attempt > 0 })
      if (check(value)) return value
    }
    return made(0, true, false)
  }

  const declared = (plan: ToolPlan): boolean => plan.shape._tag !== "None"

  return {
    one: (taskWorld, plan, entity, extra = nothing) => {
      if (!declared(plan)) {
        const record = taskWorld.record(entity)
        return extra === nothing ? record : freeze(withFields(record, Object.entries(extra)))
      }
      const make = (): unknown => freeze(shaped(taskWorld, plan, [entity], extra, ""))
      return extra === nothing ? taskWorld.result(entity, plan.tool.name, make) : make()
    },
    many: (taskWorld, plan, entities, extra) =>
      freeze(
        declared(plan)
          ? shaped(taskWorld, plan, entities, extra, plan.tool.name)
          : withFields({}, [
              [English.plural(plan.type.noun), entities.map((entity) => brief(taskWorld.record(entity)))],
              ["count", entities.length]
            ])
      ),
    loose: (taskWorld, plan, name, fields) =>
      freeze(declared(plan) ? shaped(taskWorld, plan, [], fields, name) : fields)
  }
}

/** A field of the record where it is of the declared type; a status where the schema has other words for it, by them. */
const knownIn =
  (fields: JsonObject, fits: typeof FieldCheck.of) =>
  (name: string, schema: JsonSchema): unknown => {
    const value = get(fields, name)
    if (value === undefined) return undefined
    if (fits(schema)(value)) return value
    return typeof value === "string" ? similar(value, schema) : undefined
  }

/** The enumerated word that begins as the value does: `CANCELED` for "cancelled". */
const similar = (value: string, schema: JsonSchema): unknown => {
  const values = schema["enum"]
  if (!Array.isArray(values)) return undefined
  const words = value.toLowerCase().split(/[\s_-]+/)
  const begins = (text: unknown, word: string): boolean =>
    typeof text === "string" &&
    text
      .toLowerCase()
      .replace(/[^a-z]/g, "")
      .includes(word.slice(0, 5))
  return words.map((word) => values.find((one) => begins(one, word))).find((one) => one !== undefined)
}

/** What a list shows of a record: no lists inside it. */
const brief = (record: JsonObject): JsonObject =>
  withFields(
    {},
    Object.entries(record).filter(([, value]) => !Array.isArray(value))
  )
