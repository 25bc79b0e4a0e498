/**
 * Tells which roles the agent's own model also plays: a model that meets its own words is tested on its own habits.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { sameModel, type Identity } from "./Identity.ts"

/** Who plays; null or left out where nobody does. */
export interface Roles {
  readonly agent: Identity
  readonly writer?: Identity | null
  readonly user?: Identity | null
  readonly judge?: Identity | null
}

/** A role the agent's model also plays, and the option that names another model for it. */
export interface Match {
  readonly role: "writer" | "user" | "judge"
  readonly option: string
}

export interface Service {
  readonly detect: (roles: Roles) => ReadonlyArray<Match>
}

const options: ReadonlyArray<Match> = [
  { role: "writer", option: "simulator" },
  { role: "user", option: "userModel" },
  { role: "judge", option: "the judge's `model`" }
]

/** Compares endpoint and model (`Identity.sameModel`). */
export const make = (same: (a: Identity, b: Identity) => boolean = sameModel): Service => ({
  detect: (roles) =>
    options.filter(({ role }) => {
      const identity = roles[role]
      return identity !== undefined && identity !== null && same(roles.agent, identity)
    })
})

export class SameModelDetector extends Context.Reference<SameModelDetector>()("@sandtable/core/SameModelDetector", {
  defaultValue: (): Service => make()
}) {}

/** The default. */
export const layer: Layer.Layer<never> = Layer.succeed(SameModelDetector, make())

/** Finds nothing. */
export const layerNone: Layer.Layer<never> = Layer.succeed(SameModelDetector, { detect: () => [] })
