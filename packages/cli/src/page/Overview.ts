/**
 * The top of the page: what a person who has to decide reads first. Which run it is, and its pass rates with their
 * intervals.
 */
import type { Interval } from "@sandtable/core/Measured"
import type { RunMeta } from "@sandtable/core/unstable/RunMeta"
import * as Summary from "../Summary.ts"
import * as Words from "../Words.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"
import type { Plots, Rate } from "./Plots.ts"

const { html } = Markup

export const heading = ({ findings: { meta, path } }: Model.Model): Markup.Markup => {
  const cut = meta?.status === "running" || meta?.status === "interrupted" || meta?.status === "failed"
  const facts: ReadonlyArray<readonly [string, Markup.Value]> =
    meta === null
      ? [["run", "rows without a meta file: how they were made is not known"]]
      : [
          ["run", html`<code>${meta.run_id}</code>`],
          ["started", instant(meta.started_at)],
          ["agent", meta.report?.models.agent ?? meta.profile.agent],
          ["asks by", meta.report?.models.writer ?? null],
          ["person", meta.report?.models.user ?? null],
          ["judge", meta.report?.models.judge ?? null],
          [
            "stopped",
            meta.status === "running"
              ? "it was cut off, or still goes on"
              : meta.stopped_because === null
                ? null
                : Words.stopReason(meta.stopped_because)
          ]
        ]
  return html`<header class="top">
    <p class="kind">sandtable report</p>
    <h1>${nameOf(path)}</h1>
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
    ${cut && html`<p class="warn"><b>The run did not end by itself.</b> Its figures are those of the rows that are there.</p>`}
  </header>`
}

/** The rates there are, as figures and as one drawing. */
export const headline = (model: Model.Model, plots: Plots): Markup.Markup => {
  const { pass } = model.findings
  const rates = ratesOf(model)
  const [once] = rates
  const { graded, groups, k, lost, tasks, tasks_of } = pass
  const counts: ReadonlyArray<readonly [string, string, string]> = [
    [
      "rows",
      Words.whole(graded.of),
      graded.duplicates === 0 ? "" : `${Words.whole(graded.duplicates)} copies not counted`
    ],
    [
      "tasks",
      Words.whole(tasks_of),
      `${tasks === tasks_of ? "" : `${Words.whole(tasks)} of them graded, `}${Words.count(groups, "group")} of rollouts`
    ],
    ["k", k === null ? "–" : String(k), k === null ? "no k numbers" : "rollouts of an ask"],
    ["graded", Words.whole(graded.graded), graded.graded === graded.of ? "all rows" : `of ${Words.whole(graded.of)}`],
    ["lost", Words.whole(lost.rollouts), lostWords(model)]
  ]
  return html`<section id="rates" aria-labelledby="rates-title">
    <h2 id="rates-title">Pass rates</h2>
    ${
      once === undefined
        ? html`<p class="warn"><b>There is no pass rate:</b> no row has a reward.</p>`
        : html`<p class="lead">${sentence(model)} Graded by ${Words.gradersOf(model.findings.graders)}.</p>
            <ul class="cards">
              ${rates.map(
                (rate) =>
                  html`<li>
                    <p class="name">${rate.name}</p>
                    <p class="figure">
                      ${rate.bounded && html`<small>${rate.bounded}</small> `}${Words.percent(rate.value)}
                    </p>
                    <p class="range">${within(rate.interval, rate.bound)}</p>
                    <p class="says">${rate.says}</p>
                  </li>`
              )}
            </ul>
            <figure>
              ${plots.rates(
                "Pass rates with 95% intervals; the figures are in the cards above",
                // a difference of rates is none
                rates.filter(({ name }) => name !== "headroom")
              )}
              <figcaption>
                Points are means over tasks, lines their 95% intervals over
                tasks${rates.some(({ bound, interval }) => interval === null && bound !== null) && "; broken lines are what the rule of three leaves possible, where all tasks have one rate"}.
              </figcaption>
            </figure>`
    }
    <ul class="counts">
      ${counts.map(([name, value, says]) => html`<li><b>${value}</b> ${name}${says !== "" && html` <small>${says}</small>`}</li>`)}
    </ul>
    ${curve(model, plots)} ${fractional(model)} ${runs(model)}
  </section>`
}

const lostWords = ({ findings: { meta, pass } }: Model.Model): string =>
  pass.lost.rollouts > 0 ? "rollouts without a row" : meta === null ? "that is known of" : "every rollout gave a row"

interface Card extends Rate {
  /** `at most`, for a bound. */
  readonly bounded: string
  readonly says: string
}

