/**
 * The rows: filters, a list that is searched by the page's script, and the threads, packed.
 */
import * as Words from "../Words.ts"
import type * as Facts from "./Facts.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"
import * as Packing from "./Packing.ts"
import * as ThreadView from "./ThreadView.ts"

const { html } = Markup

/** Threads that are in the page, by their rows' ids. */
export interface Threads {
  readonly places: ReadonlyMap<string, Packing.Place>
  readonly blocks: ReadonlyArray<string>
}

export const section = (model: Model.Model, threads: Threads): Markup.Markup => {
  const rows = ordered(model.rows)
  const columns = columnsOf(rows)
  const head = headOf(columns)
  const { path } = model.findings
  const missing = rows.length - threads.places.size
  return html`<section id="rows" aria-labelledby="rows-title">
      <h2 id="rows-title">Rows</h2>
      ${
        missing > 0 &&
        html`<p class="warn">
          <b>${Words.whole(threads.places.size)} of ${Words.whole(rows.length)} threads are in this page</b>, those that
          did not pass first, then some of every task. All rows are listed and counted. <code>--threads all</code> keeps
          every thread.
        </p>`
      }
      <noscript>
        <p>
          Scripts are blocked, so that rows can be neither searched nor opened.
          ${rows.length > withoutScript && `These are ${withoutScript} of ${Words.whole(rows.length)}, those that did not pass first.`}
        </p>
        <table class="rows">
          <thead>
            ${head}
          </thead>
          <tbody>
            ${rows.slice(0, withoutScript).map((row) => line(row, null, columns))}
          </tbody>
        </table>
      </noscript>
      <div class="scripted-only">
        <form class="filters" role="search" aria-label="Rows">
          <label class="wide"
            >Search
            <input id="find" type="search" autocomplete="off" placeholder="words of the ask, the reply, a tool, an id"
          /></label>
          ${filters(model.rows)}
          <label hidden
            >Task
            <select id="task" data-filter></select
          ></label>
          <button type="button" id="clear">Clear</button>
        </form>
        <p class="said"><span id="said" role="status">Unpacking…</span></p>
        <table class="rows">
          <thead>
            ${head}
          </thead>
          <tbody id="list"></tbody>
        </table>
        <p id="none" hidden>Nothing here has all of that. Take a word or a filter away.</p>
        <p class="pages">
          <button type="button" id="back">Earlier rows</button> <button type="button" id="on">More rows</button>
        </p>
      </div>
      <dialog id="thread" aria-label="Thread">
        <div class="bar">
          <button type="button" id="before">← Earlier</button> <button type="button" id="after">Next →</button>
          <span id="where"></span> <button type="button" id="close">Close</button>
        </div>
        <div id="inside"></div>
      </dialog>
      <template id="absent"
        ><p>
          This thread is not in the page. Its row is in <code>${path}</code>; <code>--threads all</code> keeps every
          thread.
        </p></template
      >
    </section>
    ${packed(rows, threads, columns).map((rows, i) => block(`r${i}`, rows))}
    ${threads.blocks.map((threads, i) => block(`t${i}`, threads))}`
}

/** Rows in the page where no script can show more. */
const withoutScript = 30

/** Those that lost reward first; otherwise as they stand in the file. */
const ordered = (rows: ReadonlyArray<Facts.Facts>): ReadonlyArray<Facts.Facts> =>
  [...rows].sort((a, b) => rank[a.verdict] - rank[b.verdict])

const rank: Readonly<Record<Facts.Verdict, number>> = { fail: 0, partial: 1, ungraded: 2, pass: 3 }

/** What the rows of somebody else's log do not have takes no room. */
interface Columns {
  readonly tier: boolean
  readonly fault: boolean
}

const columnsOf = (rows: ReadonlyArray<Facts.Facts>): Columns => ({
  tier: rows.some(({ tier }) => tier !== null),
  fault: rows.some(({ planned }) => planned.length > 0)
})

const headOf = ({ fault, tier }: Columns): Markup.Markup =>
  html`<tr>
    <th scope="col" class="v">verdict</th>
    <th scope="col">ask</th>
    ${tier && html`<th scope="col" class="t">tier</th>`} ${fault && html`<th scope="col" class="f">planned fault</th>`}
    <th scope="col" class="n">steps</th>
  </tr>`

