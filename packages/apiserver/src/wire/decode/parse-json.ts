// JSON bodies into values, read as Go reads them: names are case-sensitive, `__proto__` is a key like any other, bytes that are no
// UTF-8 become U+FFFD, faults are reported in Go's words. JSON.parse does the work; what it does not tell is looked up in the text,
// and a body that needs more is parsed once more, exactly (`exact-values.ts`).
import { quote } from "@kubeloop/core/api";
import { findJsonFault, mayBeTooDeep } from "../../go-prose/json-syntax.ts";
import { decodeText } from "./body-text.ts";
import { OrderedEntries, toPlainJson } from "./exact-values.ts";
import { maxStrictFaults, maxStrictLength } from "./fault-log.ts";
import { parseExactJson } from "./json-exact.ts";
import { scanJson } from "./json-scan.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

export interface ParsedJson {
  /** As JSON.parse gives it. */
  readonly value: unknown;
  /** How many keys the text has, at least; undefined if `value` does not tell all that counts. */
  readonly keyCount: number | undefined;
  /** With ExactNumber and OrderedEntries where they are needed. */
  exact(): unknown;
}

/** Throws an UnmarshalError with Go's words, for what is no JSON or nested too deep. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  const text = decodeText(bytes);
  const fault = mayBeTooDeep(text) ? findJsonFault(bytes) : undefined;
  if (fault !== undefined) throw new UnmarshalError(fault);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnmarshalError(findJsonFault(bytes) ?? (error instanceof Error ? error.message : String(error)));
  }
  const { keyCount, isSpellingNeeded } = scanJson(text);
  return { value, keyCount: isSpellingNeeded ? undefined : keyCount, exact: () => parseExactJson(text) };
}

export interface AnyJson {
  /** Plain, and the caller's own. Of a key that came twice, the last value. */
  readonly value: unknown;
  /** `duplicate field "spec.replicas"`. */
  readonly strictFaults: readonly string[];
}

/**
 * A body of no particular kind: a patch. Throws an UnmarshalError for what is no JSON, and for integers that JavaScript cannot
 * hold exactly.
 */
export function parseAnyJson(bytes: Uint8Array): AnyJson {
  return anyJsonOf(parseJson(bytes));
}

/** As `parseAnyJson`, of what was parsed already. */
export function anyJsonOf(parsed: ParsedJson): AnyJson {
  const exact = parsed.exact();
  return { value: toPlainJson(exact), strictFaults: findRepeatedKeys(exact) };
}

interface Visit {
  readonly value: object;
  readonly entries: readonly (readonly [key: string, value: unknown])[];
  readonly seen: Set<string>;
  next: number;
  /** Of the entry that is being looked at. */
  path: string;
}

/** In the order of the text. A loop, not a recursion: a patch may be ten thousand levels deep. */
function findRepeatedKeys(root: unknown): string[] {
  const found = new Set<string>();
  let length = 0;
  const visits: Visit[] = [];
  const enter = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const entries = value instanceof OrderedEntries ? value.entries : Object.entries(value);
    visits.push({ value, entries, seen: new Set(), next: 0, path: "" });
  };
  enter(root);
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const entry = visit.entries[visit.next++];
    if (entry === undefined) {
      visits.pop();
      continue;
    }
    const [key, held] = entry;
    const isItem = Array.isArray(visit.value);
    visit.path = isItem ? `[${key}]` : `.${key}`;
    if (!isItem && visit.seen.has(key)) {
      const text = `duplicate field ${quote(pathOf(visits))}`;
      found.add(text);
      length += text.length;
      if (found.size >= maxStrictFaults || length > maxStrictLength) break;
    }
    visit.seen.add(key);
    enter(held);
  }
  return [...found];
}

function pathOf(visits: readonly Visit[]): string {
  const path = visits.map((visit) => visit.path).join("");
  return path.startsWith(".") ? path.slice(1) : path;
}
