/** The rows of a table. Of a long table, only the rows near the visible part exist. */
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/preact.js";

/** The number of rows that come and go together. A block is a `tbody`. */
const blockRows = 10;
/** The number of blocks of a table that has just become long: a little more than the rows of a list's first page. */
const firstBlocks = 12;
/** The number of rows from which a table is long. */
export const manyRows = 200;
/** The height above and below the visible part in which rows exist, px. A frame of fast scrolling moves by one screen. */
const margin = 1200;
/** The height of a row that was not measured yet, px, while no other row was measured. */
const usualHeight = 40;

/** The heights of the blocks of a long table, as far as they are known. They are measured after layout, so no step of scrolling waits for them. */
class Heights {
  constructor() {
    /** @type {Map<number, { height: number, rows: number }>} */
    this.known = new Map();
    this.height = 0;
    this.rows = 0;
  }

  /**
   * @param {number} block
   * @param {number} height px
   * @param {number} rows the number of its rows
   */
  set(block, height, rows) {
    const before = this.known.get(block) ?? { height: 0, rows: 0 };
    this.known.set(block, { height, rows });
    this.height += height - before.height;
    this.rows += rows - before.rows;
  }

  /**
   * The height of a block, px; the mean of the other rows if it was not measured.
   * @param {number} block
   * @param {number} rows the number of its rows
   */
  of(block, rows) {
    return this.known.get(block)?.height ?? rows * (this.rows > 0 ? this.height / this.rows : usualHeight);
  }
}

/** @param {number[]} one @param {number[]} other */
function areEqual(one, other) { return one.length === other.length && one.every((block, place) => block === other[place]); }

/**
 * The bodies of a table.
 * @param {{ things: any[], columns: number, row: (thing: any, place: number | undefined) => any }} props `columns`: the number of columns.
 *   `row`: draws a row; of a long table, it gets the row's number, because not all rows exist.
 */
export function Rows({ things, columns, row }) {
  return things.length < manyRows ? html`<tbody>${things.map(thing => row(thing, undefined))}</tbody>`
    : html`<${Blocks} things=${things} columns=${columns} row=${row} />`;
}

