/**
 * What a policy has the agent ask for to know who it talks to: the fields of a person's record that it compares.
 */
/** Names of fields by the words that policies say them in, English and some others. */
const spokenOf: ReadonlyArray<readonly [field: string, words: RegExp]> = [
  ["date_of_birth", /\b(?:date of birth|birth ?date|birthday|dob|geburtsdatum|fecha de nacimiento)\b/i],
  ["email", /\be-?mail(?: address)?\b/i],
  ["phone", /\b(?:phone|telephone|mobile|telefonnummer|tel[ée]fono)\b/i],
  ["zip", /\b(?:zip|post(?:al)? ?code|postleitzahl|c[óo]digo postal)\b/i],
  ["pin", /\b(?:pin|passcode|security code|access code|telephone code)\b/i],
  ["security_word", /\b(?:pass ?phrase|security word|memorable word|code ?word|secret word)\b/i],
  ["name", /\b(?:full name|(?:first|last|their|your|the) name|name (?:and|\+)|surname)\b/i],
  ["address", /\b(?<!e-?mail )(?<!ip )address\b/i]
]

/** Words of a sentence that says whom the agent has to be sure of. */
const checking =
  /\b(?:verif(?:y|ies|ied|ication)|authenticat\w*|identif(?:y|ies|ied)|identity|(?:confirm|check|compare|match)\w* (?:the |their |who |it |them |all |both )|security question|ask (?:the \w+ )?for|pr[üu]fe|identit[äa]t|verifi(?:que|car)|identidad)\b/i

/** "ask for the patient id": what is only looked up is not asked for. */
const identifier =
  /(?<=\b(?:ask|asks|request|provide|give|confirm|compare|frage|pregunt)\w*\b[^.]{0,60}?)\b([\p{L}]+?)(?: (?:id|number|code)\b|nummer\b)/giu

/** The fields, each once, in the order of the list above. */
export const fieldsOf = (policy: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const sentence of policy.split(/\n+|(?<=[.!?])\s+/)) {
    if (!checking.test(sentence)) continue
    for (const match of sentence.matchAll(identifier)) found.add(`${(match[1] ?? "").toLowerCase()}_id`)
    for (const [field, words] of spokenOf) if (words.test(sentence)) found.add(field)
  }
  return found
}
