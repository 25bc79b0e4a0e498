/**
 * What goes with the failures of a run, as a section of the page.
 */
import * as BlameText from "../BlameText.ts"
import * as Words from "../Words.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"

const { html } = Markup

export const section = ({ findings: { blame }, rules }: Model.Model): Markup.Value => {
  const telling = (blame?.classes ?? []).filter(({ findings }) => findings.length > 0)
  if (blame === null || telling.length === 0) return null
  return html`<section id="causes" aria-labelledby="causes-title">
    <h2 id="causes-title">What goes with it</h2>
    <p>
      Values of the situations, and pairs of them, under which more tasks fail than elsewhere: more than chance
      explains, of ${Words.count(blame.tested, "value or pair", "values and pairs")} that were tried over
      ${Words.count(blame.tasks, "task")}.
      ${blame.left_out > 0 && `${Words.count(blame.left_out, "row")} whose asks were chosen by an earlier failure ${blame.left_out === 1 ? "is" : "are"} left out.`}
    </p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="causes-title">
      <table>
        <thead>
          <tr>
            <th scope="col">Failure</th>
            <th scope="col">With</th>
            <th scope="col" class="n">Failed</th>
            <th scope="col" class="n">Elsewhere</th>
            <th scope="col" class="n">p</th>
          </tr>
        </thead>
        <tbody>
          ${telling.flatMap(({ failure_class, findings }) =>
            findings.map(
              (finding) =>
                html`<tr>
                  <td><code>${failure_class}</code></td>
                  <td dir="auto">${BlameText.worded(finding, rules)}</td>
                  <td class="n">${finding.within.failed} of ${finding.within.of}</td>
                  <td class="n">${finding.elsewhere.failed} of ${finding.elsewhere.of}</td>
                  <td class="n">${BlameText.pValue(finding.adjusted)}</td>
                </tr>`
            )
          )}
        </tbody>
      </table>
    </div>
  </section>`
}
