/** Layers of functions that need services: they say so, take them when they are built, and hide no missing one. */
import { describe, expect, it } from "@effect/vitest"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { CurrentWorld } from "@sandtable/core/Agent"
import * as Embedder from "@sandtable/core/Embedder"
import * as ExecuteWorld from "@sandtable/core/ExecuteWorld"
import * as Grader from "@sandtable/core/Grader"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import * as Simulation from "@sandtable/core/Simulation"
import * as SituationWriter from "@sandtable/core/SituationWriter"
import { RecordingWorld } from "@sandtable/core/testing"
import * as Verifier from "@sandtable/core/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A service of the caller's program. */
class Orders extends Context.Tag("Orders")<Orders, { readonly find: (id: string) => string | null }>() {}
const orders = (shop: string) => Layer.succeed(Orders, { find: (id) => (id === "A1001" ? `shipped by ${shop}` : null) })

const find = (_tool: string, args: Readonly<Record<string, unknown>>) =>
  Effect.map(Orders, ({ find }) => ({ order: find(String(args["order_id"])) }))

const isKnown = () => Effect.map(Orders, ({ find }) => find("A1001") !== null)

const options = {
  tools: [{ name: "get_order", description: "Get an order", parameters: { order_id: { type: "string" } } }],
  simulator: false,
  repeats: 1,
  faultRate: 0,
  reproducible: true,
  budget: 4
} as const

/** Says what the world answered. */
const agent = AgentBackend.layerFunction(
  () =>
    Effect.flatMap(CurrentWorld, (world) =>
      Effect.map(world.call("get_order", { order_id: "A1001" }), (answer) => JSON.stringify(answer))
    ),
  { name: "asker" }
)

const world = ExecuteWorld.layer(find)
const grader = Grader.layer({ name: "known", grade: isKnown })
const simulated = Effect.provide(Simulation.simulate(options), agent)

describe("a layer of a function that needs a service", () => {
  it("does not compile without it", () => {
    const played = simulated.pipe(Effect.provide(world), Effect.provide(grader))
    // @ts-expect-error Orders is missing
    const runnable: Effect.Effect<unknown, unknown> = played
    const given: Effect.Effect<unknown, unknown> = Effect.provide(played, orders("Here"))

    // @ts-expect-error a world that needs Orders is no layer without needs
    const bare: Layer.Layer<never> = world
    const whole: Layer.Layer<never> = Layer.provide(world, orders("Here"))

    // @ts-expect-error a service has no needs: there is makeEffect
    const service = () => Grader.make({ name: "known", grade: isKnown })
    // @ts-expect-error nor has a kind of world: there is kindEffect
    const kind = () => ExecuteWorld.kind(find)
    // @ts-expect-error nor has what an option gives: there are layers
    const option = () => Simulation.simulate({ ...options, execute: find })
    // @ts-expect-error nor has a pass, or a verifier
    const pass = () => ScoringPass.grade([], isKnown)
    // @ts-expect-error nor has a pass, or a verifier
    const verifier = () => Verifier.make({ name: "known", verify: isKnown })
    const all = [runnable, given, bare, whole, service, kind, option, pass, verifier]
    expect(all.every((each) => each !== undefined)).toBe(true)
  })

  it.effect("works with it, provided to the program", () =>
    Effect.gen(function* () {
      const { rows } = yield* simulated.pipe(
        Effect.provide(world),
        Effect.provide(grader),
        Effect.provide(orders("Here"))
      )
      expect(rows).toHaveLength(4)
      for (const row of rows) {
        expect(row).toMatchObject({ reward: 1, judge_name: "known", final_text: '{"order":"shipped by Here"}' })
      }
    })
  )

  it.effect("works with it, provided to the layer, whatever else of its kind stands around the program", () =>
    Effect.gen(function* () {
      const { rows } = yield* simulated.pipe(
        Effect.provide(Layer.provide(Layer.mergeAll(world, grader), orders("There"))),
        Effect.provide(orders("Elsewhere"))
      )
      expect(rows).toHaveLength(4)
      for (const row of rows) expect(row).toMatchObject({ reward: 1, final_text: '{"order":"shipped by There"}' })
    })
  )

  it.effect("holds for every part of a world, and for one that is recorded", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const note = (what: string) => Effect.map(Orders, ({ find }) => void log.push(`${what}: ${find("A1001")}`))
      const whole = ExecuteWorld.perRollout({
        open: () => Effect.as(note("open"), { calls: 0 }),
        call: (opened, tool, args) => Effect.tap(find(tool, args), () => void (opened.calls += 1)),
        close: ({ calls }) => note(`close after ${calls}`),
        state: () => Effect.map(Orders, ({ find }) => ({ last: find("A1001") }))
      })
      const states: Array<unknown> = []
      const recorded = RecordingWorld.layer(ExecuteWorld.kindEffect(whole))
      const calls = yield* Effect.zipRight(simulated, RecordingWorld.calls).pipe(
        Effect.provide(Layer.provide(recorded, orders("There"))),
        Effect.provide(Grader.layer((_row, { outcome }) => states.push(outcome?.state) > 0))
      )
      expect(calls).toHaveLength(4)
      expect(states).toEqual(calls.map(() => ({ last: "shipped by There" })))
      expect(log.filter((line) => line === "open: shipped by There")).toHaveLength(4)
      expect(log.filter((line) => line === "close after 1: shipped by There")).toHaveLength(4)
    })
  )

  it.effect("holds for writers, embedders, verifiers and graders of a pass", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const shop = Effect.map(Orders, ({ find }) => void seen.push(String(find("A1001"))))
      const writer = SituationWriter.layer((slots) =>
        Effect.as(
          shop,
          slots.map((slot, i) => ({ slot, text: `Where is my order number ${i}, please?` }))
        )
      )
      const embedder = Embedder.layerDense({ name: "lengths" }, (texts) =>
        Effect.as(
          shop,
          texts.map((text) => [text.length, 1])
        )
      )
      const data = yield* Simulation.simulate({ tools: options.tools, budget: 2, repeats: 1 }).pipe(
        Effect.provide(Layer.mergeAll(agent, Layer.provide(Layer.merge(writer, embedder), orders("There"))))
      )
      expect(data.rows[0]?.prompt).toContain("order number")
      expect(new Set(seen)).toEqual(new Set(["shipped by There"]))

      const judges = [
        yield* Grader.makeEffect(isKnown).pipe(Effect.provide(orders("Here"))),
        yield* Verifier.makeEffect({ name: "known", verify: isKnown }).pipe(Effect.provide(orders("Here")))
      ]
      for (const judge of judges) {
        const { rows } = yield* ScoringPass.grade(data.rows, judge, { references: () => "A1001" })
        expect(rows.map(({ reward }) => reward)).toEqual(data.rows.map(() => 1))
      }
    })
  )
})

