/**
 * The day on which runs play. What people ask for and what the mock world answers share it, and it is fixed, so that a
 * run repeated on another day has the same dates.
 */

import { isoDay } from "./isoTime.ts"

/** 2025-03-14T09:00:00Z, an ordinary Friday: milliseconds since 1970. */
export const present = 1741942800000

const dayMs = 86_400_000

/** `2025-03-14`, some days from the present. */
export const date = (days: number): string => isoDay(present + days * dayMs)
