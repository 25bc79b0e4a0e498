import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Grader from "@sandtable/core/Grader"
import * as Options from "@sandtable/core/Options"
import type { RunSettings } from "../../../packages/core/src/settings/RunSettings.ts"

const agent = (message: string) => `You said: ${message}`
/** The least an offline run needs. */
const offline = { agent, simulator: false } as const

const accepted = (options: object, environment?: Options.Environment): Options.Resolved => {
  const result = Options.resolve({ ...offline, ...options }, environment)
  if (Either.isLeft(result)) throw result.left
  return result.right
}

const issuesOf = (options: unknown, environment?: Options.Environment): ReadonlyArray<Options.OptionIssue> => {
  const result = Options.resolve(options, environment)
  return Either.isLeft(result) ? result.left.issues : []
}

const refused = (options: object, environment?: Options.Environment) =>
  issuesOf({ ...offline, ...options }, environment)

const backend = (kind: AgentBackend.Service["kind"]): AgentBackend.Service => ({
  identity: { name: kind },
  kind,
  turns: kind === "function" ? "single" : "multi",
  play: () => Effect.die("never played here")
})

const order = { name: "get_order", parameters: { properties: { order_id: { type: "string" } } } }

describe("the least", () => {
  it("resolves an offline run with every default", () => {
    const { settings, roles, notes, files } = accepted({})
    expect(settings).toMatchObject({
      mode: "explore",
      seed: 0,
      systemPrompt: "",
      situations: null,
      phrasings: 1,
      repeats: 1,
      repeatPolicy: "none",
      unique: true,
      budget: 1000,
      concurrency: 32,
      order: { _tag: "Free" },
      timeBudget: null,
      timeouts: { agent: 300, rollout: null, tool: 60, user: 60, grader: 120, grace: 5 },
      hardShare: 0.4,
      faultRate: 0.5,
      strength: 2,
      ruleCap: 16,
      mutateFailures: true,
      mutateGradedFailures: false,
      openEndedShare: 0.1,
      conduct: false,
      locale: "en",
      runs: 1
    })
    expect(settings.conversation).toEqual({
      maxTurns: null,
      avgTurns: 12,
      minUserTurns: 1,
      temperature: 0.8,
      agentMaxTokens: null,
      logprobs: false,
      patience: "normal",
      userTemperature: null,
      agentOpens: 0
    })
    expect(roles.simulator).toEqual({ _tag: "Template" })
    expect(roles.agent).toMatchObject({ _tag: "Service", service: { identity: { name: "function:agent" } } })
    expect(notes).toEqual([])
    expect(files).toEqual({ output: null, overwrite: false, checkpoint: null })
    expect(settings.given).toEqual(["agent", "simulator"])
  })

  it("asks for something to rehearse", () => {
    for (const nothing of [{}, { simulator: false }, { budget: 3 }]) {
      const [issue] = issuesOf(nothing).filter(({ option }) => option === "agent")
      expect(issue?.fix).toContain("`agent`")
    }
  })

  it("asks for an agent when tools or a prompt come without one", () => {
    for (const input of [{ tools: [order] }, { systemPrompt: "Help." }, { spec: "An agent that helps with orders." }]) {
      const [issue] = issuesOf({ ...input, simulator: false })
      expect(issue).toMatchObject({ option: "agent" })
      expect(issue?.fix).toContain("a function")
    }
  })

  it("names the ways out when nobody can write", () => {
    for (const simulator of [undefined, "hosted"]) {
      const issues = issuesOf({ agent, simulator })
      expect(issues).toHaveLength(1)
      expect(issues[0]).toMatchObject({ option: "simulator" })
      for (const way of ["simulator: false", "writer of your own"]) expect(issues[0]!.fix).toContain(way)
    }
  })

  it.each([undefined, null, 3, "agent", [agent], agent, Symbol("x")])("refuses %s for the options", (input) => {
    expect(issuesOf(input)[0]).toMatchObject({ option: "options", problem: expect.stringContaining("not an object") })
  })
})

