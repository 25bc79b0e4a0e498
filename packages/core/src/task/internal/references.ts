/**
 * References inside one schema: each must lead somewhere, and all that are not recursive are replaced by what they refer
 * to, so that whoever reads a property's type finds it there.
 */
import type { JsonSchema } from "../JsonSchema.ts"
import { type At, inside, isObject, refuseReference } from "./keywords.ts"

/** Nodes that references may add; a schema that would grow beyond keeps the rest of its references. */
const maxAdded = 4000

export const resolve = (root: JsonSchema, at: At): JsonSchema => {
  if (!check(root, root, at)) return root
  const budget = { left: maxAdded }
  const out = inline(root, root, [], budget)
  if (!isObject(out)) return root
  const { $defs, ...rest } = out
  return $defs === undefined || refersAnywhere(rest) ? out : rest
}

/** Under these stand values, not schemas; under those, names. */
const valueKeywords = new Set(["default", "const", "enum", "examples"])
const nameMaps = new Set(["properties", "patternProperties", "$defs"])

/** Reads every schema directly inside one; gives the copy. */
const mapInside = (node: JsonSchema, read: (child: unknown, step: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (valueKeywords.has(keyword)) return [keyword, value]
      if (Array.isArray(value)) return [keyword, value.map((each, i) => read(each, `.${keyword}[${i}]`))]
      if (!isObject(value)) return [keyword, value]
      if (!nameMaps.has(keyword)) return [keyword, read(value, `.${keyword}`)]
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, read(each, `.${name}`)]))]
    })
  )

/** Whether there are references at all; those that lead nowhere become problems. */
const check = (root: JsonSchema, node: JsonSchema, at: At): boolean => {
  let found = typeof node.$ref === "string"
  if (typeof node.$ref === "string" && pointed(root, node.$ref) === undefined) refuseReference(node.$ref, at)
  mapInside(node, (child, step) => {
    if (isObject(child) && check(root, child, inside(at, step))) found = true
    return child
  })
  return found
}

const inline = (root: JsonSchema, node: unknown, open: ReadonlyArray<string>, budget: { left: number }): unknown => {
  if (!isObject(node)) return node
  if (open.length > 0) budget.left -= 1
  const { $ref, ...rest } = node
  if (typeof $ref === "string" && !open.includes($ref) && budget.left > 0) {
    const target = pointed(root, $ref)
    // the root around itself is recursion by another name
    if (isObject(target) && target !== root) {
      const read = inline(root, { ...target, ...rest }, [...open, $ref], budget)
      return read
    }
  }
  return mapInside(node, (child) => inline(root, child, open, budget))
}

const refersAnywhere = (node: JsonSchema): boolean => {
  let found = typeof node.$ref === "string"
  mapInside(node, (child) => {
    if (isObject(child) && refersAnywhere(child)) found = true
    return child
  })
  return found
}

const pointed = (root: unknown, pointer: string): unknown => {
  if (pointer === "#" || pointer === "#/") return root
  if (!pointer.startsWith("#/")) return undefined
  let node = root
  for (const step of pointer.slice(2).split("/")) {
    const name = unescaped(step)
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined
    node = (node as Readonly<Record<string, unknown>>)[name]
  }
  return node
}

/** A step of a JSON Pointer in a URI fragment (RFC 6901). */
const unescaped = (step: string): string => {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~")
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
