/**
 * A disk that fills up while a run writes: a small file system in memory, which only root may mount.
 */
import { describe, expect, it } from "vitest"
import { RunFailed } from "@sandtable/core/Simulation"
import * as Node from "@sandtable/core/node"
import type { RunMeta } from "../../packages/core/src/report/RunMeta.ts"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A disk of that many kilobytes; null where none can be mounted. */
const mount = (kilobytes: number): { readonly folder: string; readonly remove: () => void } | null => {
  const folder = mkdtempSync(join(tmpdir(), "sandtable-disk-"))
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder])
  const remove = (): void => {
    if (status === 0) spawnSync("umount", [folder])
    rmSync(folder, { recursive: true })
  }
  if (status === 0) return { folder, remove }
  remove()
  return null
}

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const options = {
  agent: async () => `Which order is it? ${"I need its number. ".repeat(40)}`,
  tools: [{ name: "get_order", description: "Look up an order", parameters: order }],
  simulator: false,
  budget: 400,
  concurrency: 4,
  seed: 3
} as const

describe("a full disk", () => {
  it("is said, the files stay whole and say so, and every finished row is at hand", async (context) => {
    const disk = mount(256)
    if (disk === null) return context.skip("no disk can be mounted here: this needs root")
    try {
      const path = join(disk.folder, "run.jsonl")
      const error: unknown = await Node.simulate({ ...options, checkpoint: path }).then(
        () => null,
        (thrown: unknown) => thrown
      )
      if (!(error instanceof RunFailed)) throw new Error(`it ended without the failure: ${String(error)}`)
      expect(error.reason).toBe("output_failed")
      expect(error.message).toContain("the disk is full")
      expect(error.message).toContain(`All ${error.data.rows.length} finished rows are in this error's \`data\``)
      expect(error.data.stoppedBecause).toBe("output_failed")
      const lines = readFileSync(path, "utf8").split("\n")
      expect(lines.pop()).toBe("")
      const onDisk = lines.map((line) => (JSON.parse(line) as { row_id: string }).row_id)
      expect(onDisk.length).toBeGreaterThan(5)
      expect(error.data.rows.length).toBeGreaterThan(onDisk.length)
      expect(error.data.rows.map(({ row_id }) => row_id)).toEqual(expect.arrayContaining(onDisk))
      const meta = JSON.parse(readFileSync(join(disk.folder, "run.meta.json"), "utf8")) as RunMeta
      expect(meta).toMatchObject({ status: "failed", stopped_because: "output_failed" })
      expect(meta.counts.rows).toBe(error.data.rows.length)
      expect(readdirSync(disk.folder).filter((name) => name.endsWith(".part"))).toEqual([])

      // once there is room again, it goes on: only what is not on the disk is run
      spawnSync("mount", ["-o", "remount,size=16m", disk.folder])
      let calls = 0
      const agent = async () => ((calls += 1), options.agent())
      const data = await Node.simulate({ ...options, agent, checkpoint: path })
      expect(data.rows).toHaveLength(400)
      expect(calls).toBe(400 - onDisk.length)
    } finally {
      disk.remove()
    }
  })
})
