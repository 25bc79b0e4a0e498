/**
 * The mock's step: a world and a call in, the next world and the answer out.
 */
import * as JsonForm from "../JsonForm.ts"
import type { Call } from "../World.ts"
import { compute } from "./computing.ts"
import * as Failures from "./failures.ts"
import * as Reads from "./reads.ts"
import { freeze, type JsonObject } from "./records.ts"
import { ok, type Step } from "./steps.ts"
import type * as Store from "./store.ts"
import * as Writes from "./writes.ts"

export const step = (world: Store.World, call: Call): Step => {
  const { run } = world.taskWorld
  const plan = run.tools.get(call.tool)
  if (plan === undefined) {
    return [
      world,
      Failures.failure(
        "error",
        `There is no tool ${JSON.stringify(call.tool)}; the tools are: ${[...run.tools.keys()].join(", ")}.`,
        0
      )
    ]
  }
  const problem = plan.check(call.arguments)
  if (problem !== null) return [world, Failures.invalid(plan, problem)]
  // Writes keep what they were given: as a copy, since the caller's object is the caller's.
  const args = plan.writes ? freeze(JsonForm.of(call.arguments) as JsonObject) : call.arguments
  switch (plan.mode) {
    case "get":
      return Reads.byId(world, plan, args)
    case "lookup":
      return Reads.lookup(world, plan, args)
    case "list":
      return Reads.list(world, plan, args)
    case "create":
      return Writes.create(world, plan, args)
    case "update":
    case "act":
      return Writes.update(world, plan, args)
    case "remove":
      return Writes.remove(world, plan, args)
    case "compute": {
      const worked = compute(plan, args, world.taskWorld.key)
      return "problem" in worked
        ? [world, Failures.invalid(plan, worked.problem)]
        : [world, ok(plan, world.taskWorld.renderer.loose(world.taskWorld, plan, JSON.stringify(args), worked.fields))]
    }
    case "note":
      return [world, ok(plan, world.taskWorld.renderer.loose(world.taskWorld, plan, "note", { noted: true }))]
  }
}
