/**
 * The trace a request belongs to, as the W3C header by which its server goes on with it. Told only where spans reach somebody,
 * and where the program has not turned propagation off.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Spans from "@sandtable/core/unstable/Spans"
import type * as Fiber from "effect/Fiber"

/** The headers with that of the fiber's span, unless they have one already. */
export const withTrace = <H extends Readonly<Record<string, string>>>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  headers: H
): H => {
  if (!Spans.isTraced(fiber) || !fiber.getFiberRef(HttpClient.currentTracerPropagation)) return headers
  const span = fiber.currentSpan
  if (span === undefined || "traceparent" in headers) return headers
  return { ...headers, traceparent: `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}` }
}
