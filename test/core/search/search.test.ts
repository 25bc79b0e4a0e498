import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Search from "@sandtable/core/Search"
import { countBy, inputOf, plainWriter, play } from "./support.ts"

describe("counts", () => {
  it("gives exactly S x n x k rows for S situations and stops", () => {
    const { rolls, state, stops } = play(
      inputOf({ situations: 7, phrasings: 3, repeats: 4, repeatPolicy: "fixed", budget: 1000 })
    )
    expect(rolls).toHaveLength(7 * 3 * 4)
    expect(stops).toEqual(["situations_exhausted"])
    expect(state.landed).toBe(84)
    expect(new Set(rolls.map(({ task }) => task.scenarioId)).size).toBe(7)
    expect(new Set(rolls.map(({ task }) => task.prompt)).size).toBe(21)
  })

  it("never passes the budget, and spends all of it", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({
          budget: FastCheck.integer({ min: 1, max: 60 }),
          repeats: FastCheck.integer({ min: 1, max: 6 }),
          phrasings: FastCheck.integer({ min: 1, max: 3 }),
          seeds: FastCheck.integer({ min: 0, max: 5 }),
          batch: FastCheck.integer({ min: 1, max: 12 }),
          repeatPolicy: FastCheck.constantFrom(...(["none", "fixed", "successive", "adaptive"] as const)),
          split: FastCheck.boolean()
        }),
        ({ batch, seeds, split, ...options }) => {
          const asks = Array.from({ length: seeds }, (_, i) => `seed ${i}`)
          const input = inputOf({ ...options, ...(seeds > 0 ? { seeds: asks } : {}) })
          const { rolls, state } = play(
            input,
            { digest: (task, index) => ({ signature: split ? `${task.id}${index % 2}` : "one" }) },
            batch
          )
          expect(state.landed).toBe(options.budget)
          expect(rolls).toHaveLength(options.budget)
          const perTask = countBy(rolls, ({ task }) => task.id)
          for (const count of Object.values(perTask)) expect(count).toBeLessThanOrEqual(options.repeats)
        }
      ),
      { numRuns: 60 }
    )
  })

  it("leaves a state as it was when it steps it, so that it can be gone on from again", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.record({
          budget: FastCheck.integer({ min: 1, max: 40 }),
          repeats: FastCheck.integer({ min: 1, max: 4 }),
          phrasings: FastCheck.integer({ min: 1, max: 2 }),
          seeds: FastCheck.integer({ min: 0, max: 2 }),
          runs: FastCheck.integer({ min: 1, max: 2 }),
          repeatPolicy: FastCheck.constantFrom(...(["fixed", "successive", "adaptive"] as const)),
          judged: FastCheck.boolean(),
          again: FastCheck.nat()
        }),
        ({ again, judged, seeds, ...options }) => {
          const given = seeds === 0 ? {} : { seeds: Array.from({ length: seeds }, (_, i) => `seed ${i}`) }
          const input = inputOf({ ...options, ...given, ...(judged ? { grader: () => 1 } : {}) }, { judged })
          const { history, state } = play(input, {
            digest: (task, index) => ({ signature: `${index % 2}`, worldFault: task.faults.length > 0 }),
            lose: (_, index, attempt) => (index === 1 && attempt === 0 ? "agent_error" : undefined),
            reward: (_, index) => index % 2
          })
          const follow = (from: Search.State, events: typeof history): Array<Search.State> => {
            const states = [from]
            for (const [event, commands] of events) {
              const [next, asked] = Search.step(states.at(-1) as Search.State, event)
              expect(asked).toEqual(commands)
              states.push(next)
            }
            return states
          }
          const plain = ({ coverage, ...rest }: Search.State) => ({ ...rest, coverage: coverage.report() })
          const states = follow(Search.start(input), history)
          const turn = again % states.length
          const last = follow(states[turn] as Search.State, history.slice(turn)).at(-1)
          expect(plain(last as Search.State)).toEqual(plain(states.at(-1) as Search.State))
          expect(Search.report([last as Search.State])).toEqual(Search.report([state]))
        }
      ),
      { numRuns: 40 }
    )
  })
})

