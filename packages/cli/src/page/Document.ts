/**
 * The page as one file: nothing is fetched, and what a row says can run nowhere. Only this page's own script may run, by
 * its hash.
 */
import { createHash } from "node:crypto"
import * as Breakdown from "./Breakdown.ts"
import * as Causes from "./Causes.ts"
import * as Cautions from "./Cautions.ts"
import * as Client from "./Client.ts"
import * as Markup from "./Markup.ts"
import type * as Model from "./Model.ts"
import * as Overview from "./Overview.ts"
import type { Plots } from "./Plots.ts"
import * as RowList from "./RowList.ts"
import { styles } from "./Styles.ts"

const { html } = Markup

/** What tells a page of ours from somebody else's file. */
export const generator = `<meta name="generator" content="sandtable report">`

export interface Drawn {
  readonly plots: Plots
  /** Examples of failures, by row id. */
  readonly examples: ReadonlyMap<string, Markup.Markup>
  readonly threads: RowList.Threads
}

export const render = (model: Model.Model, { examples, plots, threads }: Drawn): string => {
  const sections: ReadonlyArray<readonly [id: string, name: string, content: Markup.Value]> = [
    ["rates", "Pass rates", Overview.headline(model, plots)],
    ["warnings", "Warnings", Cautions.warnings(model)],
    ["failures", "Lost reward", Cautions.failures(model, examples)],
    ["causes", "What goes with it", Causes.section(model)],
    ["lost", "Lost rollouts", Cautions.lost(model)],
    ["parts", "Where it passes", Breakdown.parts(model, plots)],
    ["tasks", "Tasks", Breakdown.tasks(model, plots)],
    ["coverage", "Coverage", Breakdown.grid(model)],
    ["tools", "Tools", Breakdown.tools(model)],
    ["rows", "Rows", RowList.section(model, threads)]
  ]
  const there = sections.filter(([, , content]) => content !== null && content !== false)
  const hash = createHash("sha256").update(Client.script).digest("base64")
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        ${Markup.raw(generator)}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${model.findings.path.split(/[/\\]/).at(-1) ?? ""}: sandtable report</title>
        ${Markup.raw(`<style>${styles}</style>`)}
      </head>
      <body>
        ${Overview.heading(model)}
        <nav aria-label="Sections">
          <ul>
            ${there.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
          </ul>
        </nav>
        <main>${there.map(([, , content]) => content)}</main>
        <footer>
          <p>
            Made by sandtable from <code>${model.findings.path}</code>. This file is all there is: it loads nothing and
            sends nothing.
          </p>
        </footer>
        ${Markup.raw(`<script>${Client.script}</script>`)}
      </body>
    </html>`.text
}
