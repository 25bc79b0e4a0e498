/**
 * Whether two sides differ only in what is under test.
 */
import type { Note } from "../Measured.ts"
import * as Statistics from "../Statistics.ts"
import type { Origin } from "./origin.ts"
import type { Pairing, Side } from "./pairing.ts"
import * as Words from "./words.ts"

/** What is under test, and who said so. */
export interface Declared {
  readonly changed: ReadonlyArray<string>
  readonly recorded: boolean
}

export interface Comparability {
  readonly declared: Declared
  readonly causes: ReadonlyArray<Note>
  readonly notes: ReadonlyArray<Note>
}

/** A gap in what was graded or answered counts when chance would make it this rarely, and it is past the band, or this. */
const highestP = 0.01
const bigGap = 0.1

/** `band`: the noise band of pass rates, where it is known. */
export const judge = (
  pairing: Pairing,
  changed: string | ReadonlyArray<string> | undefined,
  band: number | null
): Comparability => {
  const [a, b] = [profileOf(pairing.a), profileOf(pairing.b)]
  const declared = declaredOf(changed, a, b)
  const names = new Set(declared.changed)
  const differing = sameness.flatMap(({ field, word, label }) => {
    const [before, after] = [a.of(field), b.of(field)]
    return differs(before, after) ? [{ word, label, before, after }] : []
  })
  // Of another grader the version says nothing more.
  const undeclared = differing.filter(
    ({ word }, i) => !names.has(word) && differing.findIndex((each) => each.word === word) === i
  )
  return {
    declared,
    causes: [
      ...unpaired(pairing),
      ...undeclared.flatMap((difference) => (mayDiffer.has(difference.word) ? [] : [differenceNote(difference)])),
      ...shareGap("graded", a.graded, a.rows, b.graded, b.rows, band),
      ...shareGap("answered", a.answered, a.rows, b.answered, b.rows, band)
    ],
    notes: [
      ...undeclared.flatMap(({ word, label, before, after }) =>
        mayDiffer.has(word)
          ? [
              {
                code: "undeclared",
                message: `The ${label} differs (${values(before)}, then ${values(after)}) and was not declared: it is part of what is compared.`
              }
            ]
          : []
      ),
      ...declared.changed.flatMap((word) => {
        const known = sameness.find((each) => each.word === word)
        if (known === undefined || differing.some((each) => each.word === word)) return []
        if (a.of(known.field).size === 0 || b.of(known.field).size === 0) return []
        return [
          { code: "unchanged", message: `The ${known.label} was declared as changed and is the same on both sides.` }
        ]
      })
    ]
  }
}

const sameness: ReadonlyArray<{ readonly field: keyof Origin; readonly word: string; readonly label: string }> = [
  { field: "writer", word: "writer", label: "writer" },
  { field: "user", word: "user", label: "user model" },
  { field: "grader", word: "grader", label: "grader" },
  { field: "graderVersion", word: "grader", label: "grader's version" },
  { field: "prompt", word: "prompt", label: "system prompt" },
  { field: "model", word: "model", label: "agent's model" },
  { field: "temperature", word: "temperature", label: "temperature" }
]

/** Comparing two models is what comparisons are for; the rest has to be declared. */
const mayDiffer = new Set(["model", "temperature"])