/** @param {Parameters<typeof Rows>[0]} props */
function Blocks({ things, columns, row }) {
  // The blocks that exist, in their order.
  const [near, setNear] = useState(() => Array.from({ length: firstBlocks }, (_, block) => block));
  const heights = useRef(new Heights());
  const first = useRef(/** @type {HTMLElement | null} */ (null));
  const count = Math.ceil(things.length / blockRows);
  const rowsOf = (/** @type {number} */ block) => Math.min(blockRows, things.length - block * blockRows);
  const frame = useRef(0);
  const update = useRef(() => {});
  update.current = () => {
    cancelAnimationFrame(frame.current);
    const table = first.current?.closest("table"), root = table?.closest("main");
    if (!table?.tHead || !root) return;
    const top = root.getBoundingClientRect().top - table.tHead.getBoundingClientRect().bottom, middle = top + root.clientHeight / 2;
    /** @type {{ block: number, distance: number }[]} */
    const wanted = [];
    for (let block = 0, begin = 0; block < count && begin < top + root.clientHeight + margin; block++) {
      const height = heights.current.of(block, rowsOf(block));
      begin += height;
      if (begin > top - margin) wanted.push({ block, distance: Math.abs(begin - height / 2 - middle) });
    }
    // A row with the focus stays, and its neighbours, so that the next key reaches them.
    const focused = document.activeElement?.closest("tbody");
    const place = focused && table.contains(focused) ? Number(focused.dataset.block ?? NaN) : NaN;
    const next = new Set([place - 1, place, place + 1].filter(block => block >= 0 && block < count));
    // A frame brings one new block, the nearest first. In fast scrolling, blocks that are passed before their turn are never drawn.
    const missing = wanted.filter(({ block }) => !near.includes(block)).sort((one, other) => one.distance - other.distance).slice(1).map(({ block }) => block);
    for (const { block } of wanted) if (!missing.includes(block)) next.add(block);
    const sorted = [...next].sort((one, other) => one - other);
    if (!areEqual(near, sorted)) setNear(sorted);
    if (missing.length > 0) frame.current = requestAnimationFrame(() => update.current());
  };
  const observer = useMemo(() => new ResizeObserver(entries => {
    for (const { target, contentRect } of entries) {
      const { block, rows } = /** @type {HTMLElement} */ (target).dataset;
      if (target.isConnected) heights.current.set(Number(block), contentRect.height, Number(rows));
    }
  }), []);
  useEffect(() => {
    const root = first.current?.closest("main");
    let isPrinting = false;
    const look = () => { if (!isPrinting) update.current(); };
    // Paper has all rows.
    const print = () => {
      isPrinting = true;
      cancelAnimationFrame(frame.current);
      setNear(Array.from({ length: count }, (_, block) => block));
    };
    const finish = () => {
      isPrinting = false;
      update.current();
    };
    root?.addEventListener("scroll", look, { passive: true });
    addEventListener("beforeprint", print);
    addEventListener("afterprint", finish);
    return () => {
      root?.removeEventListener("scroll", look);
      removeEventListener("beforeprint", print);
      removeEventListener("afterprint", finish);
    };
  }, [count]);
  useEffect(() => () => {
    observer.disconnect();
    cancelAnimationFrame(frame.current);
  }, []);
  useEffect(() => update.current(), [things]);
  // Columns keep their widths when rows come and go.
  useLayoutEffect(() => {
    const table = /** @type {HTMLTableElement} */ (first.current?.closest("table"));
    const headings = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("thead th")]);
    const release = () => {
      table.classList.remove("fixed");
      for (const heading of headings) heading.style.width = "";
    };
    const fix = () => {
      release();
      for (const [heading, width] of headings.map(heading => /** @type {const} */ ([heading, heading.offsetWidth]))) heading.style.width = `${width}px`;
      table.classList.add("fixed");
      heights.current = new Heights();
      // What is observed anew is measured anew.
      observer.disconnect();
      for (const body of table.tBodies) if (body.dataset.block) observer.observe(body);
    };
    fix();
    addEventListener("resize", fix);
    return () => {
      removeEventListener("resize", fix);
      release();
    };
  }, [columns]);
  // A block is drawn again only if its rows have changed, so a step of scrolling draws just the blocks that it brings.
  const drawn = useMemo(() => /** @type {Map<number, any>} */ (new Map()), [things, row]);
  const bodyOf = (/** @type {number} */ block) => {
    const some = things.slice(block * blockRows, (block + 1) * blockRows);
    /** @type {HTMLElement | null} */
    let body = null;
    const keep = (/** @type {HTMLElement | null} */ element) => {
      if (element) observer.observe(element);
      else if (body) observer.unobserve(body);
      body = element;
    };
    return html`<tbody key=${block} data-block=${block} data-rows=${some.length} ref=${keep}>${some.map((thing, place) => row(thing, block * blockRows + place + 1))}</tbody>`;
  };
  const parts = [html`<tbody key="first" ref=${first} hidden></tbody>`];
  const present = near.filter(block => block < count);
  let next = 0;
  for (const block of [...present, count]) {
    let height = 0;
    for (; next < block; next++) height += heights.current.of(next, rowsOf(next));
    if (height > 0) parts.push(html`<tbody key=${`before ${block === count ? "end" : block === present[0] ? "start" : block}`} aria-hidden="true"><tr><td colspan=${columns} class="space" style=${{ height: `${height}px` }}></td></tr></tbody>`);
    if (block === count) break;
    if (!drawn.has(block)) drawn.set(block, bodyOf(block));
    parts.push(drawn.get(block));
    next = block + 1;
  }
  for (const block of drawn.keys()) if (!near.includes(block)) drawn.delete(block);
  return parts;
}
