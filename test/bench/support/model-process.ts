/**
 * Starts the model server in its own process.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Counts, Settings } from "./model-server.ts"

export interface ModelProcess {
  /** The base URL of its chat completions. */
  readonly url: string
  /** What it did since it was last asked. */
  readonly counts: () => Promise<Counts>
  readonly stop: () => void
}

export const startServer = (settings: Settings): Promise<ModelProcess> =>
  new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL("./model-server.ts", import.meta.url))
    const child = fork(file, [JSON.stringify(settings)])
    child.once("error", reject)
    child.once("message", (port) => {
      const origin = `http://127.0.0.1:${String(port)}`
      resolve({
        url: `${origin}/v1`,
        counts: async () => (await (await fetch(origin)).json()) as Counts,
        stop: () => child.disconnect()
      })
    })
  })