/** Option, values it takes, values it does not, and a word of what the refusal asks for. */
const counts = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", null, true, [], 2 ** 60]
const shares = [-0.1, 1.1, Number.NaN, "0.5", null]
const spans = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "10", "ten seconds", null, Duration.infinity, Duration.zero]
const flags = ["true", 1, null]
const texts = ["", "  ", 3, null]
const table: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<unknown>, string]> = [
  [
    "agent",
    [agent, backend("chat"), AgentBackend.layer(backend("http"))],
    [3, {}, null, true, "", class {}],
    "a function"
  ],
  ["tools", [[], [order], { get_order: {} }], [3, "tools.json", null], "tool definitions"],
  ["systemPrompt", ["Be kind.", ""], [3, null, ["Be kind."]], "text"],
  ["policy", ["Be kind."], [3], "text"],
  ["spec", ["An agent for orders.", { prompt: "Be kind." }], [3, null, [], ""], "prose"],
  [
    "ids",
    [{ order_id: ["A1", 2] }, {}],
    [{ order_id: "A1" }, { order_id: [] }, { order_id: [""] }, [], "A1"],
    "order_id"
  ],
  ...["situations", "requestsPerSituation", "phrasings", "n", "rolloutsPerRequest", "repeats", "rolloutsPerPrompt"].map(
    (name) => [name, [1, 7], counts, "whole number"] as const
  ),
  ["uniqueSituations", [true, false], flags, "true or false"],
  ["unique", [true, false], flags, "true or false"],
  ["mode", ["explore", "sft", "rl", "adaptive"], ["RL", "", null], '"explore"'],
  ["repeatPolicy", ["none", "fixed", "successive", "adaptive"], ["all", 3], '"successive"'],
  ["simulator", [false, () => []], [true, 3, null, {}, ""], "writer"],
  ["userModel", [false], [true, 3, null, {}], "UserSimulator"],
  ["execute", [() => 1, { open: () => 1, call: () => 1 }], [3, {}, { call: () => 1 }, "x"], "(tool, args, rollout)"],
  [
    "grader",
    [() => 1, { name: "g", grade: () => 1 }, Grader.layerConduct],
    [3, true, "conduct", {}, null],
    "function of a row"
  ],
  ["grade", [true, false, "conduct", "outcome"], [3, "judge", "", null, {}], '"outcome"'],
  ["budget", [1, 10_000], counts, "whole number"],
  ["timeBudget", [60, 0.5, "10 minutes", Duration.seconds(3)], spans, "seconds"],
  ["tokenBudget", [1, 1e9], [0, -1, 1.5, "5"], "a whole number"],
  ["until", ["budget", "saturation"], ["end", null], '"saturation"'],
  ["timeout", [1, "30 seconds"], spans, "seconds"],
  ["concurrency", [1, 200], counts, "whole number"],
  ["signal", [new AbortController().signal], [3, {}, null], "AbortSignal"],
  ["stop", [Effect.void], [3, () => 1, Promise.resolve()], "Effect"],
  [
    "seeds",
    [["Hi"], [{ prompt: "Hi", id: "a", tier: "boundary", reference: 1 }], []],
    ["Hi", { prompt: "Hi" }, null, 3],
    "list"
  ],
  ["hardShare", [0, 1, 0.25], shares, "0 to 1"],
  ["dimensions", [{ stance: ["adversarial"] }, {}], [{ stance: "adversarial" }, { stance: [] }, [], "x"], "stance"],
  ["faultRate", [0, 1], shares, "0 to 1"],
  ["traces", ["traces.jsonl", [{ prompt: "x" }]], ["", 3, null], "rows"],
  ["strategy", ["auto", "broad"], ["narrow"], '"targeted"'],
  ["maxTurns", [1], counts, "whole number"],
  ["avgTurns", [1, 2.5], [0, 0.5, Number.NaN, "3"], "at least 1"],
  ["minUserTurns", [2], counts, "whole number"],
  ["temperature", [0, 1.2], [-1, Number.NaN, "1"], "at least 0"],
  ["agentMaxTokens", [512], counts, "whole number"],
  ["logprobs", [true, false, "tokens"], ["all", 1, null], '"tokens"'],
  ["scaffold", ["Think first."], texts, "text"],
  [
    "patience",
    ["normal", "short", "endless", [0, 0.5, 1], { table: [0, 0.2] }],
    ["long", [], { table: [] }, {}, [2], ["0.5"], null],
    '"endless"'
  ],
  ["userTemperature", [0.3], [-1, "0.3"], "at least 0"],
  [
    "sampling",
    [{ temperature: 0.2 }],
    [3, "0.2", null, [], { at: 1n }, { top: Number.NaN }, { f: () => 1 }],
    "temperature"
  ],
  ["seed", [0, -5, 12345], [0.5, Number.NaN, "0", null, 2 ** 60], "whole number"],
  [
    "reproducible",
    [true, false, { batch: 8 }],
    ["yes", { batch: 0 }, {}, { batch: 1, lookahead: 2 }, { size: 3 }, null],
    "batch"
  ],
  ["output", ["run.jsonl"], texts, "text"],
  ["overwrite", [true, false], flags, "true or false"],
  ["onEvent", [() => undefined], [3, {}, null], "function of an event"],
  ["advanced", [{}], [3, "x", null, []], "object"]
]
const advancedTable: typeof table = [
  ["mutateFailures", [true, false], flags, "true or false"],
  ["armWeights", [{ grid: 1, failure_mutation: 0 }, {}], [{ grid: -1 }, { grid: "1" }, 3], "weight"],
  ["probe", [1, 5], counts, "whole number"],
  ["strength", [2, 3, 4], [1, 5, 2.5, "3"], "2 to 4"],
  [
    "constraints",
    [[{ forbid: { stance: "adversarial", history: "fresh" } }], []],
    [{ forbid: {} }, [{}], [{ forbid: {} }], [{ forbid: 3 }], "x"],
    "forbid"
  ],
  ["fixedRows", [[{ stance: "ordinary" }]], [{ stance: "ordinary" }, [3], "x"], "cell"],
  ["ruleCap", [40], counts, "whole number"],
  ["embedder", [{ identity: { name: "e" }, embed: () => Effect.succeed([]) }], [3, {}, () => []], "embedder"],
  ["completionsPerRequest", [4], counts, "whole number"],
  ["seedPrompts", [["Hi"]], ["Hi", [""], [3]], "list"],
  ["writerFallback", [true, false], flags, "true or false"],
  ["openEndedShare", [0, 1], shares, "0 to 1"],
  ["toolKinds", [{ get_order: "delete" }], [{ get_order: "destroy" }, []], "tool name to kind"],
  [
    "faultPlan",
    [
      [
        { tool: "*", mode: "timeout", nth: [1, 2] },
        { tool: "x", mode: "stale" }
      ]
    ],
    [
      {},
      [{ tool: "x" }],
      [{ tool: "x", mode: "slow" }],
      [{ tool: "x", mode: "stale", nth: [0] }],
      [{ tool: "x", mode: "stale", always: false }]
    ],
    ""
  ],
  ["realDelays", [true, false], flags, "true or false"],
  ["opening", ["user", "agent", 0.3], ["both", 2, null], '"agent"'],
  ["gradeTruncated", [true, false], flags, "true or false"],
  ["locale", ["en", "de"], texts, "text"],
  ["limits", [{}, { agent: 8, judge: {} }], [8, { agent: 0 }, { model: 3 }], "{ agent?, user?, writer?, judge? }"],
  ["prices", [{ m: { input: 1, output: 2 } }], [1, { m: 1 }, { m: { input: 1 } }], "an object such as"],
  ["grace", [0, 3, "2 seconds"], [-1, "2", Duration.infinity], "seconds"],
  ...["rolloutTimeout", "toolTimeout", "userTimeout", "graderTimeout"].map(
    (name) => [name, [10], spans, "seconds"] as const
  )
]

