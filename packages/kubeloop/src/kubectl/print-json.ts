// JSON as Go prints it: keys in order, four spaces, and the letters that mean something to HTML escaped.

/** A value with the keys of all objects in it in order, so that it is printed the same wherever it came from. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sortedKeys(inner)]),
  );
}

/** Of one line, without a newline at its end. */
export function printCompactJson(value: unknown): string {
  return escaped(JSON.stringify(sortedKeys(value)));
}

export function printJson(value: unknown): string {
  return `${escaped(JSON.stringify(sortedKeys(value), undefined, 4))}\n`;
}

function escaped(text: string): string {
  const codeOf = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[<>&\u2028\u2029]/g, codeOf);
}
