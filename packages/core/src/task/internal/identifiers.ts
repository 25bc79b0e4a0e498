/**
 * Identifiers inside one schema (`$id`, `$anchor`) taken out: every reference is a JSON Pointer from the root, so that
 * nothing that reads the schema has to know of base addresses. A reference to another document stays as it is.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import type { Draft } from "./draft.ts"
import { isPlain, mapInside } from "./schemaTree.ts"

/**
 * A reference that leads to several places, by who follows it (`$dynamicRef` to a name that is given twice), leaves the
 * schema as it is; so does a schema that holds itself.
 */
export const localise = (root: JsonSchema, draft: Draft): JsonSchema => {
  const found: Found = { resources: new Map(), anchors: new Map(), dynamic: [], open: new Set(), whole: true }
  const start: Place = { base: nowhere, pointer: "#", draft }
  const base = locate(root, start, found)
  const named = found.resources.size > 1 || found.anchors.size > 0 || found.dynamic.length > 0 || base !== nowhere
  const settled = new Set(found.dynamic).size === found.dynamic.length
  return named && settled && found.whole ? rewritten(root, start, found) : root
}

/** The address of a schema that has none. */
const nowhere = "https://schema.invalid/"

interface Found {
  /** Pointers by address. */
  readonly resources: Map<string, string>
  /** Pointers by address and name. */
  readonly anchors: Map<string, string>
  /** Names that may be given in several places, as often as they are. */
  readonly dynamic: Array<string>
  /** Schemas around the one that is read. */
  readonly open: Set<JsonSchema>
  /** False when the schema holds itself. */
  whole: boolean
}

/** Stands for the one name of 2019-09, which has no other. */
const recursive = "#"

interface Place {
  readonly base: string
  readonly pointer: string
  readonly draft: Draft
}

/** Notes what has a name; gives the address of the schema itself. */
const locate = (node: JsonSchema, at: Place, found: Found): string => {
  const { address, anchors } = namesOf(node, at)
  if (at.pointer === "#" || address !== at.base) found.resources.set(address, at.pointer)
  for (const anchor of anchors) found.anchors.set(`${address}#${anchor}`, at.pointer)
  if (typeof node.$dynamicAnchor === "string") found.dynamic.push(node.$dynamicAnchor)
  if (node.$recursiveAnchor === true) found.dynamic.push(recursive)
  found.open.add(node)
  mapInside(node, (child, step) => {
    if (isPlain(child) && found.open.has(child)) found.whole = false
    else if (isPlain(child)) locate(child, inside(at, address, step), found)
    return child
  })
  found.open.delete(node)
  return address
}

const inside = (at: Place, base: string, step: string): Place => ({
  ...at,
  base,
  pointer: `${at.pointer}${step}`
})

const namesOf = (
  node: JsonSchema,
  { base, draft }: Place
): { readonly address: string; readonly anchors: ReadonlyArray<string> } => {
  const { $anchor, $dynamicAnchor, $id, $ref } = node
  const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === "string")
  // Up to draft-07 nothing beside a reference counts, and an identifier that is a fragment is a name.
  if (typeof $id !== "string" || (draft === "draft-07" && $ref !== undefined)) return { address: base, anchors }
  if ($id.startsWith("#")) return { address: base, anchors: [...anchors, $id.slice(1)] }
  return { address: resolved($id, base).document, anchors }
}

const rewritten = (node: JsonSchema, at: Place, found: Found): JsonSchema => {
  const { address } = namesOf(node, at)
  const {
    $anchor: _a,
    $dynamicAnchor: _d,
    $dynamicRef,
    $id: _i,
    $recursiveAnchor: _r,
    $recursiveRef,
    ...rest
  } = mapInside(node, (child, step) => (isPlain(child) ? rewritten(child, inside(at, address, step), found) : child))
  const refs = [rest.$ref, $dynamicRef, $recursiveRef].filter((ref) => typeof ref === "string")
  const [only, ...more] = refs.map((ref) => ({ $ref: pointerOf(ref, address, found) ?? ref }))
  if (more.length === 0) return { ...rest, ...only }
  return { ...rest, ...only, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), ...more] }
}

const pointerOf = (ref: string, base: string, { anchors, resources }: Found): string | undefined => {
  const { document, fragment } = resolved(ref, base)
  const pointer = resources.get(document)
  if (fragment !== "" && !fragment.startsWith("/")) return anchors.get(`${document}#${fragment}`)
  return pointer === undefined ? undefined : `${pointer}${fragment}`
}

const resolved = (ref: string, base: string): { readonly document: string; readonly fragment: string } => {
  let whole = ref
  try {
    whole = new URL(ref, base).href
  } catch {
    // an address that cannot be resolved stands for itself
  }
  const hash = whole.indexOf("#")
  return hash < 0
    ? { document: whole, fragment: "" }
    : { document: whole.slice(0, hash), fragment: whole.slice(hash + 1) }
}
