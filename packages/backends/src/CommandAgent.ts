/**
 * An agent that is a program of yours, in any language. It is told what happens and says what it does in JSON lines, on
 * its input and output; its error output is for logs. Its tool calls are answered by the rollout's world, planned faults
 * first, and the simulated person answers what it says.
 *
 * ```
 * in   {"type":"start","prompt":"Where is A1001?","tools":[...],"system_prompt":"...","rollout":{"id":"roll_...",...}}
 * out  {"type":"call","id":"1","tool":"get_order","arguments":{"order_id":"A1001"}}
 * in   {"type":"result","id":"1","result":{"order_id":"A1001","status":"shipped"}}
 * out  {"type":"say","text":"It is on its way. Anything else?"}
 * in   {"type":"user","text":"No, thanks."}
 * out  {"type":"final","text":"You're welcome."}
 * ```
 */
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Conversation from "@sandtable/core/Conversation"
import { masked } from "@sandtable/core/unstable/ModelSource"
import * as Hash from "@sandtable/core/unstable/Hash"
import type { CallStep } from "@sandtable/core/Row"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Lines from "./internal/agentLines.ts"
import { ending } from "./internal/excerpt.ts"
import * as LineProcess from "./internal/lineProcess.ts"
import * as Program from "./internal/program.ts"

/**
 * The program that plays the agent.
 * @since 0.1.0
 * @category models
 */
export interface Options extends Program.Program {
  /** Shown on rows; `command:` and the program's name when left out. */
  readonly name?: string
  /**
   * One process plays many rollouts, one after the other (false: each has its own). It is sent `end` when a rollout is
   * over and answers `{"type":"ready"}` when it can take the next `start`.
   */
  readonly reuse?: boolean
  /** Seconds it may take to end by itself, or to be ready again, once a rollout is over (2). */
  readonly grace?: number
}

/**
 * The command can never be started; said before anything is run.
 * @since 0.1.0
 * @category errors
 */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  command: Schema.Array(Schema.String),
  problem: Schema.String
}) {
  override get message(): string {
    const shown =
      this.command.length === 0 ? "The command" : `The command ${JSON.stringify(Program.shownOf(this.command))}`
    return `${shown} cannot be started: ${this.problem}. Give a program and its arguments as a list of words.`
  }
}

/**
 * An agent of a command. Processes it keeps (`reuse`) live as long as the scope.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<AgentBackend.Service, CommandRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const refused = (problem: string): CommandRefused =>
      new CommandRefused({ command: options.command.map(String), problem })
    const file = yield* Effect.mapError(Program.find(options), refused)
    const { grace = 2, reuse = false } = options
    if (!(Number.isFinite(grace) && grace >= 0)) return yield* refused(`its grace of ${grace} s is no time`)
    const patience = Duration.seconds(grace)
    const name = options.name ?? `command:${Program.shownOf(options.command)}`
    const started = LineProcess.open(file, options)
    const seat = reuse ? kept(started, patience, yield* Effect.scope) : own(started, patience)
    return Conversation.make({
      identity: {
        name,
        provider: "command",
        endpoint: Hash.id("command", file, options.command.slice(1), options.cwd ?? null)
      },
      kind: "command",
      open: (rollout) =>
        Effect.map(
          Effect.mapError(seat, ({ how }) => failed(rollout, name, `the program ${how}`)),
          (process) => turnsOf(rollout, name, process)
        )
    })
  })

/**
 * The agent is a program.
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<AgentBackend.AgentBackend, CommandRefused> =>
  Layer.scoped(AgentBackend.AgentBackend, make(options))

type Started = Effect.Effect<LineProcess.LineProcess, LineProcess.Ended, Scope.Scope>

/** A process per rollout: its input ends with the rollout, and so does it. */
const own = (started: Started, grace: Duration.Duration): Started =>
  Effect.tap(started, (process) =>
    Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? process.finish(grace) : Effect.void))
  )

