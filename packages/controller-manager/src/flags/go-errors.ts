// The words in which Go's standard library refuses a text. Scripts and people know them from upstream's program, so a bad flag says the
// same here.

/** A text that is no value of the flag's type. The message is what follows "flag: " in the complaint. */
export class FlagValueError extends Error {
  override readonly name = "FlagValueError";
}

export const invalidSyntax = (parser: string, text: string) =>
  new FlagValueError(`strconv.${parser}: parsing ${quote(text)}: invalid syntax`);

export const outOfRange = (parser: string, text: string) =>
  new FlagValueError(`strconv.${parser}: parsing ${quote(text)}: value out of range`);

/** As Go's %q prints a string. */
export function quote(text: string): string {
  const body = text.replace(/["\\\p{C}]/gu, (char) => named[char] ?? escapeRune(char));
  return `"${body}"`;
}

const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
};

function escapeRune(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}
