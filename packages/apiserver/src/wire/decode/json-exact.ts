// JSON into values that keep what JSON.parse drops: repeated keys, the order of keys, and the spelling of numbers where it
// counts. The text must be JSON (`findJsonFault`). Several times slower than JSON.parse, and used only for bodies that need it.
//
// A loop, not a recursion: unknown fields may be ten thousand levels deep.
import { ExactNumber, OrderedEntries, setOwn } from "./exact-values.ts";
import { isEscaped } from "./json-scan.ts";

interface OpenObject {
  readonly type: "object";
  /** Where it stands in the object around it. */
  readonly at: string | undefined;
  readonly entries: [string, unknown][];
  readonly seen: Set<string>;
  isOrdered: boolean;
}
interface OpenList {
  readonly type: "list";
  readonly at: string | undefined;
  readonly items: unknown[];
}

export function parseExactJson(text: string): unknown {
  const open: (OpenObject | OpenList)[] = [];
  let result: unknown;
  let key: string | undefined;
  const add = (value: unknown): void => {
    const into = open.at(-1);
    if (into === undefined) result = value;
    else if (into.type === "list") into.items.push(value);
    else if (key !== undefined) addEntry(into, key, value);
    key = undefined;
  };
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = findStringEnd(text, at);
      const value = unquote(text.slice(at, end));
      if (key === undefined && open.at(-1)?.type === "object") key = value;
      else add(value);
      at = end;
    } else if (character === "{" || character === "[") {
      open.push(openContainer(character, key));
      key = undefined;
      at++;
    } else if (character === "}" || character === "]") {
      const done = open.pop();
      key = done?.at;
      add(done === undefined || done.type === "list" ? done?.items : closeObject(done));
      at++;
    } else if (" \t\r\n:,".includes(character)) {
      at++;
    } else {
      const end = findWordEnd(text, at);
      add(wordValue(text.slice(at, end)));
      at = end;
    }
  }
  return result;
}

function openContainer(bracket: "{" | "[", at: string | undefined): OpenObject | OpenList {
  if (bracket === "[") return { type: "list", at, items: [] };
  return { type: "object", at, entries: [], seen: new Set(), isOrdered: false };
}

function addEntry(object: OpenObject, key: string, value: unknown): void {
  if (object.seen.has(key) || /^[0-9]+$/.test(key)) object.isOrdered = true;
  object.seen.add(key);
  object.entries.push([key, value]);
}

function closeObject({ entries, isOrdered }: OpenObject): unknown {
  if (isOrdered) return new OrderedEntries(entries);
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) setOwn(object, key, value);
  return object;
}

/** Behind the closing quote. */
function findStringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function unquote(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  // Half a surrogate pair is no character to Go.
  return (JSON.parse(literal) as string).replace(halfPair, "\ufffd");
}

const halfPair = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const wordEnd = /[\s,\]}]|$/g;

function findWordEnd(text: string, start: number): number {
  wordEnd.lastIndex = start;
  return wordEnd.exec(text)?.index ?? text.length;
}

function wordValue(word: string): unknown {
  if (word === "null") return null;
  if (word === "true" || word === "false") return word === "true";
  return /^(?:0|-?[1-9][0-9]{0,14})$/.test(word) ? Number(word) : new ExactNumber(word);
}