const ratesOf = ({ findings: { meta, pass } }: Model.Model): ReadonlyArray<Card> => {
  const { k, k_groups, k_reading, lost } = pass
  const card = (
    name: string,
    value: number | null,
    interval: Interval | null,
    says: string,
    more: { readonly bounded?: string; readonly bound?: Interval | null } = {}
  ): ReadonlyArray<Card> =>
    value === null ? [] : [{ name, value, interval, says, bound: null, bounded: "", note: "", ...more }]
  const [most, least] = k_reading === "bound" ? ["at most", "at least"] : ["", ""]
  const groups = `over ${Words.count(k_groups, "group")}`
  return [
    ...card(
      "pass@1",
      pass.pass_at_1,
      pass.pass_at_1_interval,
      lost.rollouts > 0
        ? "of rollouts pass, lost ones left out"
        : meta === null
          ? "of rollouts pass"
          : "of rollouts pass; none was lost",
      { bound: pass.pass_at_1_bound }
    ),
    ...(lost.rollouts === 0
      ? []
      : card(
          "pass@1, lost as failures",
          lost.pass_at_1,
          lost.pass_at_1_interval,
          `the ${Words.whole(lost.rollouts)} lost read as failures of their asks`
        )),
    ...(k === null
      ? []
      : [
          ...card(`pass^${k}`, pass.pass_hat_k, pass.pass_hat_k_interval, `all of ${k} rollouts pass, ${groups}`, {
            bounded: most
          }),
          ...card(`pass@${k}`, pass.pass_at_k, pass.pass_at_k_interval, `any of ${k} rollouts passes, ${groups}`, {
            bounded: least
          }),
          ...card(
            "headroom",
            pass.headroom,
            pass.headroom_interval,
            `pass@${k} less pass@1: what more tries could win`,
            {
              bounded: least
            }
          )
        ])
  ]
}

const sentence = ({ findings: { pass } }: Model.Model): Markup.Value => {
  const { graded, lost, pass_at_1, pass_at_1_bound, pass_at_1_interval, rows, tasks, tasks_of } = pass
  const strict = lost.rollouts > 0 && lost.pass_at_1 !== null
  const range = pass_at_1_interval ?? pass_at_1_bound
  return html`The agent passed in <b>${Words.percent(pass_at_1 ?? 0)}</b> of rollouts, a mean over
    ${Words.over({ tasks, tasks_of, rows, rows_of: graded.of })}${
      range === null
        ? ", too few for an interval"
        : `; over tasks like these the true rate lies between ${Words.percent(range[0])} and ${Words.percent(range[1])} (95%)`
    }.${strict && html` With lost rollouts as failures it is <b>${Words.percent(lost.pass_at_1 ?? 0)}</b>.`}`
}

/** An interval in words; a bound is told as what it is. */
export const within = (interval: Interval | null, bound: Interval | null): string =>
  interval !== null
    ? `${Words.percent(interval[0])} to ${Words.percent(interval[1])}`
    : bound !== null
      ? `all tasks alike; ${Words.percent(bound[0])} to ${Words.percent(bound[1])} possible`
      : "no interval"

const curve = ({ curve: points }: Model.Model, plots: Plots): Markup.Value =>
  points.length > 0 &&
  html`<figure>
    <figcaption>
      <b>How far a pass can be relied on.</b> The full line is the chance that all of k rollouts pass, the broken one
      that any does.
    </figcaption>
    ${plots.lines("Pass^k and pass@k by the number of rollouts; the figures are in the table below", points)}
    <details>
      <summary>Figures</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">k</th>
            <th scope="col">all pass</th>
            <th scope="col">any passes</th>
          </tr>
        </thead>
        <tbody>
          ${points.map(
            ({ all, any, k }) =>
              html`<tr>
                <th scope="row">${k}</th>
                <td>${Words.percent(all)}</td>
                <td>${Words.percent(any)}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </details>
  </figure>`

const fractional = ({ findings: { pass } }: Model.Model): Markup.Value => {
  const half = Words.halfCredit(pass.fractional.rows, pass.pass_mark)
  return (
    pass.mean_reward !== null &&
    half !== "" &&
    html`<p>
      ${half.charAt(0).toUpperCase()}${half.slice(1)}. With half credit the mean reward is
      <b>${pass.mean_reward.toFixed(3)}</b> over ${Words.of(pass.tasks, pass.tasks_of, "task")}.
    </p>`
  )
}

const runs = ({ findings: { variance } }: Model.Model): Markup.Value =>
  variance !== null &&
  html`<p>
    Eval runs:
    ${variance.runs.map(({ mean }) => (mean === null ? "–" : Words.percent(mean))).join(", ")}${Words.spread(variance)};
    over ${Words.of(variance.tasks, variance.tasks_of, "task")} in every run.
  </p>`

export const spending = (meta: RunMeta | null): Markup.Value => {
  const lines = Summary.spending({ usage: meta?.report?.usage ?? {}, cost: meta?.report?.cost ?? {} })
  return lines.length > 0 && html`<p>Tokens: ${lines.join("; ")}</p>`
}

/** `2026-01-31 14:05 UTC`. */
const instant = (iso: string): string => iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2 UTC")

const nameOf = (path: string): string => path.split(/[/\\]/).at(-1) ?? path
