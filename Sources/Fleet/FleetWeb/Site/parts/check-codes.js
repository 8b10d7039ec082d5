/**
 * The codes of the items of a checklist.
 * @typedef {{ item: string, text: string }} CheckItem `item`: the code in reports; empty for an item that is new.
 */

/** The most characters of a code that is made from a text. */
const longest = 40;

/**
 * A code for an item with a text: `Fire extinguisher` becomes `fireExtinguisher`.
 * @param {string} text
 * @param {Set<string>} taken the codes of other items
 */
function codeOf(text, taken) {
  const words = text.normalize("NFKD").replace(/\p{M}/gu, "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const code = words.map((word, place) => (place === 0 ? word.slice(0, 1).toLowerCase() : word.slice(0, 1).toUpperCase()) + word.slice(1)).join("").slice(0, longest) || "item";
  let found = code;
  for (let number = 2; taken.has(found); number++) found = code + number;
  return found;
}

/**
 * The items as the server receives them: without empty ones, and each with a code.
 * @param {CheckItem[]} items
 * @returns {CheckItem[] | null} `null` if there is no item
 */
export function finishedItems(items) {
  const filled = items.filter(({ text }) => text.trim());
  const taken = new Set(filled.map(({ item }) => item).filter(Boolean));
  const finished = filled.map(({ item, text }) => {
    const code = item || codeOf(text, taken);
    taken.add(code);
    return { item: code, text: text.trim() };
  });
  return finished.length > 0 ? finished : null;
}
