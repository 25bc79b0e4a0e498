/**
 * References inside one schema: each must lead somewhere, and all that are not recursive are replaced by what they refer
 * to, so that whoever reads a property's type finds it there.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { type At, inside, isObject, refuseReference } from "./keywords.ts"
import { describing, mapInside, pointed } from "./schemaTree.ts"

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

/** Whether there are references at all; those that lead nowhere become problems. */
const check = (root: JsonSchema, node: JsonSchema, at: At): boolean => {
  let found = typeof node.$ref === "string"
  if (typeof node.$ref === "string" && pointed(root, node.$ref) === undefined) refuseReference(node.$ref, at)
  mapInside(node, (child, step) => {
    if (isObject(child) && check(root, child, inside(at, spoken(node, step)))) found = true
    return child
  })
  return found
}

/** `.name` of a property, `.anyOf[0]`, `.items`. */
const spoken = (node: JsonSchema, step: string): string => {
  const [, keyword = "", member] = step.split("/")
  return member === undefined ? `.${keyword}` : Array.isArray(node[keyword]) ? `.${keyword}[${member}]` : `.${member}`
}

const inline = (root: JsonSchema, node: unknown, open: ReadonlyArray<string>, budget: { left: number }): unknown => {
  if (!isObject(node)) return node
  if (open.length > 0) budget.left -= 1
  const { $ref, ...rest } = node
  if (typeof $ref === "string" && !open.includes($ref) && budget.left > 0) {
    const target = pointed(root, $ref)
    // the root around itself is recursion by another name
    if (isObject(target) && target !== root) {
      return inline(root, beside(rest, target), [...open, $ref], budget)
    }
  }
  return mapInside(node, (child) => inline(root, child, open, budget))
}

/** What stands beside a reference and only describes takes the place of what the target says; the rest holds as well. */
const beside = (own: JsonSchema, target: JsonSchema): JsonSchema => {
  if (Object.keys(own).every((keyword) => describing.has(keyword))) return { ...target, ...own }
  return { ...own, allOf: [...(Array.isArray(own.allOf) ? own.allOf : []), target] }
}

const refersAnywhere = (node: JsonSchema): boolean => {
  let found = typeof node.$ref === "string"
  mapInside(node, (child) => {
    if (isObject(child) && refersAnywhere(child)) found = true
    return child
  })
  return found
}