describe.each([
  ["", table],
  ["advanced.", advancedTable]
])("every option: %s", (prefix, rows) => {
  const wrap = (name: string, value: unknown) => (prefix === "" ? { [name]: value } : { advanced: { [name]: value } })

  it.each(rows)("%s takes its values", (name, values) => {
    for (const value of values) {
      expect(refused(wrap(name, value)).filter(({ option }) => option.startsWith(`${prefix}${name}`))).toEqual([])
    }
  })

  it.each(rows)("%s is refused by name otherwise", (name, _, values, asks) => {
    for (const value of values) {
      const issues = refused(wrap(name, value)).filter(({ option }) => option.startsWith(`${prefix}${name}`))
      expect(issues.length, `${name}: ${String(value)}`).toBeGreaterThan(0)
      for (const { option, fix } of issues) {
        if (option === `${prefix}${name}`) expect(fix).toContain(asks)
        else expect(fix).toMatch(/^Give |^The nearest /)
      }
    }
  })

  it.each(rows)("%s is unset when undefined", (name) => {
    const result = Options.resolve({ ...offline, ...wrap(name, undefined) }, { provided: ["agent", "simulator"] })
    expect(Either.getOrThrow(result).settings.given).not.toContain(`${prefix}${name}`)
  })
})

it("has no option that this table forgets", () => {
  const waiting = ["backend", "costBudget", "tasks", "runs", "checkpoint", "advanced.mutateGradedFailures"]
  const told = [...table.map(([name]) => name), ...advancedTable.map(([name]) => `advanced.${name}`), ...waiting]
  for (const { name, aliases } of Options.descriptors) expect(told).toEqual(expect.arrayContaining([name, ...aliases]))
})

describe("unknown keys", () => {
  it.each([
    [{ sead: 1 }, "sead", "`seed`"],
    [{ hard_share: 0.3 }, "hard_share", "`hardShare`"],
    [{ bugdet: 3 }, "bugdet", "`budget`"],
    [{ probe: 3 }, "probe", "`advanced.probe`"],
    [{ advanced: { prob: 3 } }, "advanced.prob", "`advanced.probe`"],
    [{ advanced: { seeds: [] } }, "advanced.seeds", "`seeds`"],
    [{ advanced: { armWeights: { gird: 1 } } }, "advanced.armWeights.gird", "`grid`"],
    [{ seeds: [{ prompt: "x", teir: "ordinary" }] }, "seeds[0].teir", "`tier`"],
    [{ seeds: [{ prompt: "x", plan: { worldState: "missing" } }] }, "seeds[0].plan.worldState", "`world_state`"]
  ])("%j is refused, naming the nearest", (options, option, nearest) => {
    const issues = refused(options)
    expect(issues).toHaveLength(1)
    expect(issues[0]!.option).toBe(option)
    expect(issues[0]!.fix).toContain(nearest)
  })

  it("takes hostile keys for the unknown keys they are", () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__": {"budget": 3}, "constructor": 1, "toString": 2, "advanced": {"__proto__": 1}}'
    )
    expect(issuesOf(hostile).map(({ option }) => option)).toEqual(
      expect.arrayContaining(["__proto__", "constructor", "toString", "advanced.__proto__"])
    )
    const { settings } = accepted({ ids: JSON.parse('{"__proto__": ["a"], "constructor": ["b"]}') })
    expect(Object.entries(settings.ids)).toEqual([
      ["__proto__", ["a"]],
      ["constructor", ["b"]]
    ])
    expect(Object.hasOwn(settings.dimensions, "constructor") || "constructor" in settings.dimensions).toBe(false)
  })

  it("knows its keys at compile time", () => {
    expectTypeOf<string extends keyof Options.Options ? true : false>().toEqualTypeOf<false>()
    expectTypeOf<string extends keyof RunSettings ? true : false>().toEqualTypeOf<false>()
    expectTypeOf<keyof RunSettings["timeouts"]>().toEqualTypeOf<
      "agent" | "rollout" | "tool" | "user" | "grader" | "grace"
    >()
    expectTypeOf<RunSettings["timeouts"]["rollout"]>().toEqualTypeOf<number | null>()
    expectTypeOf<RunSettings["until"]>().toEqualTypeOf<"budget" | "saturation">()
    expectTypeOf<"hard_share" extends keyof Options.Options ? true : false>().toEqualTypeOf<false>()
    expectTypeOf<"prob" extends keyof NonNullable<Options.Options["advanced"]> ? true : false>().toEqualTypeOf<false>()
    expectTypeOf<Options.Options["budget"]>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Options.Options["mode"]>().toEqualTypeOf<"explore" | "sft" | "rl" | "adaptive" | undefined>()
    const whole: Options.Options = {
      agent: (message, { world }) => world.call("get_order", { message }).then(() => "Done."),
      simulator: false,
      timeout: "10 seconds",
      grader: (row) => row.final_text !== "",
      execute: {
        open: (rollout) => new Map([["at", rollout.rolloutIndex]]),
        call: (world: Map<string, number>, tool: string) => ({ tool, at: world.get("at") })
      },
      onEvent: (event) => event._tag,
      advanced: { probe: 3 }
    }
    expect(issuesOf(whole)).toEqual([])
  })
})

