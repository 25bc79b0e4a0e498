/**
 * What stands against the figures: warnings with their fixes, what lost reward, and the rollouts that were lost.
 */
import * as Asked from "../Asked.ts"
import * as Words from "../Words.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"

const { html } = Markup

/** What stands against the figures: warnings with their fixes, and what they leave out. */
export const warnings = ({ findings: { meta, pass, path, structuralOnly } }: Model.Model): Markup.Value => {
  const told = meta?.warnings ?? []
  const degraded = new Set<string>(meta?.degraded ?? [])
  const notes = [
    ...pass.notes.map(({ message }) => message),
    ...(structuralOnly === 0
      ? []
      : [
          `${Words.count(structuralOnly, "row was", "rows were")} graded by structural rules alone: no word table fits their words.`
        ]),
    ...Object.entries(pass.excluded).map(
      ([arm, rows]) => `${Words.count(rows, "row")} of ${arm} left out of every figure.`
    )
  ]
  const here = (sentence: string): ReadonlyArray<Markup.Value> =>
    marked(Asked.inFlags(sentence).replaceAll("run.lost.jsonl", path.replace(/\.jsonl$/, ".lost.jsonl")))
  return (
    told.length + notes.length > 0 &&
    html`<section id="warnings" aria-labelledby="warnings-title">
      <h2 id="warnings-title">What to know before you rely on it</h2>
      <ul class="warnings">
        ${told.map(
          ({ code, fix, message }) =>
            html`<li class="${degraded.has(code) && "degrades"}">
              <p>
                ${degraded.has(code) ? html`<b>Warning:</b>` : html`<b>Note:</b>`} ${here(message)} <code>${code}</code>
              </p>
              <p class="fix"><b>Fix:</b> ${here(fix)}</p>
            </li>`
        )}
        ${notes.map((note) => html`<li><p>${here(note)}</p></li>`)}
      </ul>
    </section>`
  )
}

/** A sentence with what stands between backticks as code. */
const marked = (sentence: string): ReadonlyArray<Markup.Value> =>
  sentence.split(/`([^`]*)`/).map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))

/** What lost reward, most rows first, with a thread of each. */
export const failures = (model: Model.Model, threads: ReadonlyMap<string, Markup.Markup>): Markup.Value =>
  model.failures.length > 0 &&
  html`<section id="failures" aria-labelledby="failures-title">
    <h2 id="failures-title">What lost reward</h2>
    <ol class="failures">
      ${model.failures.slice(0, mostFailures).map(({ example, name, rows, tasks }) => {
        const thread = threads.get(example.id)
        return html`<li>
          <h3>${name === "" ? "no class given" : html`<code>${name}</code>`}</h3>
          <p>
            <b>${Words.count(rows, "row")}</b> of ${Words.count(tasks, "task")}.
            <button type="button" class="link scripted-only" data-key="loss=${name}">
              Show ${rows === 1 ? "it" : "them"}
            </button>
          </p>
          ${example.reason !== null && html`<p dir="auto">${example.reason}</p>`}
          ${
            thread !== undefined &&
            html`<details>
              <summary>A thread of it, step by step</summary>
              ${thread}
            </details>`
          }
        </li>`
      })}
    </ol>
    ${model.failures.length > mostFailures && html`<p>${model.failures.length - mostFailures} more kinds are in the filter of the rows.</p>`}
  </section>`

/** Kinds of failures whose example is in the page as it is. */
export const mostFailures = 12

export const lost = ({ findings: { pass, path }, lost: reasons }: Model.Model): Markup.Value =>
  reasons.length > 0 &&
  html`<section id="lost" aria-labelledby="lost-title">
    <h2 id="lost-title">Lost rollouts</h2>
    <p>
      ${Words.count(pass.lost.rollouts, "rollout")} gave no row. Their causes are in
      <code>${path.replace(/\.jsonl$/, ".lost.jsonl")}</code>.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Lost rollouts by reason">
      <table>
        <thead>
          <tr>
            <th scope="col">reason</th>
            <th scope="col" class="n">rollouts</th>
            <th scope="col">what was said</th>
          </tr>
        </thead>
        <tbody>
          ${reasons.map(
            ({ details, reason, rollouts }) =>
              html`<tr>
                <th scope="row"><code>${reason}</code></th>
                <td class="n">${Words.whole(rollouts)}</td>
                <td>${details.map((detail) => html`<p dir="auto">${Markup.cut(detail, 300)}</p>`)}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>
  </section>`
