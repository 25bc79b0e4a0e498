import { describe, expect, it } from "@effect/vitest"
import * as ResultStatus from "../../../packages/core/src/world/ResultStatus.ts"

describe("ResultStatus", () => {
  it.each([
    [{ status: "error", reason: "x" }, "error"],
    [{ status: "ERROR", data: 1 }, "error"],
    [{ status: "Not Found" }, "not_found"],
    [{ status: "timed_out", tool: "x" }, "timeout"],
    [{ status: "permission_denied", id: 4 }, "permission_denied"],
    [{ status: "already_done" }, "already_done"],
    [{ status: "failed", message: "boom" }, "error"],
    [{ status: "forbidden" }, "permission_denied"],
    [{ error: "User not found" }, "error"],
    [{ error: { code: 5 }, code: 400 }, "error"],
    [{ success: false, message: "no" }, "error"]
  ])("takes %j for a failure", (result, status) => {
    expect(ResultStatus.of(result)).toBe(status)
  })

  it.each([
    { status: "paid" },
    { status: "open", id: 1 },
    { errors: [] },
    { error: null, total: 5 },
    { error: "", total: 5 },
    { error: 0.05, mean: 3 },
    { id: 7, error: "disk full", level: "warning" },
    { payment_id: 3, status: "failed" },
    { status: "cancelled", error: "none of it" },
    { status: 404 },
    { status: null },
    { success: true },
    { status: "ok", result: "Error: none" },
    "error",
    null,
    5,
    [{ status: "error" }]
  ])("takes %j for a success", (result) => {
    expect(ResultStatus.of(result)).toBe("ok")
  })
})
