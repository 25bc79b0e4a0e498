/**
 * A policy text as blocks: headings, list items (and table rows), paragraphs. Plain text and Markdown alike; code,
 * markup tags and sample dialogue are not policy and are dropped.
 */
export type Block =
  | { readonly _tag: "Heading"; readonly text: string }
  | { readonly _tag: "Item"; readonly text: string }
  | { readonly _tag: "Paragraph"; readonly text: string }

export const blocks = (policy: string): ReadonlyArray<Block> => joinLeads(readLines(policy.split(/\r\n|\r|\n/)))

const fence = /^\s*(```|~~~)/
const heading = /^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$/
const underline = /^\s{0,3}(={3,}|-{3,})\s*$/
/** `- x`, `* x`, `• x`, `1. x`, `1.2) x`, `(a) x`, `iv. x`, `Step 3: x`. */
const item =
  /^\s*(?:[-*+•‣◦–—]\s+(?:\[[ xX]\]\s+)?|\(?(?:\d+(?:\.\d+)*|[a-zA-Z]|[ivxIVX]{1,5})[.)]\s+|\d+(?:\.\d+)+\s+|\d+、\s*|(?:Step|Rule)\s+\d+\s*[:.)]\s+)(.+)$/u
const rule = /^\s*([-*_=]\s*){3,}$/
const tableRow = /^\s*\|(.+)\|\s*$/
const tableLine = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/
const dialogue = /^\s*(user|human|customer|assistant|ai|bot)\s*:/i
const code = /^\s*[{}[\]]|[{};]\s*$|^\s*<\/?[\w-]+[^>]*>\s*$/

const readLines = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const out: Array<Block> = []
  let open: { _tag: "Item" | "Paragraph"; text: string } | undefined
  let fenced = false
  let header: ReadonlyArray<string> | undefined
  const close = (): void => {
    if (open !== undefined) out.push({ _tag: open._tag, text: plain(open.text) })
    open = undefined
  }
  lines.forEach((raw, at) => {
    const line = raw.replace(/^\s*>\s?/, "")
    if (fence.test(line)) {
      close()
      fenced = !fenced
      return
    }
    if (fenced) return
    const row = tableRow.exec(line)
    if (row !== null || (header !== undefined && tableLine.test(line))) {
      close()
      if (tableLine.test(line)) return
      const cells = (row?.[1] ?? "").split("|").map(plain)
      if (header === undefined && tableLine.test(lines[at + 1] ?? "")) header = cells
      else out.push({ _tag: "Item", text: rowText(header ?? [], cells) })
      return
    }
    header = undefined
    const title = heading.exec(line)
    if (title !== null) {
      close()
      out.push({ _tag: "Heading", text: plain(title[1] ?? "") })
      return
    }
    if (underline.test(line) && open?._tag === "Paragraph" && !open.text.includes("\n")) {
      out.push({ _tag: "Heading", text: plain(open.text) })
      open = undefined
      return
    }
    if (line.trim() === "" || rule.test(line) || dialogue.test(line) || code.test(line)) {
      close()
      return
    }
    const bullet = item.exec(line)
    if (bullet !== null) {
      close()
      open = { _tag: "Item", text: bullet[1] ?? "" }
      return
    }
    if (open?._tag === "Paragraph" && isOwnLine(lines[at - 1] ?? "", line)) close()
    if (open === undefined) open = { _tag: "Paragraph", text: line }
    else open.text += `\n${line}`
  })
  close()
  return out
}

/** A text wrapped to a width breaks near it: after a short line, one that starts with a capital is a line of its own. */
const isOwnLine = (before: string, line: string): boolean =>
  before.trim().length < narrowest && /^\s*["'“]?\p{Lu}/u.test(line)
const narrowest = 60

/** An item that names its column says what it is about: `Case: damaged item; Action: refund`. */
const rowText = (header: ReadonlyArray<string>, cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, at) => ((header[at] ?? "") === "" || cell === "" ? cell : `${header[at]}: ${cell}`))
    .filter((text) => text !== "")
    .join("; ")

/** A lead that ends in a colon and the short items under it are one rule: `Always ask for: name; zip code`. */
const joinLeads = (given: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const out: Array<Block> = []
  for (let at = 0; at < given.length; at++) {
    const block = given[at]
    if (block === undefined) continue
    const next = given[at + 1]
    if (block._tag === "Heading" || !/[:：]$/u.test(block.text) || next?._tag !== "Item" || !isShort(next.text)) {
      out.push(block)
      continue
    }
    const parts: Array<string> = []
    for (let item = given[at + 1]; item?._tag === "Item" && isShort(item.text); item = given[at + 1]) {
      parts.push(item.text)
      at += 1
    }
    out.push({ ...block, text: `${block.text} ${parts.join("; ")}` })
  }
  return out
}

/** Too short to be a rule by itself, and no sentence. */
const isShort = (text: string): boolean => text.split(/\s+/).length <= 4 && !/[.!?:：。]$/u.test(text)

/** Text without markup. Identifiers with underscores and the text of inline code stay as they are. */
const plain = (text: string): string =>
  text
    .replace(/<!--.*?-->/gs, " ")
    .replace(/<\/?[A-Za-z][\w-]*(\s[^<>]*)?>/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/gs, "$2")
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
