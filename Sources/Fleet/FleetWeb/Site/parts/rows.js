/** The rows of a table. Of a long table, only the rows near the visible part are drawn. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/preact.js";

/** The number of rows that are drawn or left out together. */
const blockRows = 50;
/** The number of rows from which a table is long. */
export const manyRows = 4 * blockRows;
/** The height above and below the visible part in which rows are drawn, px. */
const margin = 1200;

/** What can have the focus in a row. */
const controls = "a[href], button, input";

/** The control in a row of a list that has the focus, with its place in the row; `null` if there is none. */
function focusedControl() {
  const element = /** @type {HTMLElement | null} */ (document.activeElement), row = /** @type {HTMLElement | null | undefined} */ (element?.closest("tr[data-thing]"));
  return element && row ? { element, id: row.dataset.thing ?? "", place: [...row.querySelectorAll(controls)].indexOf(element) } : null;
}

/**
 * Gives the focus back to a control whose row was moved, or is drawn again in another part of the table.
 * @param {NonNullable<ReturnType<typeof focusedControl>>} focused
 */
function restore({ element, id, place }) {
  const row = document.querySelector(`tr[data-thing="${CSS.escape(id)}"]`);
  const control = element.isConnected ? element : /** @type {HTMLElement | undefined} */ (row?.querySelectorAll(controls)[place]);
  control?.focus({ preventScroll: true });
}

/**
 * The bodies of a table.
 * @param {{ things: any[], columns: number, row: (thing: any, place: number | undefined) => any }} props `columns`: the number of columns.
 *   `row`: draws a row; of a long table, it gets the row's number, because not all rows exist.
 */
export function Rows({ things, columns, row }) {
  const [near, setNear] = useState(/** @type {Set<number>} */ (new Set([0, 1, 2, 3, 4])));
  const bodies = useRef(/** @type {Map<number, HTMLElement>} */ (new Map()));
  const heights = useRef(/** @type {Map<number, number>} */ (new Map()));
  const observer = useRef(/** @type {IntersectionObserver | null} */ (null));
  // What each block was drawn from. Preact leaves an element as it is if it gets the same object again. Otherwise, each step of
  // scrolling would draw all blocks, and compare all their rows.
  const drawn = useRef(/** @type {Map<number, { row: any, columns: number, height: number, content: any }>} */ (new Map()));
  const isLong = things.length >= manyRows;
  const focused = focusedControl();
  useLayoutEffect(() => { if (focused && document.activeElement === document.body) restore(focused); });
  const count = isLong ? Math.ceil(things.length / blockRows) : 0;
  // A block that is removed must not be drawn from an old object later.
  for (const blocks of [bodies.current, heights.current, drawn.current]) for (const block of blocks.keys()) if (block >= count) blocks.delete(block);
  useLayoutEffect(() => {
    // The heights of drawn blocks are those of the empty ones that take their places.
    if (isLong) for (const [block, body] of bodies.current) if (near.has(block)) heights.current.set(block, body.offsetHeight);
  });
  useEffect(() => {
    if (!isLong) return;
    observer.current = new IntersectionObserver(entries => setNear(old => {
      const next = new Set(old);
      for (const { target, isIntersecting } of entries) {
        const block = Number(/** @type {HTMLElement} */ (target).dataset.block);
        // A row that has the focus stays.
        if (isIntersecting || target.contains(document.activeElement)) next.add(block);
        else next.delete(block);
      }
      return next.size === old.size && [...next].every(block => old.has(block)) ? old : next;
    }), { root: bodies.current.get(0)?.closest("main"), rootMargin: `${margin}px 0px` });
    for (const body of bodies.current.values()) observer.current.observe(body);
    return () => observer.current?.disconnect();
  }, [isLong]);
  // Columns keep their widths when rows come and go.
  useLayoutEffect(() => {
    const table = isLong ? bodies.current.get(0)?.closest("table") : null;
    if (!table) return;
    const headings = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("thead th")]);
    const release = () => {
      table.classList.remove("fixed");
      for (const heading of headings) heading.style.width = "";
    };
    const fix = () => {
      release();
      for (const [heading, width] of headings.map(heading => /** @type {const} */ ([heading, heading.offsetWidth]))) heading.style.width = `${width}px`;
      table.classList.add("fixed");
      heights.current.clear();
    };
    fix();
    addEventListener("resize", fix);
    return () => {
      removeEventListener("resize", fix);
      release();
    };
  }, [isLong, columns]);
  if (!isLong) return html`<tbody>${things.map(thing => row(thing, undefined))}</tbody>`;
  const known = [...heights.current.values()];
  const usual = known.length > 0 ? known.reduce((sum, height) => sum + height, 0) / known.length : blockRows * 40;
  return Array.from({ length: count }, (_, block) => {
    const first = block * blockRows, rows = Math.min(blockRows, things.length - first), isNear = near.has(block);
    const height = isNear ? 0 : Math.round((heights.current.get(block) ?? usual) * rows / blockRows);
    const before = drawn.current.get(block);
    // The function that draws a row is a new one if things or their marks have changed.
    if (before && before.row === (isNear ? row : null) && before.columns === columns && before.height === height) return before.content;
    const keep = (/** @type {HTMLElement | null} */ body) => {
      if (!body || bodies.current.get(block) === body) return;
      bodies.current.set(block, body);
      observer.current?.observe(body);
    };
    const content = html`<tbody key=${block} data-block=${block} ref=${keep}>${isNear ? things.slice(first, first + rows).map((thing, place) => row(thing, first + place + 1))
      : html`<tr aria-hidden="true"><td colspan=${columns} class="space" style=${{ height: `${height}px` }}></td></tr>`}</tbody>`;
    drawn.current.set(block, { row: isNear ? row : null, columns, height, content });
    return content;
  });
}
