/**
 * Where the agent passes and where it does not: by tier, fault and arm, by task, by cell of the grid, by tool.
 */
import * as Words from "../Words.ts"
import type * as Grid from "./Grid.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"
import * as Overview from "./Overview.ts"
import type { Plots } from "./Plots.ts"

const { html } = Markup

export const parts = (model: Model.Model, plots: Plots): Markup.Value =>
  model.parts.length > 0 &&
  html`<section id="parts" aria-labelledby="parts-title">
    <h2 id="parts-title">Where it passes</h2>
    <p>Rates are means over tasks, lines their 95% intervals. Where lines overlap, a difference may be chance.</p>
    ${model.parts.map((of) => part(of, plots))}
  </section>`

const part = ({ key, note, parts, title }: Model.Parts, plots: Plots): Markup.Markup => {
  const drawn = parts.flatMap(({ bound, interval, name, tasks, tasks_of, value }) =>
    value === null ? [] : [{ name, value, interval, bound, note: Words.of(tasks, tasks_of, "task") }]
  )
  return html`<figure>
    <h3>${title}</h3>
    <figcaption>${note}</figcaption>
    ${plots.rates(`Pass rates ${title.toLowerCase()}; the figures are in the table below`, drawn)}
    <details>
      <summary>Figures</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Figures ${title.toLowerCase()}">
        <table>
          <thead>
            <tr>
              <th scope="col">${key}</th>
              <th scope="col" class="n">pass@1</th>
              <th scope="col">95% interval</th>
              <th scope="col" class="n">tasks</th>
              <th scope="col" class="n">rows</th>
              ${key === "fault" && html`<th scope="col" class="n">rows that met it</th>`}
            </tr>
          </thead>
          <tbody>
            ${parts.map(
              ({ bound, graded, interval, met, name, rows, tasks, tasks_of, value }) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  <td class="n">${value === null ? "–" : Words.percent(value)}</td>
                  <td>${value === null ? "not graded" : Overview.within(interval, bound)}</td>
                  <td class="n">${amount(tasks, tasks_of)}</td>
                  <td class="n">${amount(graded, rows)}</td>
                  ${key === "fault" && html`<td class="n">${met === null ? "–" : Words.whole(met)}</td>`}
                </tr>`
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
}

/** How many, and of how many where there are more. */
const amount = (n: number, all: number): string =>
  n === all ? Words.whole(n) : `${Words.whole(n)} of ${Words.whole(all)}`

/** Tasks in the table: the worst ones. */
const mostTasks = 100

export const tasks = ({ spread, tasks }: Model.Model, plots: Plots): Markup.Value => {
  if (tasks.length === 0) return null
  const colours = ["fail", "mixed", "mixed", "pass"] as const
  const bars = spread.map(({ name, tasks }, i) => ({ name, count: tasks, colour: colours[i] ?? "mixed" }))
  const said = spread.map(({ name, tasks }) => `${name}: ${tasks}`).join(", ")
  return html`<section id="tasks" aria-labelledby="tasks-title">
    <h2 id="tasks-title">By task</h2>
    <figure>
      <figcaption>
        <b>How many tasks pass how often.</b> A task is a situation, with all its phrasings and rollouts.
      </figcaption>
      ${plots.bars(`Tasks by their pass rate: ${said}`, bars)}
    </figure>
    <details ${tasks.some(({ pass_at_1 }) => pass_at_1 < 1) && Markup.raw("open")}>
      <summary>
        ${tasks.length > mostTasks ? `The worst ${mostTasks} of ${Words.count(tasks.length, "task")}` : `All ${Words.count(tasks.length, "task")}, the worst first`}
      </summary>
      <div class="scroll high" tabindex="0" role="region" aria-label="Pass rate of each task">
        <table class="tasks">
          <thead>
            <tr>
              <th scope="col">one of its asks</th>
              <th scope="col">passed</th>
              <th scope="col" class="n">rate</th>
            </tr>
          </thead>
          <tbody>
            ${tasks.slice(0, mostTasks).map(
              ({ ask, pass_at_1, passes, task, verdicts }) =>
                html`<tr>
                  <td dir="auto">
                    <span data-key="task=${task}">${Markup.cut(ask, 160)}</span>
                  </td>
                  <td class="passed">${marks(passes, verdicts)}</td>
                  <td class="n">${Words.percent(pass_at_1)}</td>
                </tr>`
            )}
          </tbody>
        </table>
      </div>
    </details>
  </section>`
}

/** Each rollout a mark, as long as they can be counted at a glance. */
const marks = (passes: number, verdicts: number): Markup.Markup =>
  html`<span class="marks" aria-hidden="true"
      >${
        verdicts <= 12 &&
        html`<span class="pass">${"●".repeat(passes)}</span><span class="fail">${"○".repeat(verdicts - passes)}</span>`
      }</span
    >
    ${passes} of ${verdicts}`

