/**
 * Stand-ins for every role, for tests of programs that use the simulation.
 */
export * as Demo from "../grade/Demo.ts"
export * as RecordingWorld from "./RecordingWorld.ts"
export * as ScriptedAgent from "./ScriptedAgent.ts"
export * as ScriptedChatModel from "./ScriptedChatModel.ts"
export * as ScriptedGrader from "./ScriptedGrader.ts"
export * as ScriptedUser from "./ScriptedUser.ts"
