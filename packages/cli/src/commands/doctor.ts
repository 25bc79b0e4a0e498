/**
 * `sandtable doctor`: what is configured here, whether it answers, and what a run would do.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { layerUndiciWith } from "@sandtable/backends/node"
import { masked } from "@sandtable/core/unstable/ModelSource"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Engine from "../Engine.ts"
import * as ExitStatus from "../ExitStatus.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import { codeOptions } from "../OptionFlags.ts"
import * as Rehearsal from "../Rehearsal.ts"
import * as Settings from "../Settings.ts"
import * as RunFlags from "../RunFlags.ts"
import * as Setup from "../Setup.ts"
import * as Summary from "../Summary.ts"
import * as ToolServer from "../ToolServer.ts"
import * as Words from "../Words.ts"

/** What says nothing of a run that is only looked at. */
const ofRuns: ReadonlySet<string> = new Set(["dry-run", "gate", "progress", "quiet"])

export const page: Help.Page = {
  name: "doctor",
  usage: ["sandtable doctor [agent] [options]"],
  arguments: [["[agent]", "as for simulate: tells what a run of it would do, and calls nobody for it"]],
  examples: [
    ["what is configured here", "sandtable doctor"],
    ["what a run would do", "sandtable doctor agent.ts --offline --budget 200"]
  ],
  notes: [
    "Endpoints that the environment leads to are asked for their list of models, which costs nothing; --no-ask leaves that out. Values of variables are never shown.",
    "Exit status: 0 all is well, 64 the run would be refused, 69 an endpoint that is configured refuses the key or does not answer."
  ],
  flags: [
    Flags.own("ask", "switch", "Ask the endpoints whether they answer (on unless --no-ask)."),
    ...RunFlags.simulate.filter(({ name }) => !ofRuns.has(name))
  ],
  codeOptions
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = Asked.read(page, given)
    const setup = yield* Effect.provide(
      Setup.read(given.get("ask") !== "false"),
      layerUndiciWith({ proxy: "environment" })
    )
    const planned = rest.length === 0 ? null : yield* Effect.either(planOf(given, rest))
    const plan = planned === null ? null : Either.getOrNull(planned)
    const refused = planned === null || Either.isRight(planned) ? [] : planned.left
    const fs = yield* FileSystem.FileSystem
    const dotEnv = yield* Effect.orElseSucceed(fs.exists(".env"), () => false)
    const next = nextOf(setup, plan, yield* Invocation.Invocation)
    yield* Answer.give(
      asked.on("json"),
      {
        command: "doctor",
        node: process.version,
        endpoints: setup.endpoints,
        missing: setup.missing,
        proxy: setup.proxies,
        env_file: dotEnv,
        run: plan,
        refused: refused.map(({ fix, option, problem }) => ({
          option: masked(option),
          problem: masked(problem),
          fix: masked(fix)
        })),
        next
      },
      ({ style }) => {
        const fact = Words.factIn(style)
        return [
          style.bold("sandtable doctor"),
          fact("node", process.version),
          ...(setup.endpoints.length === 0 && setup.missing.length === 0
            ? [fact("models", "none is configured, and none is needed: --offline always works")]
            : []),
          ...setup.endpoints.map((endpoint, i) => fact(i === 0 ? "models" : "", line(endpoint, style))),
          ...(setup.missing.length === 0
            ? []
            : [fact("hosted", style.yellow(`not usable: ${setup.missing.join(" and ")} not set`))]),
          ...proxyFacts(setup).map(([name, said]) => fact(name, said)),
          ...(dotEnv ? [fact(".env", "is in this folder and is not read by itself: set -a; . ./.env; set +a")] : []),
          ...(plan === null
            ? []
            : [
                fact("a run", `up to ${Words.count(plan.rows, "row")} of ${plan.agent}`),
                fact("calls", callsOf(plan.calls)),
                fact("cost", plan.cost)
              ]),
          "",
          ...Summary.nextLines(next, style)
        ].join("\n")
      }
    )
    if (refused.length > 0) return yield* Answer.refuse(refused)
    const broken = setup.endpoints.filter(({ reply }) => reply !== null && reply.status !== "answers")
    if (broken.length > 0) return yield* new ExitStatus.Exit({ status: ExitStatus.unavailable })
  })

