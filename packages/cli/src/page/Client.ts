/**
 * The page's script: finds rows and opens threads. It only shows what the page holds as HTML already, so that nothing is
 * escaped in two places. Plain JavaScript, as the browser runs it.
 */
export const script = String.raw`
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(at(id).textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const perPage = 50;
  const body = at("list"), said = at("said"), find = at("find"), none = at("none");
  const selects = [...document.querySelectorAll("select[data-filter]")];
  const dialog = at("thread"), inside = at("inside");
  const blocks = new Map();
  const rows = [];
  let found = [], page = 0, open = -1;

  const whole = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  const show = () => {
    const start = page * perPage;
    const shown = found.slice(start, start + perPage);
    body.innerHTML = shown.map((i) => rows[i][0]).join("");
    said.textContent = found.length === 0
      ? "No row of " + whole(rows.length)
      : "Rows " + whole(start + 1) + " to " + whole(start + shown.length) + " of " + whole(found.length) +
        (found.length < rows.length ? " found, of " + whole(rows.length) + " in all" : "");
    none.hidden = found.length > 0;
    at("back").disabled = page === 0;
    at("on").disabled = start + perPage >= found.length;
  };
  const search = (keep) => {
    const words = find.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const keys = selects.map((select) => select.value).filter((key) => key !== "");
    found = [];
    rows.forEach(([, text, own], i) => {
      if (keys.every((key) => own.includes(key)) && words.every((word) => text.includes(word))) found.push(i);
    });
    if (keep !== true) page = 0;
    show();
  };
  const turn = (by) => { page += by; show(); at("rows").scrollIntoView(); };

  const openRow = async (i) => {
    const row = rows[i];
    if (row === undefined) return;
    open = i;
    const place = row[3];
    if (place === null) inside.replaceChildren(at("absent").content.cloneNode(true));
    else {
      const [block, index] = place;
      if (!blocks.has(block)) blocks.set(block, unpack("t" + block));
      const threads = await blocks.get(block);
      if (open !== i) return;
      inside.innerHTML = threads[index];
    }
    const where = found.indexOf(i);
    const verdict = inside.querySelector(".badge");
    at("where").replaceChildren(
      ...(verdict === null ? [] : [verdict.cloneNode(true), " "]),
      where < 0 ? "" : whole(where + 1) + " of " + whole(found.length)
    );
    at("before").disabled = where <= 0;
    at("after").disabled = where < 0 || where + 1 >= found.length;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    history.replaceState(null, "", "#" + encodeURIComponent(row[4]));
  };
  const step = (by) => { const next = found[found.indexOf(open) + by]; if (next !== undefined) openRow(next); };
  const fromAddress = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const i = id === "" ? -1 : rows.findIndex((row) => row[4] === id);
    if (i >= 0) openRow(i);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button === null) return;
    if (button.dataset.open !== undefined) openRow(Number(button.dataset.open));
    const key = button.dataset.key;
    if (key !== undefined) {
      const task = at("task");
      if (key.startsWith("task=")) {
        task.replaceChildren(new Option("all", ""), new Option(button.textContent, key));
        task.parentElement.hidden = false;
      }
      selects.forEach((select) => {
        select.value = [...select.options].some((option) => option.value === key) ? key : "";
      });
      find.value = "";
      search();
      at("rows").scrollIntoView();
      find.focus({ preventScroll: true });
    }
  });
  selects.forEach((select) => select.addEventListener("change", search));
  find.addEventListener("input", search);
  find.form.addEventListener("submit", (event) => event.preventDefault());
  at("clear").addEventListener("click", () => { selects.forEach((select) => { select.value = ""; }); find.value = ""; search(); });
  at("back").addEventListener("click", () => turn(-1));
  at("on").addEventListener("click", () => turn(1));
  at("close").addEventListener("click", () => dialog.close());
  at("before").addEventListener("click", () => step(-1));
  at("after").addEventListener("click", () => step(1));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    const back = body.querySelector('[data-open="' + open + '"]');
    open = -1;
    history.replaceState(null, "", location.pathname + location.search);
    if (back !== null) back.focus();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.target.closest("pre, input, select") !== null) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  addEventListener("hashchange", fromAddress);

  if (typeof DecompressionStream === "undefined") {
    said.textContent = "This browser is too old to unpack the rows; any from 2023 on can.";
    return;
  }
  document.documentElement.classList.add("scripted");
  // What leads to rows is a text where no script runs.
  document.querySelectorAll("span[data-key]").forEach((span) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.dataset.key = span.dataset.key;
    button.textContent = span.textContent;
    span.replaceWith(button);
  });
  const unpackRows = async () => {
    for (let n = 0; at("r" + n) !== null; n++) {
      for (const row of await unpack("r" + n)) rows.push(row);
      // the first ones can be read while the others are unpacked
      if (n === 0) search();
    }
    search(true);
    fromAddress();
  };
  unpackRows();
})();
`
