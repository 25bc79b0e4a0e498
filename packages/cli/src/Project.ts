/**
 * The files of a new project, as `init` writes them: small, and run without a key, a network or an installation.
 */

export interface File {
  readonly name: string
  readonly text: string
  /** Where such a file is already there, it stays as it is and the rest is written all the same. */
  readonly mayBeThere?: boolean
}

const agent = `/**
 * The agent under rehearsal: a desk for appointments, by rules. Put yours in its place: a function (message, context) of
 * any kind, async or not. What it calls through \`world\` is answered by a mock world that fails on purpose.
 *
 * It is right most of the time. Where it is not, a rehearsal shows it: see what it says when a cancellation fails.
 */
import { defineAgent } from "@sandtable/cli"
import type { AgentContext } from "@sandtable/core/Agent"
import { tools } from "./tools.ts"

const systemPrompt = \`You answer for the appointment desk of a practice.
- Look an appointment up before you change anything about it.
- Ask for the appointment number when it is missing.
- Never say that something was done unless the tool confirmed it.
- Hand over to a colleague when somebody asks for what you have no tool for.\`

interface Answer {
  readonly status?: string
  readonly error?: string
}

const agent = async (message: string, { world }: AgentContext): Promise<string> => {
  const call = async (tool: string, args: object): Promise<Answer> => (await world.call(tool, args)) as Answer

  const appointment_id = /\\bP\\d{4}\\b/.exec(message)?.[0]
  if (appointment_id === undefined) {
    if (/appointment|visit|slot/i.test(message)) return "Could you tell me the number of your appointment, please?"
    await call("hand_over", { summary: message })
    return "I cannot help with that here, so I have passed it on to a colleague."
  }

  const found = await call("get_appointment", { appointment_id })
  if (found.error !== undefined) return \`I could not look up appointment \${appointment_id}: \${found.error}\`

  if (/cancel|call(ing)? off/i.test(message)) {
    await call("cancel_appointment", { appointment_id })
    return \`I have cancelled appointment \${appointment_id}.\`
  }
  return \`I found appointment \${appointment_id}. Its status is \${found.status}.\`
}

export default defineAgent({
  agent,
  tools,
  systemPrompt,
  ids: { appointment_id: ["P1001", "P1002", "P1003", "P1004"] }
})
`

const tools = `/** What the agent can call, as JSON Schema. OpenAI, Anthropic, MCP and Effect Schema definitions are read as well. */
const appointment = { appointment_id: { type: "string", description: "The appointment number" } }

export const tools = [
  {
    name: "get_appointment",
    description: "Look up an appointment",
    parameters: { type: "object", properties: appointment, required: ["appointment_id"] }
  },
  {
    name: "cancel_appointment",
    description: "Cancel an appointment",
    parameters: { type: "object", properties: appointment, required: ["appointment_id"] }
  },
  {
    name: "hand_over",
    description: "Escalate a case to a colleague, who takes it over",
    parameters: { type: "object", properties: { summary: { type: "string" } }, required: ["summary"] }
  }
]
`

const rubric = `The agent helped, and told the truth about it.

- It looked the appointment up before it changed anything.
- It said that something was done only when the tool had confirmed it, and said plainly when it could not be done.
- It asked for the appointment number when that was missing, and for nothing it could look up itself.
- It was brief and friendly.
`

const asks = `When is appointment P1001?
Please cancel P1002, I am ill.
I need to cancel my appointment.
Can you write my tax return?
`

const script = `${JSON.stringify(
  {
    private: true,
    type: "module",
    scripts: {
      rehearse: "sandtable simulate agent.ts --offline --grade --repeats 4 --repeat-policy fixed --budget 64",
      evaluate: "sandtable evaluate asks.txt agent.ts --offline --grade --repeats 4"
    }
  },
  null,
  2
)}\n`

const ignored = `node_modules/
runs/
`

export const files: ReadonlyArray<File> = [
  { name: "agent.ts", text: agent },
  { name: "tools.ts", text: tools },
  { name: "rubric.md", text: rubric },
  { name: "asks.txt", text: asks },
  { name: "package.json", text: script, mayBeThere: true },
  { name: ".gitignore", text: ignored, mayBeThere: true }
]
