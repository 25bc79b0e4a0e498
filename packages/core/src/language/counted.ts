/**
 * So many things in the words of a person: `1 row`, `12,345 rows`.
 */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${String(n).replace(/\B(?=(\d{3})+$)/g, ",")} ${n === 1 ? one : many}`
