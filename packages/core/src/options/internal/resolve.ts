/**
 * From what a caller gave to what a run does. Everything that is wrong is found before anything is decided.
 */
import * as Either from "effect/Either"
import type { Warning } from "../../report/Warning.ts"
import * as Axes from "../../situation/Axes.ts"
import * as TaskFile from "../../situation/TaskFile.ts"
import type { Call } from "../../settings/option.ts"
import type { RunSettings, Seed } from "../../settings/RunSettings.ts"
import { faultOf, record } from "../../settings/settingTable.ts"
import type { PlannedFault } from "../../settings/values.ts"
import type { Tool } from "../../task/Tool.ts"
import * as ToolDialect from "../../task/ToolDialect.ts"
import * as ToolSet from "../../task/ToolSet.ts"
import { InvalidOptions, type OptionIssue } from "../InvalidOptions.ts"
import * as SpecFile from "../SpecFile.ts"
import { conflictIssues } from "./conflicts.ts"
import { nearest } from "./nearest.ts"
import * as Notes from "./notes.ts"
import { defaultOf, entries, snakeCase, type Entry, type OptionValues as Values } from "./optionTable.ts"
import * as Reading from "./reading.ts"
import type { Environment, Resolved, Roles } from "./resolved.ts"
import { resolveRoles } from "./roles.ts"

type SeedValue = Exclude<NonNullable<Values["seeds"]>[number], TaskFile.TaskRecord>
/** Options of which tasks of other makers were read as asks of our own. */
type Own = Omit<Values, "seeds"> & { readonly seeds: ReadonlyArray<SeedValue> }

export const resolve = (
  input: unknown,
  environment: Environment,
  specReading?: SpecFile.Reading
): Either.Either<Resolved, InvalidOptions> => {
  const { values, set, issues: unusable } = Reading.read(input)
  const own: Own = { ...values, seeds: (values.seeds ?? []).map(ownSeed) }
  const spec = specReading ?? specOf(values.spec)
  const tools = toolsOf(values, spec.spec)
  const specSeeds = specSeedsOf(spec.spec)
  const { roles, issues: uncast } = resolveRoles(values, set, environment)
  const seeds = [
    ...[...own.seeds, ...specSeeds.seeds].map((each) => ({ ...seedOf(each, tools.tools), amplify: true })),
    ...(values.advanced?.seedPrompts ?? []).map((prompt) => ({ prompt, amplify: false }))
  ]
  const graded = roles.grader._tag !== "Context" || (environment.provided?.includes("grader") ?? false)
  const settings = settingsOf(values, set, {
    tools: ToolSet.make(tools.tools),
    prompt: spec.spec.prompt,
    seeds,
    graded
  })
  const issues = [
    ...unusable,
    ...spec.issues,
    ...specSeeds.issues,
    ...tools.problems,
    ...unknownToolNames(own, tools),
    ...seedIds(seeds),
    ...faultTimes(own),
    ...uncast,
    ...conflictIssues({ values, set, roles, openers: seeds.length, graded }),
    ...axisIssues(settings)
  ]
  if (issues.length > 0) return Either.left(InvalidOptions.of(issues))

  const rubric = spec.spec.rubric ?? null
  const notes: ReadonlyArray<Warning> = [
    ...(roles.agent._tag === "Service" ? Notes.dialNotes(set, roles.agent.service) : []),
    ...Notes.situationsRaised(values.situations, seeds.length),
    ...Notes.equalSeeds(seeds),
    ...Notes.unreadParts((values.seeds ?? []).filter(TaskFile.isTask)),
    ...Notes.pinnedStance(settings),
    ...Notes.idleIds(settings.ids, settings.tools),
    ...Notes.idleRubric(rubric, graded),
    ...Notes.idleLimits(values.advanced?.limits ?? {}, roles),
    ...Notes.overwriteNothing(set)
  ]
  const resolved: Omit<Resolved, "resolvedOptions"> = {
    settings,
    roles,
    traces: values.traces === undefined ? null : { source: values.traces, strategy: values.strategy ?? "auto" },
    limits: values.advanced?.limits ?? {},
    rubric,
    files: {
      output: values.output ?? values.checkpoint ?? null,
      overwrite: values.overwrite ?? false,
      checkpoint: values.checkpoint ?? null
    },
    hooks: { onEvent: values.onEvent ?? null, signal: values.signal ?? null, stop: values.stop ?? null },
    notes
  }
  return Either.right({ ...resolved, resolvedOptions: resolvedOptionsOf(resolved, values) })
}