describe("aliases", () => {
  const groups: ReadonlyArray<readonly [string, ReadonlyArray<string>, unknown, unknown]> = [
    ["requestsPerSituation", ["phrasings", "n"], 2, 3],
    ["rolloutsPerRequest", ["repeats", "rolloutsPerPrompt"], 2, 3],
    ["uniqueSituations", ["unique"], true, false],
    ["systemPrompt", ["policy"], "a", "b"]
  ]
  it.each(groups)("%s may be given by its other names", (name, aliases, value, other) => {
    const own = accepted({ [name]: value })
    for (const alias of aliases) {
      expect(accepted({ [alias]: value }).settings).toEqual(own.settings)
      expect(accepted({ [alias]: value, [name]: value }).settings).toEqual(own.settings)
      const issues = refused({ [alias]: other, [name]: value })
      expect(issues).toHaveLength(1)
      expect(issues[0]).toMatchObject({ option: name, problem: expect.stringContaining(alias) })
    }
  })
})

describe("presets", () => {
  it.each([
    ["explore", 1, 1, "none", 0.5, true],
    ["sft", 3, 4, "adaptive", 0.5, false],
    ["rl", 1, 8, "successive", 0.8, false],
    ["adaptive", 3, 3, "adaptive", 0.5, false]
  ] as const)("%s sets n %i, k %i, %s, %d", (mode, phrasings, repeats, repeatPolicy, faultRate, unique) => {
    expect(accepted({ mode }).settings).toMatchObject({
      phrasings,
      repeats,
      repeatPolicy,
      faultRate,
      unique,
      repeatsGiven: false
    })
    expect(accepted({ mode, n: 5, repeats: 6, repeatPolicy: "fixed", faultRate: 0 }).settings).toMatchObject({
      phrasings: 5,
      repeats: 6,
      repeatPolicy: "fixed",
      faultRate: 0,
      repeatsGiven: true
    })
  })

  it("keeps opening new worlds with `unique`: n = k = 1 unless set", () => {
    expect(accepted({ mode: "rl", unique: true }).settings).toMatchObject({
      phrasings: 1,
      repeats: 1,
      unique: true,
      repeatPolicy: "none"
    })
    expect(accepted({ mode: "sft", unique: true, repeats: 2 }).settings).toMatchObject({
      phrasings: 1,
      repeats: 2,
      unique: true
    })
    expect(accepted({ unique: false }).settings).toMatchObject({ unique: false })
    expect(accepted({ repeatPolicy: "fixed", repeats: 4 }).settings).toMatchObject({ unique: false, repeats: 4 })
  })
})

describe("time and order", () => {
  it("reads numbers as seconds and spans as they are", () => {
    const { settings } = accepted({
      timeBudget: 90,
      timeout: "2 minutes",
      advanced: { grace: 0, toolTimeout: Duration.millis(1500), rolloutTimeout: "1 hour" }
    })
    expect(settings.timeBudget).toBe(90)
    expect(settings.timeouts).toMatchObject({ agent: 120, grace: 0, tool: 1.5, rollout: 3600 })
  })

  it("keeps batches where it is asked to, and at concurrency 1", () => {
    const batch = (size: number) => ({ _tag: "Batch", size })
    expect(accepted({ reproducible: true, concurrency: 7 }).settings.order).toEqual(batch(32))
    expect(accepted({ reproducible: { batch: 8 } }).settings.order).toEqual(batch(8))
    expect(accepted({ concurrency: 1 }).settings.order).toEqual(batch(32))
    expect(accepted({ reproducible: false }).settings.order).toEqual({ _tag: "Free" })
    expect(accepted({ concurrency: 1, timeBudget: 3 }).settings.order).toEqual(batch(32))
  })
})