/** Which proxies the variables name, and who is reached without one. */
const proxyFacts = ({ proxies: { except, http, https } }: Setup.Setup): ReadonlyArray<readonly [string, string]> => {
  if (http === null && https === null) return []
  const ways =
    http === https
      ? `${http}`
      : [...(http === null ? [] : [`${http} for http:`]), ...(https === null ? [] : [`${https} for https:`])].join(", ")
  return [["proxy", `${ways}${except.length === 0 ? "" : `, not for ${except.join(", ")}`}`]]
}

const line = (
  { address, from, key, local, name, proxy, reply }: Setup.Endpoint,
  style: Answer.Look["style"]
): string => {
  const detail = reply === null ? "not asked" : reply.detail
  const said = reply === null ? detail : reply.status === "answers" ? style.green(detail) : style.red(detail)
  const source = local ? "at its usual port" : `by ${from.join(", ")}${key.set ? "" : `, ${key.variable} not set`}`
  const way = proxy === null ? "" : `, through ${proxy}`
  return `${name} ${style.dim(`at ${address}, ${source}${way}`)}: ${said}`
}

interface Plan {
  readonly agent: string
  readonly rows: number
  readonly calls: Readonly<Record<string, number | null>>
  readonly cost: string
}

/** What a run would do, or everything that is wrong with the call. */
const planOf = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const settings = yield* Settings.read(page.flags, given, rest)
    if (settings.issues.length > 0) return yield* Effect.fail(settings.issues)
    const planned = ToolServer.within(settings, (within) =>
      Effect.map(engine.preview(within.options), ({ calls, rows }): Plan => {
        return { agent: within.title, rows, calls, cost: costOf(calls, within.options) }
      })
    )
    return yield* Effect.mapError(planned, (error) =>
      error._tag === "WorldRefused" ? error.issues : Rehearsal.issuesOf(error, settings)
    )
  })

const callsOf = (calls: Plan["calls"]): string =>
  Object.entries(calls)
    .map(([role, count]) => `${role} ${count === null ? "unknown" : Words.whole(count)}`)
    .join(", ") || "none"

const costOf = (calls: Plan["calls"], options: Engine.Options): string => {
  const offline = options["simulator"] === false && typeof options["agent"] !== "string"
  if (offline && Object.values(calls).every((count) => count !== null))
    return "no model is called but by the agent itself"
  return options["costBudget"] === undefined
    ? "as many tokens as the models take: --cost-budget and --token-budget set a limit"
    : `at most $${String(options["costBudget"])}, and what is in flight then`
}

const nextOf = (setup: Setup.Setup, plan: Plan | null, { program, words }: Invocation.Call): Summary.Look["next"] => {
  const command = (...words: ReadonlyArray<string>): string => `${program} ${Invocation.shell(words)}`
  if (plan !== null) {
    const same = words.slice(1).filter((word) => !["--json", "--no-ask", "--ask", "--debug"].includes(word))
    const again = Invocation.adding(["simulate", ...same], ["--dry-run"])
    return [{ purpose: "see the asks it would begin with", command: command(...again) }]
  }
  const begin = {
    purpose: "begin: a small agent, rehearsed without a key and without a network",
    command: `${command("init", "my-agent")} && cd my-agent && ${command("simulate", "agent.ts", "--offline", "--grade")}`
  }
  const usable = setup.endpoints.filter(({ reply }) => reply === null || reply.status === "answers")
  return usable.length === 0
    ? [
        begin,
        {
          purpose: "later, for situations and people that a model writes",
          command: "export SANDTABLE_BASE_URL=... SANDTABLE_MODEL=... SANDTABLE_API_KEY=..."
        }
      ]
    : [begin]
}
