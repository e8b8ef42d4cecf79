// Parses the shell language that `shell.ts` understands. Throws a ShellSyntaxError for anything else; the caller treats such a script as one
// unknown command.

/** A word in parts, because variables get their values only when the command runs. */
export type Word = readonly WordPart[];
export type WordPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string };

/** How a command follows the one before it. */
export type Join = "then" | "and" | "or";

export type ShellNode = { readonly join: Join } & (
  | {
      readonly kind: "command";
      readonly words: readonly Word[];
      readonly assignments: readonly (readonly [name: string, value: Word])[];
      readonly redirect: { readonly to: Word; readonly isAppended: boolean } | undefined;
      /** `2>/dev/null` */
      readonly dropsErrors: boolean;
    }
  | {
      readonly kind: "if";
      readonly condition: readonly ShellNode[];
      readonly body: readonly ShellNode[];
      readonly otherwise: readonly ShellNode[];
    }
  | {
      readonly kind: "while";
      readonly isUntil: boolean;
      readonly condition: readonly ShellNode[];
      readonly body: readonly ShellNode[];
    }
);

export class ShellSyntaxError extends Error {}

type Token =
  | { readonly kind: "word"; readonly word: Word; readonly plain: string | undefined }
  | { readonly kind: "operator"; readonly text: string };

export function parseShell(text: string): readonly ShellNode[] {
  const tokens = tokenize(text);
  const reader = { tokens, at: 0 };
  const nodes = parseList(reader, []);
  if (reader.at < tokens.length) throw new ShellSyntaxError("unexpected end of a block");
  return nodes;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

/** Reads commands until one of the keywords, which stays unread. */
function parseList(reader: Reader, until: readonly string[]): readonly ShellNode[] {
  const nodes: ShellNode[] = [];
  let join: Join = "then";
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token === undefined || (token.kind === "word" && until.includes(token.plain ?? ""))) return nodes;
    if (token.kind === "operator") {
      if (token.text === "&&") join = "and";
      else if (token.text === "||") join = "or";
      else if (token.text !== ";") throw new ShellSyntaxError(`unexpected ${token.text}`);
      reader.at++;
      continue;
    }
    nodes.push(parseNode(reader, join));
    join = "then";
  }
}

function parseNode(reader: Reader, join: Join): ShellNode {
  const token = reader.tokens[reader.at];
  const plain = token?.kind === "word" ? token.plain : undefined;
  if (plain === "if") {
    reader.at++;
    const condition = parseList(reader, ["then"]);
    expectWord(reader, "then");
    const body = parseList(reader, ["else", "fi"]);
    const next = reader.tokens[reader.at];
    let otherwise: readonly ShellNode[] = [];
    if (next?.kind === "word" && next.plain === "else") {
      reader.at++;
      otherwise = parseList(reader, ["fi"]);
    }
    expectWord(reader, "fi");
    return { join, kind: "if", condition, body, otherwise };
  }
  if (plain === "while" || plain === "until") {
    reader.at++;
    const condition = parseList(reader, ["do"]);
    expectWord(reader, "do");
    const body = parseList(reader, ["done"]);
    expectWord(reader, "done");
    return { join, kind: "while", isUntil: plain === "until", condition, body };
  }
  return parseCommand(reader, join);
}

function expectWord(reader: Reader, word: string): void {
  const token = reader.tokens[reader.at++];
  if (token?.kind !== "word" || token.plain !== word) throw new ShellSyntaxError(`${word} is missing`);
}

const unknownKeywords = ["for", "case", "function", "elif", "{", "}", "(", ")", "[["];