describe("seeds", () => {
  const ten = Array.from({ length: 10 }, (_, i) => `seed number ${i}`)

  it("runs every seed the budget pays for, k rows each, and names the others", () => {
    const { rolls, state } = play(inputOf({ seeds: ten, repeats: 4, repeatPolicy: "fixed", budget: 20 }))
    expect(countBy(rolls, ({ task }) => task.prompt)).toEqual(Object.fromEntries(ten.slice(0, 5).map((s) => [s, 4])))
    expect(Search.report([state]).seeds_dropped).toEqual(ten.slice(5))
  })

  it("raises situations to the number of seeds", () => {
    const { rolls, stops } = play(inputOf({ seeds: ten, situations: 3, repeats: 1, budget: 100 }))
    expect(new Set(rolls.map(({ task }) => task.prompt))).toEqual(new Set(ten))
    expect(stops).toEqual(["situations_exhausted"])
  })

  it("gives only seeds when the budget is seeds x k, under any policy that runs all k", () => {
    for (const repeatPolicy of ["fixed", "none"] as const) {
      const { rolls } = play(inputOf({ seeds: ten, repeats: 3, repeatPolicy, budget: 30 }))
      expect(new Set(rolls.map(({ task }) => task.arm))).toEqual(new Set(["seed"]))
      expect(rolls).toHaveLength(30)
    }
  })

  it("keeps k rows for each seed when the policy begins with fewer", () => {
    const { rolls } = play(inputOf({ seeds: ten, repeats: 4, repeatPolicy: "successive", budget: 40 }), {
      digest: (task, index) => ({ signature: task.writer === "seed" ? `${index % 2}` : "one" })
    })
    expect(countBy(rolls, ({ task }) => task.prompt)).toEqual(Object.fromEntries(ten.map((s) => [s, 4])))
  })

  it("runs equal seeds both, under ids of their own", () => {
    const { rolls } = play(inputOf({ seeds: ["same", "same"], repeats: 2, repeatPolicy: "fixed", budget: 4 }))
    expect(Object.values(countBy(rolls, ({ task }) => task.id))).toEqual([2, 2])
  })

  it("runs a seed under no fault and with the coordinates it was given", () => {
    const { rolls } = play(
      inputOf({ seeds: [{ prompt: "hi", tier: "boundary", dimensions: { history: "fresh" } }], budget: 1 })
    )
    expect(rolls[0]?.task).toMatchObject({
      tier: "boundary",
      dimensions: { history: "fresh" },
      faults: [],
      writer: "seed"
    })
  })

  it("keeps at least one seed when the budget is under k", () => {
    const { rolls, state } = play(inputOf({ seeds: ten, repeats: 8, repeatPolicy: "fixed", budget: 3 }))
    expect(rolls.map(({ task }) => task.prompt)).toEqual(["seed number 0", "seed number 0", "seed number 0"])
    expect(Search.cutGroups(state)).toEqual([{ task_id: rolls[0]?.task.id, have: 3, want: 8 }])
  })
})

describe("hardShare", () => {
  for (const situations of [20, 100]) {
    for (const hardShare of [0, 0.3, 0.5, 0.8, 1]) {
      it(`draws ${hardShare} of ${situations} within one item, the hard tiers even`, () => {
        const { state } = play(inputOf({ situations, hardShare, repeats: 1, budget: 5000 }), {
          digest: (task) => ({ worldFault: task.faults.length > 0, signature: task.id })
        })
        const { ordinary, ambiguous, boundary, adversarial } = state.tierDrawn
        const hard = ambiguous + boundary + adversarial
        expect(ordinary + hard).toBe(situations)
        expect(Math.abs(hard - hardShare * situations)).toBeLessThanOrEqual(1)
        expect(
          Math.max(ambiguous, boundary, adversarial) - Math.min(ambiguous, boundary, adversarial)
        ).toBeLessThanOrEqual(1)
        const byArm = Object.values(state.arms).reduce((sum, arm) => sum + arm.situations, 0)
        expect(byArm).toBe(situations)
      })
    }
  }
})