/** Other words for the same. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["system_prompt", "prompt"],
  ["systemPrompt", "prompt"],
  ["policy", "prompt"],
  ["judge", "grader"],
  ["user_model", "user"],
  ["userModel", "user"],
  ["writer_model", "writer"],
  ["simulator", "writer"],
  ["agent", "model"],
  ["model_version", "model"]
])

interface Profile {
  readonly rows: number
  readonly graded: number
  readonly answered: number
  readonly of: (field: keyof Origin) => ReadonlySet<string>
}

/** Who made the counted rows of the shared tasks, and how many of them were answered and graded. */
const profileOf = ({ table, tasks }: Side): Profile => {
  const seen = new Set<number>()
  let rows = 0
  let graded = 0
  let answered = 0
  for (const group of table.groups) {
    if ((tasks.of[group.ask.number] as number) < 0) continue
    rows += group.lost
    for (let i = group.start; i < group.end; i++) {
      const row = table.order[i] as number
      rows += 1
      if (!Number.isNaN(table.reward.at(row))) graded += 1
      answered += table.answered.at(row)
      seen.add(table.origin.at(row))
    }
  }
  const of = (field: keyof Origin): ReadonlySet<string> => {
    const found = new Set<string>()
    for (const number of seen) {
      const value = table.origins.all[number]?.[field]
      if (value !== undefined) found.add(value === null ? none : String(value))
    }
    return found
  }
  return { rows, graded, answered, of }
}

const none = "none"

const differs = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size > 0 && b.size > 0 && (a.size !== b.size || [...a].some((value) => !b.has(value)))

/**
 * What the caller declares, else what a replay recorded of itself: against the other side, or against one source that
 * both sides replay.
 */
const declaredOf = (changed: string | ReadonlyArray<string> | undefined, a: Profile, b: Profile): Declared => {
  if (changed !== undefined) {
    const words = typeof changed === "string" ? [changed] : changed
    return { changed: [...new Set(words.map((word) => aliases.get(word) ?? word))], recorded: false }
  }
  const [runsA, runsB] = [a.of("run"), b.of("run")]
  const [sourcesA, sourcesB] = [a.of("replayedFrom"), b.of("replayedFrom")]
  const meets = (some: ReadonlySet<string>, others: ReadonlySet<string>) => [...some].some((one) => others.has(one))
  const siblings = meets(sourcesA, sourcesB)
  const words = [
    ...(siblings || meets(sourcesA, runsB) ? a.of("changed") : []),
    ...(siblings || meets(sourcesB, runsA) ? b.of("changed") : [])
  ].flatMap((list) => JSON.parse(list) as ReadonlyArray<unknown>)
  return { changed: [...new Set(words.filter((word) => typeof word === "string"))].sort(), recorded: true }
}

const unpaired = ({ onlyA, onlyB, shared }: Pairing): ReadonlyArray<Note> => {
  const all = shared + onlyA + onlyB
  if (all === 0 || shared * 2 >= all) return []
  const message = `The sides share ${shared} of ${Words.count(all, "task")}: the rest would compare different asks. Replay the first run's tasks (\`tasks\`) to keep every pair.`
  return [{ code: "unpaired", message }]
}

const differenceNote = (difference: {
  readonly word: string
  readonly label: string
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
}): Note => {
  const { after, before, label, word } = difference
  const shown = word === "prompt" ? "" : ` (${values(before)}, then ${values(after)})`
  return {
    code: `${word}_differs`,
    message: `The ${label} differs${shown}, and \`changed\` does not name it. Keep it the same, or declare \`changed: "${word}"\` if it is what you test.`
  }
}

const values = (set: ReadonlySet<string>): string => Words.some([...set].sort())

const shareGap = (
  what: "graded" | "answered",
  a: number,
  nA: number,
  b: number,
  nB: number,
  band: number | null
): ReadonlyArray<Note> => {
  if (nA === 0 || nB === 0 || (what === "graded" && (a === 0 || b === 0))) return []
  const test = Statistics.twoProportion(a, nA, b, nB)
  const gap = Math.abs(b / nB - a / nA)
  if (test === null || test.p >= highestP || gap <= Math.min(band ?? bigGap, bigGap)) return []
  const why =
    what === "graded"
      ? "what has no reward leaves the rate, so the rates are of different rows. Find out why rewards are missing."
      : "the agent was cut or said nothing more often on one side. Give it the room to answer on both."
  const message = `${what === "graded" ? "Graded" : "Answered"} were ${Words.percent(a / nA)} of the rows, then ${Words.percent(b / nB)} (p ${Words.plain(test.p)}): ${why}`
  return [{ code: `${what}_share`, message }]
}
