/**
 * The mock world's calendar. Its present is fixed, so that a record has the same dates on every day a run is repeated.
 */

/** 2025-03-14T09:00:00Z, an ordinary Friday. */
export const present = 1741942800000
/** What a stale answer shows is a day old. */
export const yesterday = "2025-03-13T09:00:00Z"

const day = 86_400_000

/** `2025-03-14`, some days from the present. */
export const date = (days: number): string => iso(days * day).slice(0, 10)

/** `2025-03-14T09:00:00Z`, some days and minutes from the present. */
export const instant = (days: number, minutes = 0): string => iso(days * day + minutes * 60_000)

const iso = (offset: number): string => `${new Date(present + offset).toISOString().slice(0, 19)}Z`
