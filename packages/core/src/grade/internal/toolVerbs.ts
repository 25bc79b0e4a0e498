/**
 * Verbs that only a run's tools have: what `pause_campaign` does is claimed by "I've paused it", though no list of verbs
 * holds `pause`.
 */
import * as Language from "../../language/Language.ts"
import { actionOf } from "./claims.ts"
import type { KnownTool, ToolSet } from "../../task/ToolSet.ts"
import type { Thread } from "./thread.ts"

/** The table by which a thread is read, with the verbs of its tools; null where its lines are in no known language. */
export const wordsFor = (
  { language, locale }: { readonly locale: string; readonly language?: Language.Service },
  thread: Thread
): Language.ConductWords | null => {
  const table = Language.wordsForLines(Language.of(locale, language), thread.lines)
  return table === null ? null : thread.surroundings.tools.derived(tablesOf)(table)
}

/** A language's table extended by the verbs of the tools: few languages are met in a run. */
const tablesOf = (tools: ToolSet): ((table: Language.ConductWords) => Language.ConductWords) => {
  const extended = new Map<Language.ConductWords, Language.ConductWords>()
  return (table) => {
    let made = extended.get(table)
    if (made === undefined) {
      const actions = [...tools.byName.values()].flatMap((tool) => actionFrom(tool, table) ?? [])
      made = actions.length === 0 ? table : { ...table, actions: [...table.actions, ...actions] }
      extended.set(table, made)
    }
    return made
  }
}

/** The first word of a tool's name, where it can be its verb and says what is done. */
const actionFrom = (tool: KnownTool, table: Language.ConductWords): Language.Action | null => {
  const [verb = ""] = tool.words
  const explained = actionOf(tool.words, table)
  if (!tool.writes || tool.words.size < 2 || !/^[a-z]{3,}$/.test(verb) || table.emptyVerbs.has(verb)) return null
  if (explained !== undefined && (explained.lemma === verb || !table.isVerb(verb))) return null
  const forms = table.pastForms(verb).filter((form) => form !== verb)
  return forms.length === 0 ? null : { lemma: verb, forms, kind: tool.kind, plain: true, event: verb !== tool.noun }
}
