import { describe, expect, it } from "@effect/vitest"
import * as Judge from "@sandtable/core/Judge"
import { simulate } from "@sandtable/core/node"
import * as FakeServer from "../backends/FakeServer.ts"
import { ids, script, systemPrompt, tools } from "./scripted-models.ts"

describe("the Promise form", () => {
  it("reaches models by their names when the backends are installed", async () => {
    const server = await FakeServer.listen(script)
    try {
      const data = await simulate({
        agent: `vllm:agent-m@${server.url}/v1`,
        simulator: false,
        userModel: `vllm:user-m@${server.url}/v1`,
        grader: Judge.layer({ model: `vllm:judge-m@${server.url}/v1`, rubric: "It answers." }),
        tools,
        ids,
        systemPrompt,
        budget: 3
      })
      expect(data.report().models).toEqual({ agent: "agent-m", writer: "template", user: "user-m", judge: "judge-m" })
      expect(data.rows.map(({ reward }) => reward)).toEqual([1, 1, 1])
    } finally {
      await server.close()
    }
  })

  it("refuses a name that cannot be, as any option", async () => {
    const refused = simulate({ agent: "opnai:gpt-4.1", simulator: false, tools, budget: 3 })
    await expect(refused).rejects.toMatchObject({ _tag: "InvalidOptions", issues: [{ option: "agent" }] })
  })
})
