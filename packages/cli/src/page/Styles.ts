/**
 * The page's looks: system letters, two colours for verdicts that differ in lightness and never stand alone, light and
 * dark by what the reader's system asks for, one column on a phone.
 */
export const styles = `
:root { color-scheme: light dark; --bg: #fdfdfb; --panel: #f4f4ef; --ink: #1d2126; --soft: #575e67; --line: #d9dad4;
  --mark: #29536f; --pass: #1b6aa5; --fail: #b3390b; --mixed: #8a8f98; --warn: #fff3dc; --warn-line: #d79a2b;
  --pass-soft: #e1eef8; --fail-soft: #fbe6dc; --focus: #0b62d6; }
@media (prefers-color-scheme: dark) { :root { --bg: #15181c; --panel: #1e2228; --ink: #e6e8ea; --soft: #a3abb5; --line: #363c45;
  --mark: #8fc1e6; --pass: #7dbcf0; --fail: #ff9a6e; --mixed: #7d8590; --warn: #33290f; --warn-line: #c08a26;
  --pass-soft: #16324a; --fail-soft: #48230f; --focus: #7db4ff; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body { margin: 0 auto; max-width: 62rem; padding: 0 1.25rem 4rem; background: var(--bg); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; margin: 2.75rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p { margin: .4rem 0; }
code, pre { font: .875em/1.45 ui-monospace, monospace; }
small { color: var(--soft); font-size: .85em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.top { padding-top: 1.75rem; }
.kind { color: var(--soft); margin: 0; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; }
.facts div { display: flex; gap: .4rem; max-width: 100%; }
.facts dt { color: var(--soft); flex: none; }
.facts dd { margin: 0; min-width: 0; }
.facts ul { margin: 0; padding: 0; list-style: none; }
nav { position: sticky; top: 0; z-index: 2; background: var(--bg); border-bottom: 1px solid var(--line); margin-top: 1rem; }
nav ul { display: flex; gap: 0 1.1rem; overflow-x: auto; list-style: none; margin: 0; padding: .5rem 0; white-space: nowrap; }
a { color: inherit; }
.lead { font-size: 1.1rem; max-width: 46rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; list-style: none; margin: 1rem 0; padding: 0; }
.cards li { background: var(--panel); border-radius: .5rem; padding: .8rem .9rem; }
.cards p { margin: 0; }
.cards .name { font-weight: 600; }
.cards .figure { font-size: 1.8rem; font-weight: 650; line-height: 1.25; font-variant-numeric: tabular-nums; }
.cards .figure small { font-size: .9rem; font-weight: 400; }
.cards .range { font-variant-numeric: tabular-nums; }
.cards .says { color: var(--soft); font-size: .875rem; }
.counts { display: flex; flex-wrap: wrap; gap: .3rem 1.75rem; list-style: none; margin: 1rem 0; padding: 0; }
figure { margin: 1rem 0 1.5rem; }
figure h3 { margin-bottom: 0; }
figcaption { color: var(--soft); font-size: .92rem; max-width: 46rem; }
figcaption b { color: var(--ink); }
svg.plot { display: block; max-width: 100%; height: auto; margin: .5rem 0; overflow: visible; }
svg.plot text { white-space: pre; }
svg.narrow { display: none; }
.warn, .warnings li { background: var(--panel); border-left: 4px solid var(--line); border-radius: .25rem; padding: .5rem .9rem; margin: .6rem 0; }
.warn, .warnings .degrades { background: var(--warn); border-color: var(--warn-line); }
.warnings { list-style: none; padding: 0; margin: 0; }
.warnings p { margin: .1rem 0; }
.failures { padding-left: 1.4rem; }
.failures > li { margin-bottom: 1.25rem; }
.failures h3 { margin: 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: start; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 500; font-size: .9rem; }
tbody th { font-weight: 500; }
td p { margin: 0 0 .25rem; }
.n { text-align: end; white-space: nowrap; }
.scroll { overflow-x: auto; max-width: 100%; overflow-wrap: normal; }
.scroll.high { max-height: 32rem; overflow-y: auto; }
.passed { white-space: nowrap; }
.marks { letter-spacing: .1em; }
.marks .pass { color: var(--pass); }
.marks .fail { color: var(--fail); }
.tasks td:first-child { overflow-wrap: anywhere; min-width: 12rem; }
.grid { width: auto; font-size: .875rem; }
.grid th, .grid td { border: 1px solid var(--line); padding: .3rem .45rem; }
.grid thead th { max-width: 9rem; vertical-align: bottom; white-space: normal; overflow-wrap: break-word; }
.grid tbody th { min-width: 8rem; max-width: 16rem; white-space: normal; overflow-wrap: break-word; position: sticky; left: 0; background: var(--bg); }
.grid td { text-align: center; white-space: nowrap; }
.grid small { color: inherit; }
.grid .empty { color: var(--soft); }
.grid .l0 { background: var(--fail-soft); box-shadow: inset 0 0 0 2px var(--fail); }
.grid .l1, .grid .l2 { background: var(--fail-soft); }
.grid .l3 { background: color-mix(in srgb, var(--pass-soft) 50%, var(--bg)); }
.grid .l4 { background: var(--pass-soft); }
.badge { display: inline-block; white-space: nowrap; border-radius: 1rem; padding: .05rem .6rem; font-size: .9rem; font-weight: 600; background: var(--panel); color: var(--ink); }
.badge.pass { background: var(--pass-soft); color: var(--pass); }
.badge.fail { background: var(--fail-soft); color: var(--fail); }
.bad, .fault { color: var(--fail); }
.fine { color: var(--pass); }
button, input, select { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--mixed); border-radius: .35rem; padding: .35rem .7rem; min-height: 2.4rem; }
button { cursor: pointer; background: var(--panel); }
button:disabled { opacity: .5; cursor: default; }
button.link:hover { text-decoration-color: currentColor; }
button.link { border: 0; background: none; padding: 0; min-height: 0; text-align: start; text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .2em; }
.filters { display: flex; flex-wrap: wrap; gap: .6rem .8rem; align-items: end; margin-bottom: .75rem; }

.filters label { display: grid; gap: .15rem; font-size: .9rem; color: var(--soft); flex: 1 1 9rem; min-width: 0; }
.filters label[hidden] { display: none; }
.filters input, .filters select { color: var(--ink); width: 100%; min-width: 0; }
.filters .wide { flex: 1 1 100%; }
.rows .a small { display: block; }
@media (min-width: 641px) {
  table.rows { table-layout: fixed; }
  .rows th.v { width: 9.5rem; }
  .rows th.t { width: 6.5rem; }
  .rows th.f { width: 10.5rem; }
  .rows th.n { width: 3.5rem; }
}
.pages { display: flex; gap: .6rem; }
html:not(.scripted) .scripted-only, html.scripted noscript { display: none; }
dialog { width: min(60rem, 100vw - 2rem); max-height: calc(100dvh - 2rem); padding: 0; border: 1px solid var(--line); border-radius: .6rem; background: var(--bg); color: var(--ink); overflow-y: auto; }
dialog::backdrop { background: rgb(0 0 0 / .5); }
.bar { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .6rem 1rem; background: var(--bg); border-bottom: 1px solid var(--line); }
#where { flex: 1; color: var(--soft); }
#inside { padding: .5rem 1rem 1.5rem; }
.thread .verdict { font-size: 1.05rem; }
.thread .facts { font-size: .9rem; }
.failures .thread { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; margin-top: .5rem; }
.steps { list-style: none; margin: 1rem 0 0; padding: 0; }
.step { display: grid; grid-template-columns: minmax(0, 1fr) 17rem; gap: 0 1rem; padding: .6rem 0; border-top: 1px solid var(--line); }
.step .who { display: block; color: var(--soft); font-size: .875rem; font-weight: 500; }
.step .said { border-left: 4px solid var(--line); padding-left: .8rem; min-width: 0; }
.step.user .said { border-color: var(--mixed); }
.step.agent .said { border-color: var(--mark); }
.step.call.failed .said { border-color: var(--fail); }
.step p { margin: .1rem 0; }
.words { white-space: pre-wrap; }
.step .came { color: var(--soft); font-size: .875rem; }
.step pre { margin: .2rem 0; padding: .4rem .6rem; background: var(--panel); border-radius: .3rem; white-space: pre-wrap; max-height: 22rem; overflow-y: auto; }
.beside { list-style: none; margin: 0; padding: 0; font-size: .9rem; color: var(--soft); }
.beside b { color: var(--ink); }
.beside .bad, .beside .fault b { color: var(--fail); }
.beside .fine { color: var(--pass); }
footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
@media (max-width: 640px) {
  body { padding: 0 .9rem 3rem; }
  svg.wide { display: none; }
  svg.narrow { display: block; }
  .cards { grid-template-columns: 1fr 1fr; }
  .marks { display: none; }
  .tasks td:first-child { min-width: 0; }
  .step { grid-template-columns: minmax(0, 1fr); }
  .beside { padding: .3rem 0 0 .8rem; }
  .rows thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .rows tr { display: grid; grid-template-columns: auto auto 1fr; gap: .2rem .8rem; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .rows td { border: 0; padding: 0; text-align: start; font-size: .9rem; max-width: none; }
  .rows .a { grid-column: 1 / -1; grid-row: 2; font-size: 1rem; }
  .rows [data-name]::before { content: attr(data-name) " "; color: var(--soft); }
  .rows .v { grid-row: 1; grid-column: 1; }
  .rows .t { grid-row: 1; }
  .rows .nothing { display: none; }
  .rows .n { grid-row: 1; justify-self: end; }
  .rows .f { grid-row: 3; grid-column: 1 / -1; }
  dialog { width: 100vw; max-width: 100vw; max-height: 100dvh; height: 100dvh; border: 0; border-radius: 0; margin: 0; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; font-size: 11pt; }
  nav, #rows, .scripted-only, dialog { display: none !important; }
  .scroll, .scroll.high { overflow: visible; max-height: none; }
  section, figure, .cards li, .warnings li, tr { break-inside: avoid; }
  section { break-inside: auto; }
  h2, h3, summary { break-after: avoid; }
}
`
