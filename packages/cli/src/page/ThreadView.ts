/**
 * One rollout as a person reads it: who said what, which call was made and what came back, and beside each step what it
 * met: the planned fault, the state of the world, and at the end the verdict.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Rows from "@sandtable/core/Row"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import * as Facts from "./Facts.ts"
import * as Markup from "./Markup.ts"
import * as Words from "../Words.ts"

const { html } = Markup

/** `passAt`: the least reward of a pass. */
export const of = (row: Rows.Row, passAt: number): Markup.Markup => {
  const reward = RowSource.rewardOf(row)
  const sign = badge(Facts.verdictOf(reward, passAt), reward)
  const writes = makeWrites(row)
  const steps = withEnds(row)
  const last = steps.length - 1
  const turning = row.turning_point
  return html`<article class="thread">
    ${heading(row, sign)}
    <ol class="steps">
      ${steps.map((step, i) =>
        line(step, [
          ...(i === 0 ? person(row) : []),
          ...beside(row, step, writes),
          ...(turning !== undefined && steps[i] === row.steps[turning.at] ? [lostHere(turning)] : []),
          ...(i === last ? verdict(row, sign) : [])
        ])
      )}
    </ol>
  </article>`
}

/** Beside the turn at which the row was lost. */
const lostHere = ({ from, to }: Rows.TurningPoint): Markup.Markup =>
  html`<b>lost here</b>: ${Words.percent(from)} of continuations passed from before this turn, ${Words.percent(to)}
    after it`

/** A verdict in a sign, a word and a colour. */
export const badge = (verdict: Facts.Verdict, reward: number | null): Markup.Markup => {
  const word = { pass: "pass", fail: "fail", partial: `no pass (${(reward ?? 0).toFixed(2)})`, ungraded: "not graded" }[
    verdict
  ]
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${signs[verdict]}</span> ${word}</span>`
}

const signs: Readonly<Record<Facts.Verdict, string>> = { pass: "✓", fail: "✗", partial: "◐", ungraded: "–" }

/** The steps with what was asked before them and what was answered after them, where they leave it out. */
const withEnds = ({ final_text, prompt, steps }: Rows.Row): ReadonlyArray<Rows.Step> => {
  const opened = steps.some(Rows.isUserStep)
  const end = steps[steps.length - 1]
  const ended = final_text === "" || (end !== undefined && Rows.isAgentStep(end) && end.text === final_text)
  return [...(opened ? [] : [{ user: prompt }]), ...steps, ...(ended ? [] : [{ text: final_text }])]
}

const heading = (row: Rows.Row, sign: Markup.Markup): Markup.Markup => {
  const { arm, ended_by, judge_name, reason, row_id, task_id, tier, world_state } = row
  const met = new Set(
    row.steps.flatMap((step) => (Rows.isCallStep(step) && step.fault !== undefined ? [step.fault] : []))
  )
  const faults = (row.faults ?? []).map(
    (fault) =>
      html`<li>
        <code>${fault.tool}</code> ${fault.mode}, ${when(fault)}: ${met.has(fault.mode) ? "met" : html`<b>not met</b>`}
      </li>`
  )
  const facts: ReadonlyArray<readonly [string, Markup.Value]> = [
    [
      "faults",
      row.faults === undefined
        ? null
        : faults.length === 0
          ? "none planned"
          : html`<ul>
              ${faults}
            </ul>`
    ],
    ["world", world_state ?? null],
    ["tier", tier ?? null],
    ["tool condition", conditionOf(row)],
    ["arm", arm ?? null],
    ["ended", ended_by ?? null],
    ["graded by", judge_name ?? row.label_source ?? null],
    ["rollout", `${(row.rollout_index ?? 0) + 1} of its ask, run ${RowSource.evalRunOf(row) + 1}`],
    ["task", html`<code>${task_id}</code>`],
    ["row", html`<code>${row_id}</code>`]
  ]
  return html`<header>
    <p class="verdict">
      ${sign} ${row.failure_class !== undefined && html` <code>${row.failure_class}</code>`}
      ${reason !== undefined && html` <span dir="auto">${Markup.cut(reason, longestReason)}</span>`}
    </p>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          value !== null &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`
      )}
    </dl>
  </header>`
}

/** What the tools were to do by the cell: of these conditions the fault rate lets only a part come true. */
const conditionOf = ({ faults, scenario_dimensions }: Rows.Row): string | null => {
  const condition = scenario_dimensions?.["tool_condition"]
  if (condition === undefined) return null
  const isLeftOut = condition !== "success" && condition !== "unspecified" && faults?.length === 0
  return isLeftOut ? `success (${condition} in its cell, which the fault rate left out)` : condition
}