describe("repeats", () => {
  it("stops unanimous groups at the probe under successive and says what was saved", () => {
    const { rolls, state } = play(inputOf({ mode: "rl", situations: 12, budget: 1000 }))
    expect(Object.values(countBy(rolls, ({ task }) => task.id))).toEqual(Array.from({ length: 12 }, () => 2))
    const { groups } = Search.report([state])
    expect(groups).toMatchObject({ k: 8, probe: 2, groups: 12, mixed: 0, stopped_unanimous: 12, rollouts_saved: 72 })
  })

  it("fills split groups to k and none above", () => {
    const { rolls, state } = play(inputOf({ mode: "rl", situations: 12, budget: 1000 }), {
      digest: (_, index) => ({ signature: `behaviour ${index % 2}` })
    })
    expect(Object.values(countBy(rolls, ({ task }) => task.id))).toEqual(Array.from({ length: 12 }, () => 8))
    expect(Search.report([state]).groups).toMatchObject({ mixed: 12, complete: 12, rollouts_saved: 0, mixed_rate: 1 })
  })

  it("labels by reward when graded 0 or 1, by behaviour otherwise", () => {
    const judged = { judged: true }
    const differing = { digest: (_: unknown, index: number) => ({ signature: `${index}` }) }
    const passes = play(inputOf({ mode: "rl", situations: 4, budget: 1000, grader: () => 1 }, judged), {
      ...differing,
      reward: () => 1
    })
    expect(passes.rolls).toHaveLength(8)
    const partial = play(inputOf({ mode: "rl", situations: 4, budget: 1000, grader: () => 1 }, judged), {
      ...differing,
      reward: () => 0.5
    })
    expect(partial.rolls).toHaveLength(32)
  })

  it("re-rolls under adaptive only where something failed", () => {
    const { rolls } = play(inputOf({ mode: "adaptive", situations: 6, phrasings: 1, budget: 1000 }), {
      digest: (task) => ({ worldFault: task.faults.length > 0 })
    })
    for (const [task, count] of Object.entries(countBy(rolls, ({ task }) => task.id))) {
      const faulted = rolls.some((roll) => roll.task.id === task && roll.task.faults.length > 0)
      expect(count).toBe(faulted ? 3 : 1)
    }
  })

  it("counts a rollout cut by the length cap as done, without a label", () => {
    const { rolls } = play(inputOf({ mode: "rl", situations: 3, budget: 1000 }), {
      digest: (_, index) => ({ signature: `${index}`, truncated: true })
    })
    expect(rolls).toHaveLength(6)
  })
})

describe("losses", () => {
  it("tries a lost rollout again and ends when nothing ever comes", () => {
    const { rolls, state, stops } = play(inputOf({ budget: 100, concurrency: 4 }), { lose: () => "agent_error" })
    expect(stops).toEqual(["agent_failed"])
    expect(rolls.length).toBeLessThanOrEqual(10 + 8)
    expect(state.landed).toBe(0)
  })

  it("says empty replies when replies are empty, and stops at once when refused for good", () => {
    expect(play(inputOf({ budget: 100 }), { lose: () => "empty_reply" }).stops).toEqual(["empty_replies"])
    expect(play(inputOf({ budget: 100 }), { lose: () => "auth" }, 1).rolls).toHaveLength(1)
  })

  it("fills the budget although some rollouts are lost", () => {
    const { state, stops } = play(inputOf({ budget: 50, repeats: 2, repeatPolicy: "fixed" }), {
      lose: (_, index, attempt) => (index === 0 && attempt === 0 ? "agent_error" : undefined)
    })
    expect(stops).toEqual(["budget"])
    expect(state.landed).toBe(50)
    expect(state.requested).toBe(state.landed + state.lost)
    expect(state.lost).toBeGreaterThan(0)
  })
})