describe("conflicts", () => {
  const grader = () => 1
  it.each<[string, object, string]>([
    ["tasks with seeds", { tasks: "run.jsonl", seeds: ["Hi"] }, "tasks"],
    ["tasks with further openers", { tasks: "run.jsonl", advanced: { seedPrompts: ["Hi"] } }, "tasks"],
    ["a reproducible run against a clock", { reproducible: true, timeBudget: 60 }, "reproducible"],
    ["batches against a clock", { reproducible: { batch: 4 }, timeBudget: 60 }, "reproducible"],
    ["aiming by traces without traces", { strategy: "trace" }, "strategy"],
    ["targeting traces without traces", { strategy: "targeted" }, "strategy"],
    ["the outcome checklist beside a grader", { grade: "outcome", grader }, "grade"],
    ["graded failures without a grader", { advanced: { mutateGradedFailures: true } }, "advanced.mutateGradedFailures"],
    [
      "graded failures with mutation off",
      { grader, advanced: { mutateGradedFailures: true, mutateFailures: false } },
      "advanced.mutateGradedFailures"
    ],
    ["a checkpoint that is not the output", { checkpoint: "a.jsonl", output: "b.jsonl" }, "checkpoint"],
    ["a checkpoint to be overwritten", { checkpoint: "a.jsonl", overwrite: true }, "checkpoint"],
    ["an agent and its backend", { backend: "openai:gpt-4.1-mini" }, "backend"],
    ["sampling of a model agent", { agent: backend("model"), sampling: { temperature: 1 } }, "sampling"],
    ["more user lines than turns", { minUserTurns: 5, maxTurns: 3 }, "minUserTurns"],
    [
      "planned faults at rate 0",
      { faultRate: 0, advanced: { faultPlan: [{ tool: "x", mode: "stale" }] } },
      "advanced.faultPlan"
    ],
    [
      "a fault at two kinds of time",
      { advanced: { faultPlan: [{ tool: "x", mode: "stale", count: 1, nth: [2] }] } },
      "advanced.faultPlan[0]"
    ],
    [
      "one id for two asks",
      {
        seeds: [
          { prompt: "a", id: "x" },
          { prompt: "b", id: "x" }
        ]
      },
      "seeds[1].id"
    ],
    [
      "a fault of a tool nobody has",
      { tools: [order], advanced: { faultPlan: [{ tool: "get_ordr", mode: "stale" }] } },
      "advanced.faultPlan[0].tool"
    ],
    [
      "a kind for a tool nobody has",
      { tools: [order], advanced: { toolKinds: { get_ordr: "read" } } },
      "advanced.toolKinds.get_ordr"
    ],
    ["a scale upside down", { grader: { name: "g", grade: () => 3, scale: [5, 1] } }, "grader.scale"],
    ["an unknown axis", { dimensions: { mood: ["angry"] } }, "dimensions.mood"],
    ["an unknown value", { dimensions: { stance: ["angry"] } }, "dimensions.stance"],
    ["a tier for an axis", { dimensions: { tier: ["boundary"] } }, "dimensions.tier"]
  ])("%s: refused", (_, options, option) => {
    const found = refused(options).filter(
      (issue) => issue.option === option && !issue.problem.includes("not available")
    )
    expect(found).toHaveLength(1)
  })

  it("points from tier to stance", () => {
    expect(refused({ dimensions: { tier: ["boundary"] } })[0]!.fix).toContain("stance")
  })

  it.each<[string, object]>([
    ["a conduct grade beside a grader", { grade: true, grader }],
    ["graded failures with a grader", { grader, advanced: { mutateGradedFailures: true } }],
    ["graded failures left alone", { grader, advanced: { mutateGradedFailures: false } }],
    ["traces aimed by", { traces: [{ prompt: "x" }], strategy: "targeted" }],
    ["a clock without reproducibility", { reproducible: false, timeBudget: 60 }],
    ["no faults for a plan that is empty", { faultRate: 0, advanced: { faultPlan: [] } }],
    ["sampling of a function", { sampling: { temperature: 1 } }],
    [
      "equal seeds of one id",
      {
        seeds: [
          { prompt: "a", id: "x" },
          { prompt: "a", id: "x" }
        ]
      }
    ]
  ])("%s: accepted", (_, options) => {
    expect(refused(options)).toEqual([])
  })

  it("lets the grader be the switch of graded failures", () => {
    expect(accepted({ grader }).settings.mutateGradedFailures).toBe(true)
    expect(accepted({}, { provided: ["grader"] }).settings.mutateGradedFailures).toBe(true)
    expect(accepted({ grade: true }).settings.mutateGradedFailures).toBe(false)
  })

  it("grades by a floor, or by the outcome, as `grade` says", () => {
    for (const grade of [true, "conduct"]) {
      const { roles, settings } = accepted({ grade })
      expect([settings.conduct, roles.grader]).toEqual([true, { _tag: "Context" }])
    }
    const { roles, settings } = accepted({ grade: "outcome" }, { provided: ["grader"] })
    expect([settings.conduct, settings.mutateGradedFailures, roles.grader]).toEqual([
      false,
      true,
      { _tag: "Service", service: Grader.outcome }
    ])
  })
})

describe("tools that cannot be read", () => {
  it("are all told in one call, also where the schema of an argument is none", () => {
    const tools = [
      { name: "a", parameters: { order_id: 5 } },
      { name: "b", parameters: { type: "object", properties: { x: { type: "strng" } } } },
      { description: "no name" },
      { name: "good" }
    ]
    const issues = refused({ tools, advanced: { toolKinds: { refund: "pay", b: "pay" } } })
    expect(issues.map(({ option }) => option)).toEqual([
      "tools[0] (a) parameters.order_id",
      "tools[1] (b) parameters.x",
      "tools[2]",
      "advanced.toolKinds.refund"
    ])
  })

  it("lets a name nobody has be found among those there are", () => {
    const tools = [{ name: "get_order" }, { name: "refund_order" }]
    expect(refused({ tools, advanced: { toolKinds: { refund: "pay" } } })[0]?.fix).toContain("get_order, refund_order")
  })
})

describe("what is gone on with", () => {
  it("takes replays, several runs and a checkpoint", () => {
    expect(refused({ runs: 3 })).toEqual([])
    expect(refused({ tasks: "run.jsonl", runs: 3 })).toEqual([])
    expect(refused({ checkpoint: "run.jsonl", runs: 3 })).toEqual([])
  })
})

