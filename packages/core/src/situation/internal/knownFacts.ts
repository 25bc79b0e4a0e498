/**
 * What a person knows: what they come about, and who they are. What is to become of a field of theirs goes by the field's
 * name, what it is now is called current.
 */
type Facts = Readonly<Record<string, string>>

export const knownFacts = (own: Facts, identity: Facts): Facts => {
  const facts: Record<string, string> = Object.assign(Object.create(null) as Record<string, string>, own)
  for (const [argument, value] of Object.entries(identity)) {
    facts[Object.hasOwn(own, argument) && own[argument] !== value ? `current_${argument}` : argument] = value
  }
  return facts
}