const line = (step: Rows.Step, notes: ReadonlyArray<Markup.Markup>): Markup.Markup => {
  const aside =
    notes.length > 0 &&
    html`<ul class="beside">
      ${notes.map((note) => html`<li>${note}</li>`)}
    </ul>`
  if (Rows.isUserStep(step)) {
    return html`<li class="step user">
      <div class="said">
        <b class="who">person</b>
        ${words(step.user)}
      </div>
      ${aside}
    </li>`
  }
  if (Rows.isCallStep(step)) {
    return html`<li class="step call ${step.status !== "ok" && "failed"}">
      <div class="said">
        <b class="who">${step.called_by === "user" ? "person's call" : "call"}</b>
        <p><code>${step.tool}</code></p>
        <pre tabindex="0">${pretty(step.arguments)}</pre>
        <p class="came">came back</p>
        <pre tabindex="0">${pretty(step.result)}</pre>
      </div>
      ${aside}
    </li>`
  }
  return html`<li class="step agent">
    <div class="said">
      <b class="who">agent</b>
      ${
        step.reasoning !== undefined &&
        html`<details>
          <summary>reasoning</summary>
          ${words(step.reasoning)}
        </details>`
      }
      ${step.text === "" ? html`<p><i>said nothing</i></p>` : words(step.text)}
    </div>
    ${aside}
  </li>`
}

/** What was said, with its lines as they were. */
const words = (text: string): Markup.Markup => html`<p dir="auto"><span class="words">${shortened(text)}</span></p>`

/** What is known of the person, beside the first thing said. */
const person = ({ history, stance, texture, tone }: Rows.Row): ReadonlyArray<Markup.Markup> => {
  const traits = Object.entries({ stance, tone, texture, history }).filter(([, value]) => value !== undefined)
  return traits.map(([name, value]) => html`${name}: <b>${value ?? ""}</b>`)
}

const beside = (row: Rows.Row, step: Rows.Step, writes: Writes): ReadonlyArray<Markup.Markup> => {
  if (Rows.isUserStep(step)) return []
  if (!Rows.isCallStep(step)) return step.truncated === true ? [html`<b>cut off</b> by its length`] : []
  const written = writes.of(step)
  const state = row.world_state ?? null
  return [
    html`status: <b class="${step.status === "ok" ? "fine" : "bad"}">${step.status}</b>, answered by
      ${answerers[step.answered_by]}`,
    ...(step.fault === undefined
      ? []
      : [
          html`<span class="fault">fault: <b>${step.fault}</b></span
            >, as planned`
        ]),
    ...(state === null
      ? []
      : [
          html`world state:
            <b>${state}</b>${writes.soFar() > 0 && ` and ${Words.count(writes.soFar(), "write")} of this rollout`}`
        ]),
    ...(written === null ? [] : [html`the world was changed${written !== "" && html`: <code>${written}</code>`}`])
  ]
}

const answerers: Readonly<Record<Rows.AnsweredBy, string>> = {
  fault: "the planned fault",
  execute: "the tool itself",
  mock: "the mock world",
  mcp: "an MCP server",
  harness: "the harness, which refused it",
  agent: "the agent's own tool",
  user: "the person's own tool"
}

const verdict = (row: Rows.Row, sign: Markup.Markup): ReadonlyArray<Markup.Markup> => {
  const markers = Object.entries(row.markers ?? {}).filter(([, value]) => value !== null && value !== 0)
  return [
    html`verdict: ${sign}`,
    ...(row.failure_class === undefined ? [] : [html`lost reward for <code>${row.failure_class}</code>`]),
    ...(row.reason === undefined ? [] : [html`<span dir="auto">${Markup.cut(row.reason, longestReason)}</span>`]),
    ...(markers.length === 0
      ? []
      : [
          html`markers:
          ${Markup.join(
            markers.map(([name, value]) => html`<code>${name} ${value}</code>`),
            ", "
          )}`
        ])
  ]
}

/** Writes the world kept, each told beside the call that made it. */
interface Writes {
  /** What the call changed: null for nothing, empty where the world does not say what. */
  readonly of: (step: Rows.CallStep) => string | null
  /** Writes told until now. */
  readonly soFar: () => number
}

const makeWrites = ({ world_writes }: Rows.Row): Writes => {
  const left = [...(world_writes ?? [])]
  const all = left.length
  return {
    of: (step) => {
      const words = JSON.stringify(step.arguments)
      const at = left.findIndex(
        (write) => write.tool === step.tool && step.status === "ok" && JSON.stringify(write.arguments) === words
      )
      const [write] = at < 0 ? [] : left.splice(at, 1)
      return write === undefined ? null : [write.entity, write.id].filter((part) => part !== undefined).join(" ")
    },
    soFar: () => all - left.length
  }
}

const when = ({ always, count, nth }: NonNullable<Rows.Row["faults"]>[number]): string =>
  always === true
    ? "always"
    : count !== undefined
      ? count === 1
        ? "the first call"
        : `the first ${count} calls`
      : `call ${(nth ?? []).join(", ")}`

/** Longest texts shown; the file has them whole. */
const longestText = 6000
const longestReason = 1000

const pretty = (value: unknown): string =>
  shortened(typeof value === "string" ? value : (ExactJson.stringify(value, 2) ?? String(value)))

const shortened = (text: string): string =>
  text.length <= longestText
    ? text
    : `${Markup.cut(text, longestText)}\n(${Words.whole(text.length - longestText)} more characters are in the file)`