/** Every option as it came to be, under its name in snake_case. */
const resolvedOptionsOf = (resolved: Omit<Resolved, "resolvedOptions">, values: Values): Resolved["resolvedOptions"] =>
  Object.fromEntries(entries.map((entry) => [snakeCase(entry.key), entry.report(givenValue(values, entry), resolved)]))

const givenValue = (values: Values, { key, name }: Entry): unknown =>
  ((key === name ? values : (values.advanced ?? {})) as Readonly<Record<string, unknown>>)[key]

/** Who plays, whatever else is wrong with the call. */
export const rolesOf = (input: unknown, environment: Environment): Roles => {
  const { set, values } = Reading.read(input)
  return resolveRoles(values, set, environment).roles
}

const nothing: SpecFile.Reading = { spec: {}, issues: [] }

/** A spec that was not read from disk: an object, or prose. */
const specOf = (spec: Values["spec"]): SpecFile.Reading => {
  if (spec === undefined) return nothing
  if (typeof spec !== "string") return SpecFile.fromObject(spec)
  return SpecFile.looksLikePath(spec)
    ? {
        spec: {},
        issues: [
          {
            option: "spec",
            problem: "is a path, and no file system is at hand to read it",
            fix: "Provide a FileSystem layer (`@sandtable/core/node` has it), or give the spec as an object."
          }
        ]
      }
    : SpecFile.fromProse(spec)
}

const toolsOf = (
  values: Values,
  spec: SpecFile.Spec
): { readonly tools: ReadonlyArray<Tool>; readonly problems: ReadonlyArray<OptionIssue> } => {
  const kinds = values.advanced?.toolKinds ?? {}
  const own = values.tools === undefined ? undefined : ToolDialect.read(values.tools, kinds)
  const specs = spec.tools === undefined ? undefined : ToolDialect.read(spec.tools, kinds, "spec.tools")
  return {
    tools: ToolDialect.merge(own?.tools ?? [], specs?.tools ?? []),
    problems: [...(own?.problems ?? []), ...(specs?.problems ?? [])].map(({ path, problem, fix }) => ({
      option: path,
      problem,
      fix
    }))
  }
}

const specSeedsOf = ({
  situations
}: SpecFile.Spec): { readonly seeds: ReadonlyArray<SeedValue>; readonly issues: ReadonlyArray<OptionIssue> } => {
  if (situations === undefined) return { seeds: [], issues: [] }
  const issues = Reading.check("seeds", situations, "spec.situations")
  // the check above is that of `seeds`
  const seeds = situations as NonNullable<Values["seeds"]>
  return issues.length > 0 ? { seeds: [], issues } : { seeds: seeds.map(ownSeed), issues }
}

const ownSeed = (value: NonNullable<Values["seeds"]>[number]): SeedValue =>
  TaskFile.isTask(value) ? TaskFile.seedOf(value) : value

/** Of what is expected only writes are held against the world: a lookup that a task names may be made in any other way. */
const seedOf = (value: SeedValue, tools: ReadonlyArray<Tool>): Seed => {
  if (typeof value === "string") return { prompt: value }
  const { plan, dimensions, expected, ...rest } = value
  const reads = new Set(tools.flatMap(({ kind, name }) => (kind === "read" ? [name] : [])))
  const { faults, ...planned } = plan ?? {}
  return present({
    ...rest,
    dimensions: dimensions === undefined ? undefined : record(dimensions, (each) => each),
    expected:
      expected?.writes === undefined
        ? expected
        : { ...expected, writes: expected.writes.filter(({ tool }) => !reads.has(tool)) },
    plan:
      plan === undefined
        ? undefined
        : present({ ...planned, faults: faults === undefined ? undefined : faults.map(faultOf) })
  }) as Seed
}

/** Without the keys that were left undefined. */
const present = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))