describe("who is named", () => {
  const agentOf = (given: unknown) => Options.rolesOf({ simulator: false, agent: given }).agent

  it.each<[string, object]>([
    ["openai:gpt-4.1-mini", { _tag: "Spec", spec: "openai:gpt-4.1-mini" }],
    [" anthropic:claude-haiku-4-5 ", { _tag: "Spec", spec: "anthropic:claude-haiku-4-5" }],
    ["vllm:Qwen/Qwen3-4B@http://host:8000/v1", { _tag: "Spec", spec: "vllm:Qwen/Qwen3-4B@http://host:8000/v1" }],
    // no provider has such a name, which whoever makes models says
    ["gpt-4.1-mini", { _tag: "Spec", spec: "gpt-4.1-mini" }],
    ["https://agent.example/chat", { _tag: "Url", url: "https://agent.example/chat" }],
    ["HTTP://localhost:3000", { _tag: "Url", url: "HTTP://localhost:3000" }],
    ["python agent.py --fast", { _tag: "Command", command: ["python", "agent.py", "--fast"] }],
    ["./agent", { _tag: "Command", command: ["./agent"] }],
    ["C:\\agent.exe", { _tag: "Command", command: ["C:\\agent.exe"] }]
  ])("reads %s", (given, role) => {
    expect(agentOf(given)).toEqual(role)
  })

  it("takes the words of a command as they are", () => {
    expect(agentOf({ command: ["python", "my agent.py"] })).toEqual({
      _tag: "Command",
      command: ["python", "my agent.py"]
    })
  })

  it("splits no command that a shell would have to read", () => {
    expect(refused({ agent: 'python "my agent.py"' })).toMatchObject([
      { option: "agent", fix: expect.stringContaining("{ command: [") }
    ])
  })

  it("lets the writer's model play the person, and the agent's own where no model writes", () => {
    const rolesOf = (options: object) => Options.rolesOf({ agent: "openai:a", ...options })
    expect(rolesOf({ simulator: "openai:b" }).userModel).toEqual({ _tag: "WriterModel" })
    expect(rolesOf({ simulator: false }).userModel).toEqual({ _tag: "AgentModel" })
    expect(rolesOf({}).simulator).toEqual({ _tag: "AgentModel" })
    expect(rolesOf({ userModel: false }).userModel).toEqual({ _tag: "Template" })
    expect(rolesOf({ userModel: "openai:c" }).userModel).toEqual({ _tag: "Spec", spec: "openai:c" })
    expect(Options.rolesOf({ agent: "http://localhost:1/chat", simulator: false }).userModel).toEqual({
      _tag: "Context"
    })
  })

  it("takes the endpoint of the environment for the writer, before the agent's own model", () => {
    const roles = Options.rolesOf({ agent: "openai:a" }, { endpoint: true })
    expect(roles).toMatchObject({ simulator: { _tag: "Hosted" }, userModel: { _tag: "WriterModel" } })
    expect(Options.rolesOf({ tools: [order] }, { endpoint: true }).agent).toEqual({ _tag: "Hosted" })
  })

  it("names every way out when nobody plays and nobody writes", () => {
    const [nobodyPlays, nobodyWrites] = issuesOf({ tools: [order] })
    for (const way of ["`agent`", "`backend`", "SANDTABLE_BASE_URL", "SANDTABLE_MODEL"]) {
      expect(nobodyPlays?.fix).toContain(way)
    }
    for (const way of ["`simulator: false`", "openai:gpt-4.1-mini", "SANDTABLE_BASE_URL"]) {
      expect(nobodyWrites?.fix).toContain(way)
    }
  })

  it("shows addresses in resolved options without the secrets in them", () => {
    const shown = accepted({
      agent: "openai:m@https://user:hunter2@host.example/v1?key=hunter2",
      userModel: "vllm:m@http://hunter2@host:1/v1"
    }).resolvedOptions
    expect(JSON.stringify(shown)).not.toContain("hunter2")
    expect(shown).toMatchObject({ agent: "openai:m@https://host.example/v1", user_model: "vllm:m@http://host:1/v1" })
  })
})