/** Processes that go from rollout to rollout; one whose rollout went wrong, or that is not ready in time, is given up. */
const kept = (started: Started, grace: Duration.Duration, scope: Scope.Scope): Started => {
  interface Seat {
    readonly process: LineProcess.LineProcess
    readonly scope: Scope.CloseableScope
  }
  const idle: Array<Seat> = []
  const taken = Effect.suspend((): Effect.Effect<Seat, LineProcess.Ended> => {
    const seat = idle.pop()
    if (seat === undefined) return fresh
    return seat.process.hasEnded() ? Effect.zipRight(Scope.close(seat.scope, Exit.void), taken) : Effect.succeed(seat)
  })
  const fresh = Effect.flatMap(Scope.fork(scope, scope.strategy), (own) =>
    Scope.extend(started, own).pipe(
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
      Effect.map((process): Seat => ({ process, scope: own }))
    )
  )
  const left = ({ process, scope }: Seat, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const again = Exit.isSuccess(exit) && (yield* isReady(process, grace))
      if (again) idle.push({ process, scope })
      else yield* Scope.close(scope, exit)
    })
  return Effect.map(Effect.acquireRelease(taken, left), ({ process }) => process)
}

/** Whether a process says within its time that it is done with the rollout; what it still said to it is passed over. */
const isReady = (process: LineProcess.LineProcess, grace: Duration.Duration): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    let ready = false
    const heard = Effect.repeat(process.next, { until: (line) => (ready = Lines.isReady(line)) })
    yield* process.send(Lines.end)
    yield* LineProcess.atMost(Effect.ignore(heard), grace)
    return ready
  })

/** The turns of one rollout. */
const turnsOf = (rollout: AgentBackend.Rollout, name: string, process: LineProcess.LineProcess): Conversation.Turns => {
  let started = false
  /** Calls that wait for their results, and how many were recorded before them. */
  let waiting: ReadonlyArray<Lines.Call> = []
  let recorded = 0

  const told = ({ messages }: Conversation.TurnRequest): ReadonlyArray<string> => {
    const last = messages.at(-1)
    const line = last?.role === "user" ? last.content : null
    if (!started) {
      started = true
      const { tools, systemPrompt } = rollout.settings
      return [Lines.start({ prompt: line, tools: tools.list, systemPrompt, info: rollout.info })]
    }
    const answered = answers(waiting, rollout.recorder.calls().slice(recorded))
    waiting = []
    return [...answered, ...(line === null ? [] : [Lines.user(line)])]
  }

  const hears: Effect.Effect<Lines.Said, AgentBackend.AgentFailed> = process.next.pipe(
    Effect.repeat({ until: (line) => line.trim() !== "" }),
    Effect.mapBoth({
      onFailure: ({ how }) => {
        const errors = ending(process.errors())
        const said = errors === "" ? "" : `; its error output ends: ${errors}`
        return failed(rollout, name, `the program ${how} before its last line (\`final\`)${said}`)
      },
      onSuccess: Lines.read
    })
  )

  return (request) =>
    Effect.gen(function* () {
      for (const line of told(request)) yield* process.send(line)
      const said = yield* hears
      switch (said._tag) {
        case "Line":
          return { text: said.text, final: said.final, ...said.notes }
        case "Calls":
          waiting = said.calls
          recorded = rollout.recorder.calls().length
          return {
            text: said.text,
            toolCalls: said.calls.map((call) => ({
              id: idOf(call),
              name: call.tool,
              arguments: call.arguments
            })),
            ...said.notes
          }
        case "GivesUp":
          return yield* failed(rollout, name, `the program gave up: ${said.message}`)
        case "Garbage":
          return yield* failed(
            rollout,
            name,
            `the program wrote ${said.what}. Its output is for the protocol; write logs to the error output`
          )
      }
    })
}

/** The results of calls as the program hears them. */
const answers = (calls: ReadonlyArray<Lines.Call>, steps: ReadonlyArray<CallStep>): ReadonlyArray<string> =>
  calls.map(({ id }, i) => Lines.result(id, steps[i] === undefined ? unanswered : steps[i].result))

const unanswered = { status: "error", error: "This call was not answered: the first line of a chat is words alone." }

const idOf = ({ id }: Lines.Call): string => (typeof id === "string" || typeof id === "number" ? String(id) : "")

const failed = (rollout: AgentBackend.Rollout, agent: string, detail: string): AgentBackend.AgentFailed =>
  new AgentBackend.AgentFailed({
    agent,
    reason: "agent_error",
    detail: masked(detail),
    steps: rollout.recorder.steps()
  })
