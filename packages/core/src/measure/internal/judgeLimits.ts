/**
 * What a judge is held against.
 */

/**
 * Wilson's lower bound of the agreement must reach it: 16 of 16 do, 15 of 15 do not.
 * @since 0.1.0
 * @category constants
 */
export const leastAgreement = 0.8

/**
 * "Substantial" agreement by the scale of Landis and Koch (1977) begins above it.
 * @since 0.1.0
 * @category constants
 */
export const leastKappa = 0.6

/**
 * Most of the bad rows a judge may let through, and most of the good ones it may refuse.
 * @since 0.1.0
 * @category constants
 */
export const mostWrong = 0.2

/**
 * Most of the verdicts that may change when nothing that matters did.
 * @since 0.1.0
 * @category constants
 */
export const mostFlips = 0.1