describe("caps, prices and limits", () => {
  const prices = { "gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1 } }

  it("refuses a cap on cost that nothing prices, and says how to price it", () => {
    expect(refused({ costBudget: 1 })).toMatchObject([
      { option: "costBudget", fix: expect.stringContaining("advanced.prices") }
    ])
    expect(accepted({ costBudget: 1, advanced: { prices } }).settings).toMatchObject({ costBudget: 1, prices })
  })

  it.each<[string, unknown]>([
    ["advanced.prices.m.output", { prices: { m: { input: 1 } } }],
    ["advanced.prices.m.input", { prices: { m: { input: -1, output: 1 } } }],
    ["advanced.limits.agent", { limits: { agent: 0 } }],
    ["advanced.limits.grader", { limits: { grader: 3 } }]
  ])("refuses %s", (option, advanced) => {
    expect(refused({ advanced })).toMatchObject([{ option }])
  })

  it("says of limits on roles that the run makes no model for that they do nothing", () => {
    expect(accepted({ advanced: { limits: { agent: 3 } } }).notes).toMatchObject([
      { code: "limits_without_effect", figures: { roles: ["agent"] } }
    ])
    expect(accepted({ agent: "openai:m", advanced: { limits: { agent: 3 } } }).notes).toEqual([])
    // Limits that are shared come for every role.
    const limits = { agent: {}, user: {}, writer: {}, judge: {} }
    expect(accepted({ agent: "openai:m", advanced: { limits } }).notes).toEqual([])
    expect(accepted({ advanced: { limits } }).notes).toMatchObject([{ code: "limits_without_effect" }])
  })
})

describe("roles", () => {
  it("takes layers in context where the caller names nobody", () => {
    const result = Options.resolve({}, { provided: ["agent", "simulator", "userModel"] })
    expect(Either.getOrThrow(result).roles).toMatchObject({
      agent: { _tag: "Context" },
      simulator: { _tag: "Context" },
      userModel: { _tag: "Context" }
    })
  })

  it("lets an option beat the layer in context", () => {
    const { roles } = accepted({ userModel: false }, { provided: ["agent", "simulator", "userModel"] })
    expect(roles).toMatchObject({
      agent: { _tag: "Service" },
      simulator: { _tag: "Template" },
      userModel: { _tag: "Template" }
    })
  })

  it("keeps each way of giving a role", () => {
    const layer = AgentBackend.layer(backend("chat"))
    const writer = { identity: { name: "mine" }, write: () => Effect.succeed([]) }
    const scribe = () => []
    expect(accepted({ agent: layer }).roles.agent).toEqual({ _tag: "Layer", layer })
    expect(accepted({ simulator: writer }).roles.simulator).toMatchObject({
      _tag: "Service",
      service: { identity: { name: "mine" } }
    })
    expect(accepted({ simulator: scribe }).roles.simulator).toEqual({ _tag: "Function", name: "scribe", write: scribe })
    expect(accepted({ grader: Grader.layerConduct }).roles.grader).toEqual({
      _tag: "Layer",
      layer: Grader.layerConduct
    })
    expect(accepted({ grader: { name: "g", grade: () => 1 } }).roles.grader).toMatchObject({
      _tag: "Service",
      service: { name: "g" }
    })
    const execute = { open: () => 1, call: () => 2, close: () => 3 }
    expect(accepted({ execute }).roles.execute).toEqual({ _tag: "Execute", execute })
  })
})

describe("notes", () => {
  const codes = (options: object) => accepted(options).notes.map(({ code }) => code)

  it("says which dials a function agent has no use for", () => {
    const dials = {
      maxTurns: 3,
      avgTurns: 4,
      minUserTurns: 2,
      patience: "short",
      userTemperature: 1,
      temperature: 0,
      agentMaxTokens: 9,
      logprobs: true,
      scaffold: "x",
      userModel: false,
      advanced: { opening: "agent" }
    }
    const { notes } = accepted(dials)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ code: "dials_without_effect" })
    for (const name of Object.keys(dials))
      expect(notes[0]!.message).toContain(name === "advanced" ? "advanced.opening" : name)
  })

  it("leaves a chat agent its conversation, and a model all its dials", () => {
    expect(codes({ agent: backend("chat"), maxTurns: 3, patience: "short" })).toEqual([])
    expect(codes({ agent: backend("chat"), temperature: 0 })).toEqual(["dials_without_effect"])
    expect(codes({ agent: backend("model"), temperature: 0, scaffold: "x", maxTurns: 3 })).toEqual([])
  })

  it("tells the same of an agent that only its layer knows", () => {
    const resolved = accepted({ agent: AgentBackend.layer(backend("chat")), temperature: 0, sampling: { top_p: 1 } })
    expect(resolved.notes).toEqual([])
    expect(Either.getOrThrow(Options.checkAgent(resolved, backend("chat")))).toMatchObject([
      { code: "dials_without_effect" }
    ])
    expect(Either.isLeft(Options.checkAgent(resolved, backend("model")))).toBe(true)
  })

  it("raises situations to the seeds, and says so", () => {
    const { settings, notes } = accepted({ situations: 2, seeds: ["a", "b", "c"], advanced: { seedPrompts: ["d"] } })
    expect(settings.situations).toBe(4)
    expect(notes).toMatchObject([{ code: "situations_raised", figures: { asked: 2, raised_to: 4 } }])
    expect(settings.seeds.map(({ prompt, amplify }) => [prompt, amplify])).toEqual([
      ["a", true],
      ["b", true],
      ["c", true],
      ["d", false]
    ])
    expect(accepted({ situations: 5, seeds: ["a"] })).toMatchObject({ settings: { situations: 5 }, notes: [] })
  })

  it("says that seeds are equal", () => {
    expect(codes({ seeds: ["a", "b", "a"] })).toEqual(["equal_seeds"])
  })

  it("says that a pinned stance bounds the hard share", () => {
    expect(codes({ dimensions: { stance: ["adversarial"] } })).toEqual(["hard_share_bounded"])
    expect(codes({ dimensions: { stance: ["ordinary"] } })).toEqual(["hard_share_bounded"])
    expect(codes({ dimensions: { stance: ["adversarial"] }, hardShare: 1 })).toEqual([])
    expect(codes({ dimensions: { stance: ["adversarial", "ordinary"] } })).toEqual([])
  })

  it("says that identifiers have no argument to stand for", () => {
    expect(codes({ tools: [order], ids: { orderid: ["A1"] } })).toEqual(["ids_without_argument"])
    expect(codes({ tools: [order], ids: { order_id: ["A1"] } })).toEqual([])
  })

  it("says that overwrite names no file", () => {
    expect(codes({ overwrite: true })).toEqual(["overwrite_without_output"])
    expect(codes({ overwrite: true, output: "run.jsonl" })).toEqual([])
  })
})

describe("material", () => {
  it("takes the table of a fitted patience", () => {
    expect(accepted({ agent: backend("chat"), patience: { table: [0, 0.2] } }).settings.conversation.patience).toEqual([
      0, 0.2
    ])
  })

  it("keeps what a seed says of itself", () => {
    const { settings } = accepted({
      seeds: [
        {
          prompt: "Where is A1?",
          tier: "boundary",
          dimensions: { stance: "boundary" },
          plan: {
            world_state: "missing",
            faults: [
              { tool: "get_order", mode: "timeout" },
              { tool: "x", mode: "permission_denied" }
            ]
          },
          reference: { answer: 3 },
          id: undefined
        }
      ]
    })
    expect(settings.seeds).toEqual([
      {
        prompt: "Where is A1?",
        tier: "boundary",
        dimensions: { stance: "boundary" },
        plan: {
          world_state: "missing",
          faults: [
            { tool: "get_order", mode: "timeout", count: 1 },
            { tool: "x", mode: "permission_denied", always: true }
          ]
        },
        reference: { answer: 3 },
        amplify: true
      }
    ])
    expect(settings.seeds[0]).not.toHaveProperty("id")
  })

  it("puts the caller's material above the spec's", () => {
    const spec = {
      tools: [{ name: "get_order", description: "theirs" }, { name: "refund" }],
      prompt: "theirs",
      situations: ["s"]
    }
    const own = accepted({
      tools: [{ name: "get_order", description: "mine" }],
      systemPrompt: "mine",
      seeds: ["m"],
      spec
    })
    expect(own.settings.tools.list.map(({ name, description }) => [name, description])).toEqual([
      ["get_order", "mine"],
      ["refund", ""]
    ])
    expect(own.settings.systemPrompt).toBe("mine")
    expect(own.settings.seeds.map(({ prompt }) => prompt)).toEqual(["m", "s"])
    expect(accepted({ spec }).settings.systemPrompt).toBe("theirs")
    expect(accepted({ spec: "An agent that answers about orders." }).settings.systemPrompt).toBe(
      "An agent that answers about orders."
    )
  })

  it("names the broken parts of a spec", () => {
    const issues = refused({ spec: { tools: [{}], situations: ["a", { promt: "b" }], promt: "c" } })
    expect(issues.map(({ option }) => option)).toEqual(
      expect.arrayContaining(["spec.tools[0]", "spec.promt", "spec.situations[1].promt", "spec.situations[1].prompt"])
    )
  })
})