const settingsOf = (
  values: Values,
  set: ReadonlySet<string>,
  given: Pick<RunSettings, "tools" | "seeds"> & Pick<Call, "graded" | "prompt">
): RunSettings => {
  const call: Call = {
    mode: values.mode ?? "explore",
    unique: values.uniqueSituations,
    repeatPolicy: values.repeatPolicy,
    concurrency: values.concurrency,
    replay: set.has("tasks"),
    graded: given.graded,
    prompt: given.prompt,
    openers: given.seeds.length
  }
  const placed: Record<string, unknown> = {}
  for (const entry of entries) {
    const { place, setting } = entry
    if (setting === undefined) continue
    const value = givenValue(values, entry)
    const settled =
      value === undefined
        ? defaultOf(setting, call)
        : setting.settle === undefined
          ? value
          : setting.settle(value, call)
    const [first = "", second] = place.split(".")
    if (second === undefined) placed[first] = settled
    else placed[first] = { ...(placed[first] as object | undefined), [second]: settled }
  }
  return {
    // every setting stands at its place
    ...(placed as unknown as Omit<RunSettings, "tools" | "seeds" | "tasks" | "repeatsGiven" | "given">),
    tools: given.tools,
    seeds: given.seeds,
    tasks: null,
    repeatsGiven: values.rolloutsPerRequest !== undefined,
    given: [...set]
  }
}

/** Names of tools in `toolKinds` and fault plans that no tool has; unchecked while no tools are declared. */
const unknownToolNames = (own: Own, { problems, tools }: ReturnType<typeof toolsOf>): ReadonlyArray<OptionIssue> => {
  const known = tools.map((tool) => tool.name)
  const unreadable = (name: string): boolean => problems.some(({ option }) => option.includes(`(${name})`))
  if (known.length === 0) return []
  const named: ReadonlyArray<readonly [string, string]> = [
    ...Object.keys(own.advanced?.toolKinds ?? {}).map((name) => [`advanced.toolKinds.${name}`, name] as const),
    ...plannedFaults(own).map(([place, { tool }]) => [`${place}.tool`, tool] as const)
  ]
  return named
    .filter(([, name]) => name !== "*" && !known.includes(name) && !unreadable(name))
    .map(([option, name]) => ({
      option,
      problem: `names ${JSON.stringify(name)}, which is none of the tools`,
      fix: `The nearest is \`${nearest(name, known)}\`; all: ${known.join(", ")}.`
    }))
}

/** Every fault that is planned, with its place. */
const plannedFaults = ({ advanced, seeds }: Own): ReadonlyArray<readonly [string, PlannedFault]> => [
  ...(advanced?.faultPlan ?? []).map((fault, i) => [`advanced.faultPlan[${i}]`, fault] as const),
  ...seeds.flatMap((seed, i) =>
    typeof seed === "string"
      ? []
      : (seed.plan?.faults ?? []).map((fault, j) => [`seeds[${i}].plan.faults[${j}]`, fault] as const)
  )
]

/** A fault happens at one kind of time. */
const faultTimes = (own: Own): ReadonlyArray<OptionIssue> =>
  plannedFaults(own)
    .filter(([, { nth, count, always }]) => [nth, count, always].filter((each) => each !== undefined).length > 1)
    .map(([option]) => ({
      option,
      problem: "says more than one of `nth`, `count` and `always`",
      fix: "Keep one: nth: [2] is the second call, count: 2 the first two, always: true every one."
    }))

/** One id names one ask. */
const seedIds = (seeds: RunSettings["seeds"]): ReadonlyArray<OptionIssue> => {
  const first = new Map<string, number>()
  return seeds.flatMap(({ id, prompt }, i) => {
    const earlier = id === undefined ? undefined : first.get(id)
    if (id !== undefined && earlier === undefined) first.set(id, i)
    return earlier === undefined || seeds[earlier]?.prompt === prompt
      ? []
      : [
          {
            option: `seeds[${i}].id`,
            problem: `is ${JSON.stringify(id)}, the id of seeds[${earlier}], which asks something else`,
            fix: "Give each ask an id of its own, or none."
          }
        ]
  })
}

const axisIssues = (settings: RunSettings): ReadonlyArray<OptionIssue> =>
  Either.match(Axes.make(settings), { onLeft: (problems) => problems, onRight: () => [] })