const line = (row: Facts.Facts, number: number | null, { fault, tier }: Columns): Markup.Markup => {
  const ask = Markup.cut(row.ask, longestAsk)
  const faults = row.planned.map((fault) => (row.met.includes(fault) ? fault : `${fault}, not met`))
  return html`<tr>
    <td class="v">${ThreadView.badge(row.verdict, row.reward)}</td>
    <td class="a" dir="auto">
      ${number === null ? ask : html`<button type="button" class="link" data-open="${number}">${ask === "" ? "(no words)" : ask}</button>`}
      <small
        >rollout
        ${row.rollout + 1}${row.evalRun > 0 && ` of run ${row.evalRun + 1}`}${row.failure !== null && row.failure !== "" && html` · <code>${row.failure}</code>`}${row.failure !== null && row.reason !== null && ` · ${Markup.cut(row.reason, longestReason)}`}</small
      >
    </td>
    ${tier && html`<td class="t" data-name="tier">${row.tier ?? "–"}</td>`}
    ${fault && html`<td class="f ${faults.length === 0 && "nothing"}" data-name="fault">${faults.length === 0 ? "–" : faults.join("; ")}</td>`}
    <td class="n" data-name="steps">${row.steps}</td>
  </tr>`
}

const longestAsk = 200
const longestReason = 160

/** Rows unpacked in one go; a list of a million in one text would be longer than a text can be. */
const rowsInBlock = 2000

const packed = (rows: ReadonlyArray<Facts.Facts>, { places }: Threads, columns: Columns): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(rows.length / rowsInBlock) }, (_, block) => {
    const start = block * rowsInBlock
    return Packing.pack(
      rows
        .slice(start, start + rowsInBlock)
        .map((row, i) => [
          line(row, start + i, columns).text,
          row.words,
          keysOf(row),
          places.get(row.id) ?? null,
          row.id
        ])
    )
  })

/** What the filters look for. */
const keysOf = (row: Facts.Facts): ReadonlyArray<string> => [
  `verdict=${row.verdict}`,
  ...(row.tier === null ? [] : [`tier=${row.tier}`]),
  ...(row.planned.length === 0 ? ["fault="] : row.planned.map((fault) => `fault=${fault}`)),
  ...(row.planned.length === 0 ? [] : [row.met.length > 0 ? "met=yes" : "met=no"]),
  ...(row.failure === null ? [] : [`loss=${row.failure}`]),
  ...(row.arm === null ? [] : [`arm=${row.arm}`]),
  `run=${row.evalRun + 1}`,
  `task=${row.task}`
]

/** A filter for each thing that rows differ in. */
const filters = (rows: ReadonlyArray<Facts.Facts>): ReadonlyArray<Markup.Value> => {
  const counts = new Map<string, Map<string, number>>()
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const name = key.slice(0, key.indexOf("="))
      const values = counts.get(name) ?? new Map<string, number>()
      counts.set(name, values.set(key, (values.get(key) ?? 0) + 1))
    }
  }
  return labels.map(([name, label, empty]) => {
    const values = counts.get(name) ?? new Map<string, number>()
    const listed = [...values].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    return (
      (values.size > 1 || name === "verdict" || (name === "loss" && values.size > 0)) &&
      html`<label>
        ${label}
        <select data-filter>
          <option value="">all</option>
          ${listed.map(([key, count]) => {
            const value = key.slice(name.length + 1)
            return html`<option value="${key}">${value === "" ? empty : value} (${Words.whole(count)})</option>`
          })}
        </select>
      </label>`
    )
  })
}

const labels: ReadonlyArray<readonly [name: string, label: string, empty: string]> = [
  ["verdict", "Verdict", ""],
  ["tier", "Tier", ""],
  ["fault", "Planned fault", "none"],
  ["met", "Fault met", ""],
  ["loss", "Lost reward for", "no class given"],
  ["arm", "Arm", ""],
  ["run", "Eval run", ""]
]

const block = (id: string, content: string): Markup.Markup =>
  html`<script type="application/octet-stream" id="${id}">
    ${Markup.raw(content)}
  </script>`