describe("the refusal", () => {
  it("carries everything that is wrong, and reads as a list", () => {
    const result = Options.resolve({
      agent: 3,
      budget: 0,
      hard_share: 1,
      seeds: "Hi",
      tools: [{}],
      strategy: "trace",
      advanced: { probe: "2" },
      dimensions: { mood: ["x"] },
      tokenBudget: 0,
      n: 1,
      phrasings: 2
    })
    const error = Either.getOrThrow(Either.flip(result))
    expect(error._tag).toBe("InvalidOptions")
    const options = error.issues.map(({ option }) => option)
    for (const option of [
      "agent",
      "budget",
      "hard_share",
      "seeds",
      "tools[0]",
      "strategy",
      "advanced.probe",
      "dimensions.mood",
      "tokenBudget",
      "requestsPerSituation",
      "simulator"
    ]) {
      expect(options).toContain(option)
      expect(error.message).toContain(`\n  ${option}: `)
    }
    expect(error.message.split("\n")[0]).toBe(`${options.length} options cannot be used:`)
    expect(error.message).toContain("budget: is 0. Give a whole number of at least 1.")
  })

  it("does not call a broken agent missing", () => {
    expect(refused({ agent: 3 })).toHaveLength(1)
  })
})

describe("resolved options and descriptors", () => {
  const snake = (name: string) =>
    name.replace("advanced.", "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

  it("tells what every option came to, as plain JSON under its own name", () => {
    const { resolvedOptions } = accepted({ mode: "rl", timeout: "1 minute", seeds: ["a"], advanced: { probe: 3 } })
    expect(Object.keys(resolvedOptions).sort()).toEqual(Options.descriptors.map(({ name }) => snake(name)).sort())
    expect(JSON.parse(JSON.stringify(resolvedOptions))).toEqual(resolvedOptions)
    expect(resolvedOptions).toMatchObject({
      mode: "rl",
      rollouts_per_request: 8,
      requests_per_situation: 1,
      repeat_policy: "successive",
      fault_rate: 0.8,
      timeout: 60,
      seeds: 1,
      probe: 3,
      agent: "function:agent",
      simulator: "template"
    })
  })

  it("lists each option once, with what a flag needs", () => {
    const names = Options.descriptors.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(Options.descriptors.map(({ kebab }) => kebab)).size).toBe(names.length)
    expect(Options.descriptors.find(({ name }) => name === "rolloutsPerRequest")).toMatchObject({
      kebab: "rollouts-per-request",
      kind: "count",
      aliases: ["repeats", "rolloutsPerPrompt"],
      section: 2
    })
    expect(Options.descriptors.find(({ name }) => name === "mode")?.choices).toEqual([
      "explore",
      "sft",
      "rl",
      "adaptive"
    ])
    for (const { description } of Options.descriptors) expect(description.length).toBeGreaterThan(10)
  })
})

const names = [
  ...Options.descriptors.flatMap(({ name, aliases }) => [name, ...aliases]).filter((name) => !name.includes(".")),
  "advanced",
  "__proto__",
  "constructor"
]
const nested = Options.descriptors.filter(({ name }) => name.startsWith("advanced.")).map(({ name }) => name.slice(9))
const junk = FastCheck.oneof(
  FastCheck.anything({
    maxDepth: 3,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withTypedArray: true
  }),
  FastCheck.integer(),
  FastCheck.constantFrom(false, true, "5 seconds", "x", agent)
)
const junkOptions = FastCheck.dictionary(FastCheck.constantFrom(...names), junk, { maxKeys: 12 })
const junkAdvanced = FastCheck.dictionary(FastCheck.constantFrom(...nested), junk, { maxKeys: 8 })

it.prop(
  "junk is refused or resolved, and never throws",
  [junkOptions, junkAdvanced, FastCheck.boolean()],
  ([options, advanced, valid]) => {
    const input = { ...options, ...(valid ? offline : {}), ...("advanced" in options ? {} : { advanced }) }
    const result = Options.resolve(input)
    if (Either.isLeft(result)) {
      expect(result.left.issues.length).toBeGreaterThan(0)
      for (const { option, problem, fix } of result.left.issues)
        expect(option !== "" && problem !== "" && fix !== "").toBe(true)
      expect(result.left.message).toContain(result.left.issues[0].option)
    } else {
      expect(result.right.settings.budget).toBeGreaterThanOrEqual(1)
      expect(() => JSON.stringify(result.right.resolvedOptions)).not.toThrow()
    }
  }
)
