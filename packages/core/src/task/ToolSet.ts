/**
 * The tools of a run, compiled once: one value that the world, the rollouts and the graders of the run share.
 */
import type { Tool } from "./Tool.ts"
import * as ToolKind from "./ToolKind.ts"
import * as ValueCheck from "./internal/valueCheck.ts"

/** What a tool's name and kind say of it. */
export interface KnownTool {
  readonly name: string
  readonly kind: ToolKind.ToolKind
  /** Whether calls of it change the world. */
  readonly writes: boolean
  readonly destructive: boolean
  /** The words of its name. */
  readonly words: ReadonlySet<string>
  /** The last of them: mostly what the tool works on. */
  readonly noun: string
}

/** A declared tool, read. */
export interface CompiledTool extends Tool, KnownTool {
  /** The first problem of an arguments object against `parameters`, or null. The schema is compiled at the first call. */
  readonly check: (args: unknown) => string | null
}

export class ToolSet {
  /** The tools as they were declared, in their order. */
  readonly list: ReadonlyArray<Tool>
  readonly byName: ReadonlyMap<string, CompiledTool>
  readonly #derived = new Map<unknown, unknown>()

  constructor(tools: ReadonlyArray<Tool>) {
    this.list = tools
    this.byName = new Map(
      tools.map((tool) => [
        tool.name,
        { ...tool, ...knownTool(tool.name, tool.kind, tool.destructive), check: ValueCheck.compile(tool.parameters) }
      ])
    )
  }

  get size(): number {
    return this.list.length
  }

  has(name: string): boolean {
    return this.byName.has(name)
  }

  get(name: string): CompiledTool | undefined {
    return this.byName.get(name)
  }

  /** A tool by its name; one that nobody declared is read from its name alone. */
  known(name: string): KnownTool {
    return this.byName.get(name) ?? knownTool(name, ToolKind.classify(name, ""))
  }

  /** What `compile` makes of the tools: made the first time it is asked for, kept with the set. Give a function of a module. */
  derived<A>(compile: (tools: ToolSet) => A): A {
    if (!this.#derived.has(compile)) this.#derived.set(compile, compile(this))
    return this.#derived.get(compile) as A
  }
}

/** The set of some tools; a set is its own. */
export const make = (tools: ReadonlyArray<Tool> | ToolSet): ToolSet => ("byName" in tools ? tools : new ToolSet(tools))

const knownTool = (name: string, kind: ToolKind.ToolKind, destructive = ToolKind.isDestructive(kind)): KnownTool => {
  const words = ToolKind.wordsOf(name)
  return { name, kind, writes: ToolKind.writes(kind), destructive, words: new Set(words), noun: words.at(-1) ?? "" }
}
