// How kubectl's YAML writes a text: as it is where that is still a text to every reader of YAML 1.1, else in quotes; of several lines as
// a literal block; and long ones folded at the first space behind the 80th column.
const bestWidth = 80;

interface Place {
  /** Where the text begins in its line. */
  readonly column: number;
  /** Of the lines that continue it. */
  readonly indent: number;
  readonly isKey: boolean;
}

export function printScalar(text: string, place: Place): string {
  switch (styleOf(text, place.isKey)) {
    case "plain":
      return folded(text, place, "plain");
    case "single":
      return `'${folded(text, { ...place, column: place.column + 1 }, "single")}'`;
    case "literal":
      return literal(text, place.indent);
    default:
      return `"${folded(text, { ...place, column: place.column + 1 }, "double")}"`;
  }
}

type Style = "plain" | "single" | "double" | "literal";

function styleOf(text: string, isKey: boolean): Style {
  const isSpecial = [...text].some((letter) => !isPrintable(letter)) || / [\n\u2028\u2029]/.test(text);
  if (text.includes("\n")) return isSpecial || text.endsWith(" ") || isKey ? "double" : "literal";
  if (isSpecial) return "double";
  if (meansSomethingElse(text)) return "double";
  return looksLikeSyntax(text) ? "single" : "plain";
}

/** Whether it would be read as nothing, as a truth, as a number or as a time. */
function meansSomethingElse(text: string): boolean {
  if (words.has(text)) return true;
  if (/^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text)) return true;
  if (/^\.[0-9]/.test(text)) return /^\.[0-9]+([eE][-+]?[0-9]+)?$/.test(text);
  if (!/^[-+0-9]/.test(text)) return false;
  if (isTime(text)) return true;
  const digits = text.replaceAll("_", "");
  if (/^[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/.test(digits)) return true;
  return /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(digits) && Number.isFinite(Number(digits));
}

const words: ReadonlySet<string> = new Set([
  ..."|~|null|Null|NULL|y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE|n|N|no|No|NO|off|Off|OFF|false|False|FALSE|<<".split(
    "|",
  ),
  ...".nan|.NaN|.NAN|.inf|.Inf|.INF|+.inf|+.Inf|+.INF|-.inf|-.Inf|-.INF".split("|"),
]);

function isTime(text: string): boolean {
  const parts =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?)?$/.exec(
      text,
    );
  if (parts === null) return false;
  const [, year = 0, month = 0, day = 0, ...clock] = parts.map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  const [hours = 0, minutes = 0, seconds = 0] = clock.filter((part) => !Number.isNaN(part));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hours < 24 && minutes < 60 && seconds < 60;
}

function looksLikeSyntax(text: string): boolean {
  if (text.startsWith(" ") || text.endsWith(" ") || text.startsWith("---") || text.startsWith("...")) return true;
  if (/[\u2028\u2029]/.test(text)) return true;
  return (
    /^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:]([ \t]|$)/.test(text) || /:([ \t]|$)/.test(text) || /[ \t]#/.test(text)
  );
}

/** Lines end at single spaces behind the best width; keys are never folded. */
function folded(text: string, { column: start, indent, isKey }: Place, style: Exclude<Style, "literal">): string {
  const letters = [...text];
  let column = start;
  let out = "";
  let wasSpace = false;
  for (const [at, letter] of letters.entries()) {
    const isInside = style === "plain" || (at > 0 && at < letters.length - 1);
    const isBeforeSpace = letters[at + 1] === " ";
    const isBreakable = letter === " " && !isKey && !wasSpace && column > bestWidth && isInside;
    if (isBreakable && (style === "double" || !isBeforeSpace)) {
      // In double quotes a line may begin with a space that is escaped.
      out += `\n${" ".repeat(indent)}${isBeforeSpace ? "\\" : ""}`;
      column = indent + (isBeforeSpace ? 1 : 0);
    } else {
      const written = style === "single" && letter === "'" ? "''" : style === "double" ? escapedLetter(letter) : letter;
      out += written;
      column += [...written].length;
    }
    wasSpace = letter === " ";
  }
  return out;
}

/** What may stand for itself: of the first plane only, and no control characters but the newline. */
function isPrintable(letter: string): boolean {
  return /^[\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u.test(letter);
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function escapedLetter(letter: string): string {
  const known = escapes[letter];
  if (known !== undefined) return known;
  if (isPrintable(letter)) return letter;
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

function literal(text: string, indent: number): string {
  const hint = /^[ \n]/.test(text) ? "2" : "";
  const chomp = !text.endsWith("\n") ? "-" : text === "\n" || text.endsWith("\n\n") ? "+" : "";
  const lines = text.split("\n").map((line) => (line === "" ? "" : " ".repeat(indent) + line));
  const body = lines.join("\n");
  // The caller ends the line.
  return `|${hint}${chomp}\n${text.endsWith("\n") ? body.slice(0, -1) : body}`;
}
