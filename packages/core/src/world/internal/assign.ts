/**
 * Where a given value belongs in a record: the field of that name, a field of that name one level down (a city inside
 * an address), or a new field.
 */
import { get, isRecord, withFields, type JsonObject } from "./records.ts"

/** The record's fields that change when these are set. */
export const assign = (record: JsonObject, given: Iterable<readonly [string, unknown]>): JsonObject => {
  let changed: JsonObject = {}
  for (const [name, value] of given) {
    const now = (field: string): unknown => get(changed, field) ?? get(record, field)
    if (!Object.hasOwn(record, name)) {
      const holders = Object.keys(record).filter((field) => {
        const inner = now(field)
        return isRecord(inner) && Object.hasOwn(inner, name)
      })
      const [holder] = holders
      const inner = holder === undefined ? undefined : now(holder)
      if (holders.length === 1 && holder !== undefined && isRecord(inner)) {
        changed = withFields(changed, [[holder, withFields(inner, [[name, value]])]])
        continue
      }
    }
    changed = withFields(changed, [[name, value]])
  }
  return changed
}

/** The value of a field, or of the field of that name one level down. */
export const find = (record: JsonObject, name: string): unknown => {
  if (Object.hasOwn(record, name)) return record[name]
  for (const field of Object.keys(record)) {
    const inner = record[field]
    if (isRecord(inner) && Object.hasOwn(inner, name)) return inner[name]
  }
  return undefined
}
