/**
 * Compiles JSON Schemas with ajv. The library is loaded when a schema is first compiled, and at once: a run that checks
 * nothing does not pay for it, and whoever checks need not wait.
 */
import type * as Draft07 from "ajv"
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv"
import type * as Draft201909 from "ajv/dist/2019.js"
import type * as Draft202012 from "ajv/dist/2020.js"
import type * as AddFormats from "ajv-formats"
import { type Draft, draftOf, namedDraft } from "./draft.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as AjvSchema from "./ajvSchema.ts"

export type Validate = ValidateFunction
export type Problem = ErrorObject

/** The formats that are held to: those whose breach is beyond doubt, or all that are known. */
export type Formats = "sure" | "all"

/**
 * Throws for what is no schema or refers to what is not in it: nothing is ever fetched. A schema that names a draft since
 * 2019-09 means by a format no more than a description of the sure ones.
 */
export const compile = (schema: JsonSchema, formats: Formats): Validate => {
  const draft = draftOf(schema)
  const named = namedDraft(schema)
  const held = formats === "sure" && named !== undefined && named !== "draft-07" ? "none" : formats
  const own = AjvSchema.of(schema, draft)
  return (apart.test(JSON.stringify(own)) ? make(draft, held, true) : shared(draft, held)).compile(own)
}

/**
 * Names in a schema are known to all schemas of one ajv, and two may use one name; the schemas of JSON Schema itself take
 * their time to be read.
 */
const apart = /"\$(?:id|anchor|dynamicAnchor|recursiveAnchor)":|"\$ref":"https?:\/\/json-schema\.org/

type Held = Formats | "none"

/** An ajv keeps whatever it compiled: after so many schemas another takes its place. */
const mostCompiled = 500
const instances = new Map<string, { readonly ajv: Ajv; left: number }>()

const shared = (draft: Draft, formats: Held): Ajv => {
  const key = `${draft} ${formats}`
  let known = instances.get(key)
  if (known === undefined || known.left === 0) {
    known = { ajv: make(draft, formats, false), left: mostCompiled }
    instances.set(key, known)
  }
  known.left -= 1
  return known.ajv
}

const make = (draft: Draft, formats: Held, meta: boolean): Ajv => {
  const options: Options = {
    strict: false,
    logger: false,
    validateSchema: false,
    meta,
    verbose: true,
    // what is found on a prototype was given by nobody
    ownProperties: true,
    ignoreKeywordsWithRef: draft === "draft-07",
    validateFormats: formats !== "none",
    formats: formats === "sure" ? sureFormats : {}
  }
  const Checker = checkerOf(draft)
  const ajv = new Checker(options)
  ajv
    .removeKeyword("multipleOf")
    .addKeyword({ keyword: "multipleOf", type: "number", validate: isMultiple, errors: false })
  if (formats === "all") (library("ajv-formats") as typeof AddFormats).default.default(ajv)
  return ajv
}

/** The class for a draft. It has a name of its own since the compiler drops the parentheses of `new (library(name) as Type).Class()`. */
const checkerOf = (draft: Draft): new (options: Options) => Ajv => {
  if (draft === "2020-12") return (library("ajv/dist/2020.js") as typeof Draft202012).Ajv2020
  if (draft === "2019-09") return (library("ajv/dist/2019.js") as typeof Draft201909).Ajv2019
  return (library("ajv") as typeof Draft07).Ajv
}

/** 0.3 is a multiple of 0.1. */
const isMultiple = (unit: number, value: number): boolean => {
  const times = value / unit
  return Number.isFinite(times) && Math.abs(times - Math.round(times)) <= 1e-9
}

const sureFormats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  "date-time": /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
}

interface Runtime {
  readonly getBuiltinModule?: (name: string) => { createRequire(from: string): (module: string) => unknown } | undefined
}

/** A module of the library, on Node, Deno or Bun, without importing what other platforms do not have. */
const library = (name: string): unknown => {
  if (found === undefined) {
    const runtime = (globalThis as { readonly process?: Runtime }).process
    found = runtime?.getBuiltinModule?.("node:module")?.createRequire(import.meta.url)
    if (found === undefined) {
      throw new Error(
        "Arguments are checked by the package ajv, which this platform cannot load: run on Node 20 or later."
      )
    }
  }
  return found(name)
}
let found: ((module: string) => unknown) | undefined
