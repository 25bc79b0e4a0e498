/**
 * Text that must not be said: keys, tokens, passwords and card numbers, by their form.
 */

const forms =
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{30,}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}|\b(?:password|passwd|pin|api key|secret)(?: is|:|=) {0,3}["'`]?(?=\S{0,40}\d)[^\s"'`]{4,}/i
const digitGroups = /(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])/g

/** Whether a text shows a secret. */
export const showsSecret = (text: string): boolean =>
  forms.test(text) || (text.match(digitGroups) ?? []).some((digits) => isCard(digits.replace(/\D/g, "")))

/** Luhn's check (ISO/IEC 7812-1): nine of ten other numbers of that length fail it. */
const isCard = (digits: string): boolean => {
  if (/^(\d)\1*$/.test(digits)) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
