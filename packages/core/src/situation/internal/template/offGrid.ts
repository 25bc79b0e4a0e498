/**
 * Asks that no tool answers, and probes that no axis describes.
 */
import type { Dimensions } from "../../../task/Cell.ts"
import { historySentence, probeFill, standAlone, type Body, type Stand } from "./asks.ts"
import type { Choice } from "./choice.ts"
import * as OpenEnded from "./en/openEnded.ts"
import * as Unrelated from "./en/unrelated.ts"
import { filled, patterns, type Fill, type Pattern } from "./pattern.ts"
import type { Scene } from "./scene.ts"

const kinds: ReadonlyArray<readonly [kind: string, texts: ReadonlyArray<Pattern>]> = Object.entries(
  Unrelated.kinds
).map(([kind, texts]) => [kind, patterns(texts)])
const probes = patterns(OpenEnded.probes)
/** Holes that speak of a second request. */
const second: ReadonlySet<string> = new Set(["v2", "g2"])

/** An ask that needs none of the tools; its kind is shown as `off_topic`. */
export const offTopic = (dimensions: Dimensions, choice: Choice): Body => {
  const [kind, texts] = choice.pick(kinds)
  const request = filled(choice.pick(texts), drawn(choice))
  const shown: Record<string, string> = { off_topic: kind }
  const stance = dimensions["stance"]
  const garbled = kind === "garbage"
  const stand: Stand = garbled ? { lead: undefined, tail: undefined } : standAlone(stance, choice)
  if (stance === "ordinary" || stand.lead !== undefined || stand.tail !== undefined) shown["stance"] = stance ?? ""
  if (stand.attack !== undefined) shown["attack"] = stand.attack
  const history = garbled ? undefined : historySentence(dimensions["history"], choice)
  if (history !== undefined) shown["history"] = dimensions["history"] ?? ""
  return {
    before: [stand.lead, history].flatMap((sentence) => sentence ?? []),
    request,
    after: stand.tail === undefined ? [] : [stand.tail],
    shown,
    toned: false
  }
}

/** What a probe wants is what it says; it is about the second want only where it speaks of it. */
export const probe = (scene: Scene, choice: Choice): Body => {
  const plain = { before: [], after: [], shown: {}, toned: false }
  if (scene.wants.length === 0) return { ...plain, request: filled(choice.pick(choice.pick(kinds)[1]), drawn(choice)) }
  const chosen = choice.pick(scene.wants.length > 1 ? probes : single)
  const request = filled(chosen, {
    ...probeFill(scene, choice),
    day: choice.pick(OpenEnded.days),
    n: String(3 + choice.int(10))
  })
  return { ...plain, request, need: request, wants: speaksOfTwo(chosen) ? 2 : 1 }
}

const speaksOfTwo = ({ holes }: Pattern): boolean => holes.some((hole) => second.has(hole))
const single = probes.filter((one) => !speaksOfTwo(one))

const drawn = (choice: Choice): Fill => ({
  city: choice.pick(Unrelated.cities),
  thing: choice.pick(Unrelated.things),
  person: choice.pick(Unrelated.persons),
  form: choice.pick(Unrelated.forms),
  noise: `${choice.pick(Unrelated.noises)}${choice.pick(Unrelated.noises)}`,
  a: String(3 + choice.int(90)),
  b: String(100 + choice.int(900))
})
