// TypeScript read as text, for checks by pattern: the code without its comments and strings, and what it imports. The
// compiler is a native program without a library, so this is a scanner by hand: a tripwire, not a parser. It knows
// comments, all kinds of strings, templates with code inside, and regular expressions by what stands before them.

/** The same text with comments, string contents and regular expressions blanked; every character keeps its place. */
export function blankOut(text: string): string {
  const out = [...text];
  scan(text, 0, out, undefined);
  return out.join("");
}

export interface ImportStatement {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
  readonly line: number;
}

/** What a file imports or re-exports, dynamic imports included. */
export function importsOf(text: string): readonly ImportStatement[] {
  const code = blankOut(text);
  const found: ImportStatement[] = [];
  // In the blanked text a string is its quotes with spaces between, in its old place.
  const pattern =
    /\b(?:(import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?|import\s*\(\s*|require\s*\(\s*)(["'`])( *)\3/g;
  for (const match of code.matchAll(pattern)) {
    const end = match.index + match[0].length - 1;
    const specifier = text.slice(end - (match[4]?.length ?? 0), end);
    found.push({ specifier, isTypeOnly: match[2] !== undefined, line: lineAt(text, match.index) });
  }
  return found;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < offset; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

// Scans from `start`; returns where it stopped: the end, or the brace that closes the template hole it was called for.
function scan(text: string, start: number, out: string[], closing: "}" | undefined): number {
  let depth = 0;
  let before = "";
  for (let i = start; i < text.length; i++) {
    const at = text[i] ?? "";
    const next = text[i + 1];
    if (at === "/" && (next === "/" || next === "*")) {
      i = blankUntil(text, i, next === "/" ? "\n" : "*/", out);
      continue;
    }
    if (at === '"' || at === "'") i = blankString(text, i, out);
    else if (at === "`") i = blankTemplate(text, i, out);
    else if (at === "/" && startsRegExp(before)) i = blankRegExp(text, i, out);
    else if (closing !== undefined && at === "}" && depth === 0) return i;
    else if (at === "{") depth++;
    else if (at === "}") depth--;
    if (!/\s/.test(at)) before = (before + at).slice(-12);
  }
  return text.length;
}

// A slash after a value divides; after an operator, an opening bracket or a keyword it begins a regular expression.
function startsRegExp(before: string): boolean {
  return (
    before === "" || /[=([{},;:!&|?+\-*%<>~^]$/.test(before) || /(?:return|typeof|case|in|of|do|else)$/.test(before)
  );
}

function blankUntil(text: string, start: number, mark: string, out: string[]): number {
  const found = text.indexOf(mark, start + 2);
  const end = found === -1 ? text.length : found + (mark === "\n" ? 0 : mark.length);
  for (let i = start; i < end; i++) if (out[i] !== "\n") out[i] = " ";
  return end - 1;
}

function blankString(text: string, start: number, out: string[]): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === text[start]) return i;
    if (text[i] === "\\") out[i++] = " ";
    out[i] = " ";
  }
  return text.length;
}

function blankTemplate(text: string, start: number, out: string[]): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "`") return i;
    if (text[i] === "$" && text[i + 1] === "{") {
      i = scan(text, i + 2, out, "}");
      continue;
    }
    if (text[i] === "\\") out[i++] = " ";
    if (out[i] !== "\n") out[i] = " ";
  }
  return text.length;
}

function blankRegExp(text: string, start: number, out: string[]): number {
  let isInClass = false;
  for (let i = start + 1; i < text.length && text[i] !== "\n"; i++) {
    if (text[i] === "/" && !isInClass) return i;
    if (text[i] === "[") isInClass = true;
    if (text[i] === "]") isInClass = false;
    if (text[i] === "\\") out[i++] = " ";
    out[i] = " ";
  }
  return start;
}