describe("the agent of a layer", () => {
  const asked = Simulation.rehearse(options)

  it("is in the type of a rehearsal", () => {
    // @ts-expect-error nobody plays the agent
    const program: Effect.Effect<unknown, unknown> = asked
    // @ts-expect-error an agent among the options would not be the one of the layer
    const named = () => Simulation.rehearse({ ...options, agent: () => "ok" })
    expect([Effect.isEffect(program), typeof named]).toEqual([true, "function"])
  })

  it.effect("plays it", () =>
    Effect.gen(function* () {
      const { rows } = yield* Effect.provide(
        asked,
        AgentBackend.layerFunction(() => Effect.succeed("From the layer."))
      )
      expect(rows.map(({ final_text }) => final_text)).toEqual(Array.from({ length: 4 }, () => "From the layer."))
    })
  )

  it.effect("is missed in one clear error where a layer of the options holds none", () =>
    Effect.gen(function* () {
      const empty = Layer.empty as unknown as Layer.Layer<AgentBackend.AgentBackend>
      const error = yield* Effect.flip(Simulation.simulate({ ...options, agent: empty }))
      expect(error.message).toContain("gives a layer that holds no agent")
    })
  )
})

describe("what a service says it can", () => {
  const asks = (name: string, deterministic: boolean): SituationWriter.Service => ({
    identity: { name },
    deterministic,
    write: (slots) =>
      Effect.succeed(
        slots.map((slot) => ({
          slot,
          text: `Where is order ${slot.cell.id}, ${slot.visit}, ${slot.attempt}?`,
          shown: {},
          need: null,
          facts: {},
          entity: null,
          writer: name
        }))
      )
  })

  it.effect("decides whether a preview shows its asks, whatever it is called", () =>
    Effect.gen(function* () {
      const shown = (simulator: SituationWriter.Service) =>
        Effect.map(Simulation.preview({ ...options, agent: () => "ok", simulator }), ({ asks, calls }) => [
          asks.length > 0,
          calls.writer > 0
        ])
      expect(yield* shown(asks("mine", true))).toEqual([true, false])
      expect(yield* shown(asks("template", false))).toEqual([false, true])
    })
  )
})

describe("a world that dies", () => {
  it.effect("loses the rollout and tells why, and no conduct is praised", () =>
    Effect.gen(function* () {
      const dying = ExecuteWorld.layer(() => Effect.die(new TypeError("orders is undefined")))
      const told: Array<string> = []
      const failure = yield* Simulation.simulate({
        ...options,
        onEvent: (event) => event._tag === "RolloutLost" && told.push(event.detail)
      }).pipe(Effect.provide(Layer.mergeAll(agent, dying, Grader.layerConduct)), Effect.flip)
      expect(failure._tag).toBe("RunFailed")
      if (failure._tag !== "RunFailed") return
      expect(failure.data.rows).toEqual([])
      expect(failure.data.lost.length).toBeGreaterThan(0)
      for (const lost of failure.data.lost) expect(lost).toMatchObject({ reason: "world_error" })
      expect(told[0]).toBe("The world broke: it died answering get_order: orders is undefined")
    })
  )

  it.effect("of what it is called with loses that rollout alone", () =>
    Effect.gen(function* () {
      let calls = 0
      const { lost, rows } = yield* simulated.pipe(
        Effect.provide(ExecuteWorld.layer(() => (++calls === 2 ? Effect.die("bug") : Effect.succeed({ calls }))))
      )
      expect(rows).toHaveLength(4)
      expect(lost.map(({ reason }) => reason)).toEqual(["world_error"])
    })
  )
})