describe("asks", () => {
  it("refuses a text equal after normalisation, asks again and gives up what stays equal", () => {
    const once = play(inputOf({ situations: 5, budget: 100 }), {
      write: (slot) => ({
        ...plainWriter(slot),
        text: slot.attempt === 0 ? "the same, always!" : plainWriter(slot).text
      })
    })
    expect(once.rolls).toHaveLength(5)
    expect(once.state.duplicatesRefused).toBe(4)
    const ever = play(inputOf({ budget: 100 }), { write: (slot) => ({ ...plainWriter(slot), text: "The same?" }) })
    expect(ever.stops).toEqual(["writer_exhausted"])
    expect(ever.rolls).toHaveLength(1)
  })

  it("ends when the writer has nothing new to offer", () => {
    const { stops, rolls } = play(inputOf({ budget: 10_000 }), {
      write: (slot) => (slot.visit === 0 && slot.source === undefined ? plainWriter(slot) : undefined)
    })
    expect(stops).toEqual(["writer_exhausted"])
    expect(rolls.length).toBeGreaterThan(50)
  })

  it("refuses a copy of a source trace and replaces it", () => {
    const similarity = (text: string) => (text.endsWith("attempt 0") ? 0.95 : 0.4)
    const leakage = { asks: [], threshold: 0.9, similarity }
    const { rolls, state } = play(inputOf({ situations: 6, budget: 100 }, { leakage }))
    expect(rolls).toHaveLength(6)
    expect(rolls.every(({ task }) => task.prompt.endsWith("attempt 1"))).toBe(true)
    expect(state.leaksRefused).toBe(6)
    expect(state.highestSimilarity).toBe(0.4)
  })
})

describe("steering", () => {
  const failing = (prompt: string): boolean => prompt.includes("wording 0") && prompt.charCodeAt(8) % 2 === 0

  it("mutates the asks of failed rows with parent and aim, at least half of them the grader's", () => {
    const input = inputOf({ mode: "sft", phrasings: 1, budget: 600, grader: () => 1, faultRate: 1 }, { judged: true })
    const { rolls, state } = play(input, {
      digest: (task) => ({ worldFault: task.faults.length > 0, signature: task.id }),
      reward: (task) => (failing(task.prompt) ? 0 : 1)
    })
    const mutated = rolls.filter(({ task }) => task.arm === "failure_mutation")
    expect(mutated.length).toBeGreaterThan(20)
    for (const { task } of mutated) {
      expect(task.parentTaskId).toBeDefined()
      expect(["world_fault", "graded_failure"]).toContain(task.aim)
    }
    const { graded_failure: graded, world_fault: faulted } = state.mutationsOpened
    expect(graded).toBeGreaterThanOrEqual(faulted - 1)
  })

  it("aims by a reward under one half, never by 0.5 or by no verdict", () => {
    const aimsOf = (reward: number | null) =>
      play(inputOf({ budget: 30, grader: () => 1, faultRate: 0 }, { judged: true }), { reward: () => reward }).state
        .mutations.graded_failure.parents
    expect(aimsOf(0.49)).toBeGreaterThan(0)
    expect(aimsOf(0.5)).toBe(0)
    expect(aimsOf(null)).toBe(0)
  })

  it("steers by world faults alone when told so", () => {
    const input = inputOf({ budget: 60, grader: () => 1, advanced: { mutateGradedFailures: false } }, { judged: true })
    const { state } = play(input, { reward: () => 0, digest: (task) => ({ worldFault: task.faults.length > 0 }) })
    expect(state.mutations.graded_failure).toEqual({ parents: 0, mutated: 0 })
    expect(state.mutations.world_fault.parents).toBeGreaterThan(0)
  })

  it("plans no fault anywhere at faultRate 0 and every tagged one at 1", () => {
    const none = play(inputOf({ budget: 200, faultRate: 0 }))
    expect(none.rolls.every(({ task }) => task.faults.length === 0)).toBe(true)
    const all = play(inputOf({ budget: 200, faultRate: 1 }))
    expect(all.state.faultKept).toBe(all.state.faultTagged)
    expect(all.state.faultTagged).toBeGreaterThan(50)
  })
})

describe("saturation", () => {
  it("stops when nothing new shows in the last rows", () => {
    const { state, stops } = play(inputOf({ budget: 5000, until: "saturation" }))
    expect(stops).toEqual(["saturation"])
    expect(state.landed).toBeLessThan(2000)
  })
})
