/**
 * Functions whose last bits Math leaves to each engine, from additions, multiplications, divisions and roots alone: these
 * are exact by IEEE 754, so intervals and verdicts are the same on every version of Node.
 */

/** e^x for |x| up to some hundreds, to about 1e-14 of its value: a Taylor series of x / 2^k, squared k times. */
export const exp = (x: number): number => {
  if (x < 0) return 1 / exp(-x)
  let halvings = 0
  let small = x
  while (small > 1 / 16) {
    small /= 2
    halvings += 1
  }
  let sum = 1
  let term = 1
  for (let n = 1; n <= 12; n++) {
    term *= small / n
    sum += term
  }
  for (; halvings > 0; halvings--) sum *= sum
  return sum
}

/** ln x for x > 0, to about 1e-15 of its value: halved or doubled to near 1, then the series of the hyperbolic arc tangent. */
export const log = (x: number): number => {
  let near = x
  let halvings = 0
  for (; near > 1.5; halvings++) near /= 2
  for (; near < 0.75; halvings--) near *= 2
  const y = (near - 1) / (near + 1)
  let sum = y
  let term = y
  for (let n = 1; n <= 11; n++) {
    term *= y * y
    sum += term / (2 * n + 1)
  }
  return 2 * sum + halvings * Math.LN2
}

/** The angle in [0, pi/2] whose sine and cosine these are: half-angle steps down, then the series of the arc sine. */
export const angleOf = (sine: number, cosine: number): number => {
  let s = sine
  let c = cosine
  let doublings = 1
  while (s > 1 / 16) {
    // sin(x / 2) = sin x / sqrt(2 (1 + cos x))
    const half = Math.sqrt((1 + c) / 2)
    s /= 2 * half
    c = half
    doublings *= 2
  }
  let sum = s
  let term = s
  for (let n = 1; n <= 8; n++) {
    term *= (s * s * (2 * n - 1)) / (2 * n)
    sum += term / (2 * n + 1)
  }
  return sum * doublings
}

/** The least x in [low, high] at which a rising function reaches a value, to the last bit. */
export const reach = (rising: (x: number) => number, value: number, low: number, high: number): number => {
  let [from, to] = [low, high]
  for (let step = 0; step < 200; step++) {
    const middle = (from + to) / 2
    if (middle <= from || middle >= to) break
    if (rising(middle) < value) from = middle
    else to = middle
  }
  return to
}
