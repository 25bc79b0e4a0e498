/**
 * Nothing that a row says may become a tag, an attribute or a script of the page.
 */
import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { parseHTML } from "linkedom"
import * as Markup from "../../../packages/cli/src/page/Markup.ts"

const { html } = Markup

/** What could end a text, an attribute or a script, among letters. */
const unit = FastCheck.constantFrom(..."<>&\"'`=/! a\0\n\ud800\udc00é", "😀", "</script>", "<!--", "&amp;")

describe("html", () => {
  it("escapes what is put into it, also lists, and leaves markup of ours as it is", () => {
    const hostile = `</script><img src=x onerror="alert('1')">&`
    expect(html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`, null, false]}</p>`.text).toBe(
      `<p title="${Markup.escape(hostile)}">${Markup.escape(hostile)}<b>1</b></p>`
    )
    expect(Markup.escape(hostile)).toBe("&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;")
  })

  it.prop("gives any text back as it was, and makes no element of it", [FastCheck.string({ unit })], ([text]) => {
    const { document } = parseHTML(
      html`<!doctype html>
        <html>
          <body>
            <i title="${text}">${text}</i>
          </body>
        </html>`.text
    )
    const elements = document.querySelectorAll("body *")
    expect(elements).toHaveLength(1)
    const said = text.replaceAll("\0", "\uFFFD").replace(/\p{Surrogate}/gu, "\uFFFD")
    expect(elements[0]?.textContent).toBe(said)
    expect(elements[0]?.getAttribute("title")).toBe(said)
  })

  it("leaves out the indentation of a template, and none of a value", () => {
    expect(
      html`<ul>
        <li>${"a\n   b"}</li>
      </ul>`.text
    ).toBe("<ul>\n<li>a\n   b</li>\n</ul>")
  })
})

describe("cut", () => {
  it("counts, and never halves a character", () => {
    expect(Markup.cut("abcdef", 3)).toBe("abc…")
    expect(Markup.cut("abc", 3)).toBe("abc")
    expect(Markup.cut("ab😀", 3)).toBe("ab…")
  })
})
