/**
 * What a tool does, read from its name (then its description): one classifier for grid, world, conduct and checklist.
 */

export const toolKinds = ["read", "create", "update", "delete", "send", "pay", "compute", "other"] as const
/** `compute` answers from its arguments alone (a calculator); `other` changes something the words do not tell. */
export type ToolKind = (typeof toolKinds)[number]

/** Whether calls of the kind change the world. */
export const writes = (kind: ToolKind): boolean => kind !== "read" && kind !== "compute"

const verbs: ReadonlyArray<readonly [ToolKind, ReadonlyArray<string>]> = [
  [
    "read",
    [
      "get",
      "list",
      "find",
      "search",
      "lookup",
      "look",
      "check",
      "query",
      "browse",
      "read",
      "fetch",
      "show",
      "view",
      "describe",
      "retrieve",
      "inspect",
      "count",
      "track",
      "verify",
      "validate",
      "compare",
      "locate",
      "scan",
      "status",
      "recommend",
      "filter",
      "monitor",
      "preview",
      "think",
      "discover",
      "identify",
      "detect",
      "analyze",
      "analyse"
    ]
  ],
  [
    "compute",
    [
      "calculate",
      "compute",
      "convert",
      "estimate",
      "evaluate",
      "predict",
      "solve",
      "sum",
      "add_numbers",
      "translate",
      "format"
    ]
  ],
  [
    "pay",
    [
      "pay",
      "charge",
      "refund",
      "transfer_money",
      "transfer_funds",
      "purchase",
      "buy",
      "withdraw",
      "deposit",
      "invoice",
      "bill",
      "checkout",
      "donate"
    ]
  ],
  [
    "send",
    [
      "send",
      "email",
      "mail",
      "message",
      "notify",
      "post",
      "publish",
      "reply",
      "forward",
      "call",
      "text",
      "share",
      "escalate",
      "transfer"
    ]
  ],
  [
    "delete",
    [
      "delete",
      "remove",
      "cancel",
      "drop",
      "revoke",
      "terminate",
      "close",
      "deactivate",
      "disable",
      "purge",
      "clear",
      "archive",
      "unsubscribe",
      "uninstall",
      "kill"
    ]
  ],
  [
    "create",
    [
      "create",
      "add",
      "book",
      "open",
      "make",
      "new",
      "insert",
      "register",
      "schedule",
      "reserve",
      "order",
      "place",
      "submit",
      "generate",
      "write",
      "start",
      "launch",
      "file",
      "enroll",
      "subscribe",
      "upload",
      "issue",
      "request"
    ]
  ],
  [
    "update",
    [
      "update",
      "modify",
      "change",
      "set",
      "edit",
      "rename",
      "move",
      "exchange",
      "return",
      "reschedule",
      "assign",
      "approve",
      "reject",
      "apply",
      "reset",
      "enable",
      "activate",
      "merge",
      "replace",
      "patch",
      "adjust",
      "extend",
      "renew",
      "confirm",
      "mark",
      "toggle",
      "turn",
      "lock",
      "unlock",
      "play",
      "pause",
      "stop"
    ]
  ]
]

const byVerb: ReadonlyMap<string, ToolKind> = new Map(
  verbs.flatMap(([kind, words]) => words.map((word) => [word, kind]))
)

const destructiveKinds: ReadonlySet<ToolKind> = new Set(["delete", "pay", "send"])

/** The words of an identifier: `cancelPendingOrder`, `cancel_pending_order` and `orders.cancel` in lower case. */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 0)

/**
 * The kind of the first word that is a known verb, the name before the first sentence of the description; a tool no
 * word explains is `other`, which counts as a write: treating a write as a read is the costlier mistake.
 */
export const classify = (name: string, description: string): ToolKind => {
  const fromName = firstVerb(wordsOf(name))
  if (fromName !== undefined) return fromName
  const [sentence = ""] = description.split(/[.!?]\s/, 1)
  return firstVerb(wordsOf(sentence).map(stem)) ?? "other"
}

/** Whether success of such a tool cannot be taken back. */
export const isDestructive = (kind: ToolKind): boolean => destructiveKinds.has(kind)

const firstVerb = (words: ReadonlyArray<string>): ToolKind | undefined => {
  for (let i = 0; i < words.length; i++) {
    const kind = byVerb.get(`${words[i]}_${words[i + 1]}`) ?? byVerb.get(words[i] ?? "")
    if (kind !== undefined) return kind
  }
  return undefined
}

/** "retrieves" and "returns" as the verbs they are. */
const stem = (word: string): string => {
  if (byVerb.has(word)) return word
  const bare = word.replace(/(ies)$/, "y").replace(/(es|s|ing|ed)$/, "")
  return byVerb.has(bare) ? bare : byVerb.has(`${bare}e`) ? `${bare}e` : word
}