function parseCommand(reader: Reader, join: Join): ShellNode {
  const words: Word[] = [];
  const assignments: (readonly [string, Word])[] = [];
  let redirect: { readonly to: Word; readonly isAppended: boolean } | undefined;
  let dropsErrors = false;
  for (; reader.at < reader.tokens.length; reader.at++) {
    const token = reader.tokens[reader.at];
    if (token === undefined) break;
    if (token.kind === "operator") {
      if (token.text === ">&2") redirect = { to: [{ kind: "text", text: "/dev/stderr" }], isAppended: true };
      if (token.text === "2>/dev/null") dropsErrors = true;
      if (token.text === ">&2" || token.text === "2>/dev/null") continue;
      if (token.text !== ">" && token.text !== ">>") break;
      const target = reader.tokens[++reader.at];
      if (target?.kind !== "word") throw new ShellSyntaxError("a redirection needs a file");
      redirect = { to: target.word, isAppended: token.text === ">>" };
      continue;
    }
    const assignment = words.length === 0 ? toAssignment(token.word) : undefined;
    if (assignment !== undefined) assignments.push(assignment);
    else {
      if (words.length === 0 && unknownKeywords.includes(token.plain ?? "")) throw new ShellSyntaxError(token.plain);
      words.push(token.word);
    }
  }
  return { join, kind: "command", words, assignments, redirect, dropsErrors };
}

function toAssignment(word: Word): readonly [string, Word] | undefined {
  const [first, ...rest] = word;
  if (first?.kind !== "text") return undefined;
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(first.text);
  return match === null ? undefined : [match[1] ?? "", [{ kind: "text", text: match[2] ?? "" }, ...rest]];
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const blank = /^(?:[ \t\r]|\\\n)+/.exec(rest) ?? /^#[^\n]*/.exec(rest);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    // Both streams of a container end in one log, so `2>&1` changes nothing.
    const merged = /^2>&1/.exec(rest);
    if (merged !== null) {
      at += merged[0].length;
      continue;
    }
    const errors = /^(?:1?(>&2)|2>\s*\/dev\/null)/.exec(rest);
    if (errors !== null) {
      tokens.push({ kind: "operator", text: errors[1] ?? "2>/dev/null" });
      at += errors[0].length;
      continue;
    }
    const operator = /^(?:&&|\|\||>>|[;\n>|&<()`])/.exec(rest)?.[0];
    if (operator !== undefined) {
      if (/^[|&<()`]$/.test(operator)) throw new ShellSyntaxError(`unexpected ${operator}`);
      tokens.push({ kind: "operator", text: operator === "\n" ? ";" : operator });
      at += operator.length;
      continue;
    }
    const { token, length } = readWord(rest);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function readWord(text: string): { readonly token: Token; readonly length: number } {
  const parts: WordPart[] = [];
  let isQuoted = false;
  let at = 0;
  const add = (more: string) => {
    const last = parts.at(-1);
    if (last?.kind === "text") parts[parts.length - 1] = { kind: "text", text: last.text + more };
    else parts.push({ kind: "text", text: more });
  };
  let inDouble = false;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (!inDouble && /[\s;&|<>()]/.test(char)) break;
    if (char === "'" && !inDouble) {
      const end = text.indexOf("'", at + 1);
      if (end < 0) throw new ShellSyntaxError("a quote is not closed");
      add(text.slice(at + 1, end));
      isQuoted = true;
      at = end + 1;
    } else if (char === '"') {
      inDouble = !inDouble;
      isQuoted = true;
      add("");
      at++;
    } else if (char === "\\") {
      const next = text[at + 1] ?? "";
      add(inDouble && !/["\\$`]/.test(next) ? `\\${next}` : next);
      at += 2;
    } else if (char === "`") throw new ShellSyntaxError("command substitution");
    else if (char === "$") at += readVariable(text.slice(at), parts, add);
    else {
      add(char);
      at++;
    }
  }
  if (inDouble) throw new ShellSyntaxError("a quote is not closed");
  const [only] = parts;
  const plain = parts.length === 1 && only?.kind === "text" && !isQuoted ? only.text : undefined;
  return { token: { kind: "word", word: parts, plain }, length: at };
}

/** Returns how many characters were read. */
function readVariable(text: string, parts: WordPart[], add: (more: string) => void): number {
  if (text.startsWith("$(")) throw new ShellSyntaxError("command substitution");
  const match = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*|\?))/.exec(text);
  if (match === null) {
    if (text.startsWith("${")) throw new ShellSyntaxError("parameter expansion");
    add("$");
    return 1;
  }
  parts.push({ kind: "variable", name: match[1] ?? match[2] ?? "" });
  return match[0].length;
}
