/**
 * What is public is documented: each export of the libraries' public modules, and of those reached through them, says what it
 * is, since when it is there and what kind of thing it is. Read from the sources, without the compiler's checker.
 */
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { expect, it } from "vitest"

const packages = fileURLToPath(new URL("../packages/", import.meta.url))

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true)

/** A named export and the statement that makes it. */
interface Export {
  readonly file: string
  readonly name: string
  readonly statement: ts.Statement
}

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Identifier }
  return name === undefined ? [] : [name.text]
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)

/** What a module exports: its own, and what it hands on, by the module that has it. `only` picks names. */
const exportsOf = (file: string, only?: ReadonlySet<string>): ReadonlyArray<Export> =>
  parse(file).statements.flatMap((statement) => {
    if (isExported(statement)) {
      const names = namesOf(statement).filter((name) => only?.has(name) ?? true)
      return names.map((name) => ({ file, name, statement }))
    }
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return []
    const path = (statement.moduleSpecifier as ts.StringLiteral).text
    if (!path.startsWith(".")) return []
    const clause = statement.exportClause
    const target = join(dirname(file), path)
    if (clause === undefined || ts.isNamespaceExport(clause)) return only === undefined ? exportsOf(target) : []
    const wanted = clause.elements.filter(({ name }) => only?.has(name.text) ?? true)
    return exportsOf(target, new Set(wanted.map(({ name, propertyName }) => (propertyName ?? name).text)))
  })

const entries = ["core", "backends", "cli"].flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly "@sandtable/source": string } | null>>
  }
  return Object.entries(exports).flatMap(([key, entry]) =>
    entry === null || key.startsWith("./unstable/") ? [] : [join(packages, name, entry["@sandtable/source"])]
  )
})

/** What is wanting in the comment of an export. */
const wanting = ({ statement }: Export): string | null => {
  const doc = ts.getJSDocCommentsAndTags(statement).find(ts.isJSDoc)
  const tags = new Map(doc?.tags?.map((tag) => [tag.tagName.text, ts.getTextOfJSDocComment(tag.comment) ?? ""]))
  if ((ts.getTextOfJSDocComment(doc?.comment) ?? "") === "") return "a sentence"
  if (!/^\d+\.\d+\.\d+$/.test(tags.get("since") ?? "")) return "@since"
  return /^[a-z]+$/.test(tags.get("category") ?? "") ? null : "@category"
}

it("every public export says what it is, since when, and of what kind", () => {
  // One comment is enough for what one name is, as for a schema and its type.
  const found = new Map<string, string | null>()
  for (const one of entries.flatMap((file) => exportsOf(file))) {
    const name = `${relative(packages, one.file)} ${one.name}`
    if (found.get(name) !== null) found.set(name, wanting(one))
  }
  expect(found.size).toBeGreaterThan(500)
  expect([...found].flatMap(([name, missing]) => (missing === null ? [] : [`${name}: ${missing}`]))).toEqual([])
})
