/**
 * Drawings as SVG in text, for a page without scripts. Colours are the page's variables, so that light and dark both
 * work; each drawing has a name, and a table of its figures stands beside it.
 *
 * Each is drawn twice, wide and narrow: one drawing shrunk to a phone could not be read.
 */
import type { Interval } from "@sandtable/core/Measured"
import * as Words from "../Words.ts"
import * as Markup from "./Markup.ts"

export interface Plots {
  readonly rates: (name: string, rates: ReadonlyArray<Rate>) => Markup.Markup
  readonly bars: (name: string, bars: ReadonlyArray<Bar>) => Markup.Markup
  readonly lines: (name: string, points: ReadonlyArray<Point>) => Markup.Markup
}

/** A rate with its interval; a bound is drawn as a broken line. */
export interface Rate {
  readonly name: string
  readonly value: number
  readonly interval: Interval | null
  readonly bound: Interval | null
  /** Behind the figure, where there is room. */
  readonly note: string
}

export interface Bar {
  readonly name: string
  readonly count: number
  readonly colour: Colour
}

export interface Point {
  readonly k: number
  readonly all: number
  readonly any: number
}

export type Colour = "pass" | "fail" | "mixed"

/** The drawing library, which is loaded by the first page that is written. */
export const load = async (): Promise<Plots> => {
  const [Plot, { parseHTML }] = await Promise.all([import("@observablehq/plot"), import("linkedom")])
  const { document } = parseHTML("<!doctype html><html><body></body></html>")
  type Options = NonNullable<Parameters<typeof Plot.plot>[0]>

  const drawn = (name: string, options: (size: Size) => Options): Markup.Markup =>
    Markup.join(
      sizes.map((size) => {
        const style = { background: "none", color: "inherit", fontSize: "12px" }
        const svg = Plot.plot({ document, width: size.width, style, ...options(size) })
        svg.querySelector("style")?.remove()
        svg.setAttribute("class", `plot ${size.name}`)
        svg.setAttribute("role", "img")
        svg.setAttribute("aria-label", name)
        return Markup.raw(svg.outerHTML)
      }),
      ""
    )

  return {
    rates: (name, rates) =>
      drawn(name, (size) => {
        const labels = rates.map((rate) => Markup.cut(rate.name, size.longestLabel))
        const left = Math.max(...labels.map(({ length }) => length)) * letter + 14
        const lines = rates.flatMap(({ bound, interval }, i) => {
          const range = interval ?? bound
          return range === null ? [] : [{ i, low: range[0] * 100, high: range[1] * 100, sure: interval !== null }]
        })
        const figure = ({ note, value }: Rate): string =>
          size.name === "wide" ? `${Words.percent(value)}  ${note}` : Words.percent(value)
        return {
          height: rates.length * 30 + 44,
          marginTop: 8,
          marginBottom: 36,
          marginLeft: left,
          marginRight: Math.max(...rates.map((rate) => figure(rate).length)) * letter + 18,
          x: { domain: [0, 100], ticks: size.ticks, tickFormat: (at: number) => `${at}%`, label: null, tickSize: 0 },
          y: { domain: rates.map((_, i) => i), tickFormat: (i: number) => labels[i] ?? "", label: null, tickSize: 0 },
          marks: [
            Plot.gridX(size.ticks, { stroke: "var(--line)", strokeOpacity: 1 }),
            ...[true, false].map((sure) =>
              Plot.link(
                lines.filter((line) => line.sure === sure),
                {
                  x1: "low",
                  x2: "high",
                  y1: "i",
                  y2: "i",
                  stroke: "var(--mark)",
                  strokeWidth: 2.5,
                  strokeDasharray: sure ? "none" : "3 4"
                }
              )
            ),
            Plot.tickX(
              lines
                .filter(({ sure }) => sure)
                .flatMap(({ high, i, low }) => [
                  { i, at: low },
                  { i, at: high }
                ]),
              { x: "at", y: "i", stroke: "var(--mark)", strokeWidth: 1.5, inset: 8 }
            ),
            Plot.dot(rates, { x: ({ value }) => value * 100, y: (_, i) => i, r: 5, fill: "var(--mark)" }),
            Plot.text(rates, {
              x: 100,
              y: (_, i) => i,
              dx: 12,
              textAnchor: "start",
              text: figure,
              fill: "currentColor"
            })
          ]
        }
      }),
    bars: (name, bars) =>
      drawn(name, () => ({
        height: 190,
        marginLeft: 4,
        marginRight: 4,
        marginTop: 22,
        marginBottom: 26,
        x: { domain: bars.map(({ name }) => name), label: null, tickSize: 0, padding: 0.25 },
        y: { axis: null, domain: [0, Math.max(1, ...bars.map(({ count }) => count))] },
        marks: [
          Plot.barY(bars, { x: "name", y: "count", fill: ({ colour }: Bar) => `var(--${colour})` }),
          Plot.ruleY([0], { stroke: "var(--line)" }),
          Plot.text(bars, { x: "name", y: "count", dy: -9, text: ({ count }) => Words.whole(count), fontWeight: 600 })
        ]
      })),
    lines: (name, points) =>
      drawn(name, (size) => {
        const last = points[points.length - 1]
        const ends =
          last === undefined
            ? []
            : [
                { ...last, at: last.any, words: `pass@${last.k} ${Words.percent(last.any)}` },
                { ...last, at: last.all, words: `pass^${last.k} ${Words.percent(last.all)}` }
              ]
        // Labels of one point would lie on each other.
        const apart = last !== undefined && last.any - last.all < 0.08 ? 9 : 0
        return {
          height: size.name === "wide" ? 220 : 200,
          marginLeft: 42,
          marginRight: 106,
          marginTop: 14,
          marginBottom: 38,
          x: {
            ticks: points.map(({ k }) => k),
            tickFormat: (at: number) => String(at),
            label: "rollouts (k)",
            labelAnchor: "center",
            labelArrow: "none"
          },
          y: { domain: [0, 100], ticks: 5, tickFormat: (at: number) => `${at}%`, label: null, tickSize: 0 },
          marks: [
            Plot.gridY({ ticks: 5, stroke: "var(--line)", strokeOpacity: 1 }),
            Plot.line(points, {
              x: "k",
              y: ({ any }: Point) => any * 100,
              stroke: "var(--mark)",
              strokeDasharray: "5 4",
              strokeWidth: 2
            }),
            Plot.line(points, { x: "k", y: ({ all }: Point) => all * 100, stroke: "var(--mark)", strokeWidth: 2.5 }),
            Plot.dot(points, { x: "k", y: ({ all }: Point) => all * 100, r: 3.5, fill: "var(--mark)" }),
            ...ends.map((end, i) =>
              Plot.text([end], {
                x: "k",
                y: end.at * 100,
                dx: 10,
                dy: i === 0 ? -apart : apart,
                textAnchor: "start",
                text: "words",
                fill: "currentColor"
              })
            )
          ]
        }
      })
  }
}

interface Size {
  readonly name: "wide" | "narrow"
  readonly width: number
  readonly longestLabel: number
  readonly ticks: Array<number>
}

const sizes: ReadonlyArray<Size> = [
  { name: "wide", width: 720, longestLabel: 34, ticks: [0, 25, 50, 75, 100] },
  { name: "narrow", width: 340, longestLabel: 18, ticks: [0, 50, 100] }
]

/** Width of a letter at 12 px, about. */
const letter = 6.6