export const grid = ({ findings: { meta }, grid, rules }: Model.Model): Markup.Value => {
  const coverage = meta?.report?.coverage ?? null
  if (grid === null && coverage === null) return null
  const debt = coverage?.debt ?? null
  const named = (axis: string, value: string): string => (axis === "rule" ? (rules.get(value) ?? value) : value)
  return html`<section id="coverage" aria-labelledby="coverage-title">
    <h2 id="coverage-title">Coverage</h2>
    ${
      coverage !== null &&
      html`<p>
        <b>${coverage.fraction === null ? "–" : Words.percent(coverage.fraction)}</b>: ${Words.whole(coverage.covered)}
        of ${Words.whole(coverage.planned)} ${coverage.strength === 2 ? "pairs" : `sets of ${coverage.strength}`} of
        axis values were met.
        ${debt !== null && `About ${Words.count(debt.rows, "more row")} would cover the ${Words.whole(debt.missing_count)} that are missing.`}
      </p>`
    }
    ${
      grid !== null &&
      grid.gaps.length > 0 &&
      html`<p>
        Never drawn:
        ${Markup.join(
          grid.gaps.map(([axis, values]) => html`${axis} ${values.map((value) => named(axis, value)).join(", ")}`),
          "; "
        )}.
      </p>`
    }
    ${
      grid !== null &&
      html`<p>
          Each cell: tasks that stood in it, and how often they passed. Not every empty cell can be filled: some values
          exclude each other.
        </p>
        ${grid.pairs.map((pair, i) => table(pair, named, i === 0))}`
    }
  </section>`
}

const table = (pair: Grid.Pair, named: (axis: string, value: string) => string, open: boolean): Markup.Markup => {
  const all = pair.downValues.length * pair.acrossValues.length
  return html`<details ${open && Markup.raw("open")}>
    <summary>${pair.down} × ${pair.across} <small>${pair.filled} of ${all} cells</small></summary>
    <div class="scroll" tabindex="0" role="region" aria-label="${pair.down} by ${pair.across}">
      <table class="grid">
        <thead>
          <tr>
            <td></td>
            ${pair.acrossValues.map((value) => heading("col", named(pair.across, value)))}
          </tr>
        </thead>
        <tbody>
          ${pair.cells.map(
            (cells, i) =>
              html`<tr>
                ${heading("row", named(pair.down, pair.downValues[i] ?? ""))}${cells.map(cell)}
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </details>`
}

const heading = (scope: "col" | "row", name: string): Markup.Markup =>
  name.length > 34
    ? html`<th scope="${scope}" title="${name}">${Markup.cut(name, 33)}</th>`
    : html`<th scope="${scope}">${name.replaceAll("_", " ")}</th>`

const cell = ({ rate, tasks }: Grid.Cell): Markup.Markup =>
  tasks === 0
    ? html`<td class="empty">·</td>`
    : html`<td class="${rate === null ? "seen" : `seen ${level(rate)}`}">
        ${tasks}${rate !== null && html` <small>${Math.round(rate * 100)}%</small>`}
      </td>`

/** Five shades, so that a cell's rate is seen before it is read. */
const level = (rate: number): string => `l${Math.min(4, Math.floor(rate * 5))}`

export const tools = ({ findings: { meta } }: Model.Model): Markup.Value => {
  const tools = Object.entries(meta?.report?.tools ?? {})
  const dead = new Set(meta?.report?.dead_tools ?? [])
  return (
    tools.length > 0 &&
    html`<section id="tools" aria-labelledby="tools-title">
      <h2 id="tools-title">Tools</h2>
      <div class="scroll" tabindex="0" role="region" aria-label="Calls by tool">
        <table>
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col" class="n">calls</th>
              <th scope="col" class="n">answered</th>
              <th scope="col" class="n">rows with a fault planned</th>
              <th scope="col" class="n">calls that met one</th>
            </tr>
          </thead>
          <tbody>
            ${tools.map(
              ([name, { calls, faults_fired, faults_planned, ok }]) =>
                html`<tr>
                  <th scope="row">
                    <code>${name}</code
                    >${dead.has(name) && html` <b class="bad">almost never answered</b>`}${calls === 0 && html` <b class="bad">never called</b>`}
                  </th>
                  <td class="n">${Words.whole(calls)}</td>
                  <td class="n">${Words.whole(ok)}</td>
                  <td class="n">${Words.whole(faults_planned)}</td>
                  <td class="n">${Words.whole(faults_fired)}</td>
                </tr>`
            )}
          </tbody>
        </table>
      </div>
      ${Overview.spending(meta)}
    </section>`
  )
}
