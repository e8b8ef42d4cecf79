// Integers beyond 2^53 in JSON: the server's integers have 64 bits, JavaScript's numbers do not, and JSON.parse rounds silently. So an
// object that contains such a number is edited as text if it is written back as a whole.

/** Whether a parsed value contains an integer that JSON.parse may have rounded. */
export function hasInexactInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (hasInexactInteger(each)) return true;
  return false;
}

/**
 * Parses JSON text, edits the value and prints it again; every unchanged integer is printed exactly as it was read. In the edit,
 * an integer that is too large is a string.
 */
export function editJsonText(text: string, edit: (value: unknown) => unknown): string {
  let mark = "\uE000";
  while (text.includes(mark)) mark += "\uE000";
  const edited = JSON.stringify(edit(JSON.parse(markLargeIntegers(text, mark))));
  return edited.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/** Returns the text with each integer beyond 2^53 as a string that begins with the mark. */
function markLargeIntegers(text: string, mark: string): string {
  const number = /-?\d[\d.eE+-]*/y;
  let marked = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      number.lastIndex = at;
      const token = number.exec(text)?.[0] ?? character;
      if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
        marked += `${text.slice(copied, at)}"${mark}${token}"`;
        copied = at + token.length;
      }
      at += token.length - 1;
    }
  }
  return marked + text.slice(copied);
}

/** Returns the end of the string that begins here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
