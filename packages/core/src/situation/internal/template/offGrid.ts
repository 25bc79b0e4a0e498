/**
 * Asks that no tool answers, and probes that no axis describes.
 */
import type { Dimensions } from "../../../task/Cell.ts"
import { probeFill, standAlone, type Body, type Stand } from "./asks.ts"
import type { Choice } from "./choice.ts"
import { historySentence } from "./circumstances.ts"
import * as OpenEnded from "../../../language/internal/english/openEnded.ts"
import { weekdays } from "../../../language/internal/english/values.ts"
import * as Unrelated from "../../../language/internal/english/unrelated.ts"
import { filled, hasHole, patterns, type Fill, type Pattern } from "./pattern.ts"
import type { Scene } from "./scene.ts"

const kinds: ReadonlyArray<readonly [kind: string, texts: ReadonlyArray<Pattern>]> = Object.entries(
  Unrelated.kinds
).map(([kind, texts]) => [kind, patterns(texts)])
const probes = patterns(OpenEnded.probes)

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
    before: [stand.lead ?? "", history ?? ""],
    request,
    after: [stand.tail ?? ""],
    shown,
    toned: false,
    need: undefined,
    wants: undefined
  }
}

/** What a probe wants is what it says; it is about the second want only where it speaks of it. */
export const probe = (scene: Scene, choice: Choice): Body => {
  if (scene.wants.length === 0) {
    const request = filled(choice.pick(choice.pick(kinds)[1]), drawn(choice))
    return { before: [], request, after: [], shown: {}, toned: false, need: undefined, wants: undefined }
  }
  const chosen = choice.pick(scene.wants.length > 1 ? probes : single)
  const fill = probeFill(scene, chosen, choice)
  const request = filled(chosen, { ...fill, day: choice.pick(weekdays), n: String(3 + choice.int(10)) })
  const wants = speaksOfTwo(chosen) ? 2 : 1
  return { before: [], request, after: [], shown: {}, toned: false, need: request, wants }
}

const speaksOfTwo = (chosen: Pattern): boolean => hasHole(chosen, "v2") || hasHole(chosen, "g2")
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
