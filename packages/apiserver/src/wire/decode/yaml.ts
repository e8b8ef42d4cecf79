// YAML bodies into values, read as the API server reads them: of several documents the first, of keys that came twice the last
// (the others are reported), merges and aliases resolved, keys in the order of their letters, because upstream makes JSON of
// it first. What aliases blow up beyond measure is refused with upstream's own measure.
//
// Loaded when there is YAML to read. Messages about syntax are the library's, not upstream's: only their form is the same.
import { isUtf8 } from "node:buffer";
import { quote } from "@kubeloop/core/api";
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { mapSyntax, nilSyntax, sliceSyntax } from "../../go-prose/go-syntax.ts";
import { ExactNumber, OrderedEntries } from "./exact-values.ts";
import { maxDepth, tooDeep, UnmarshalError } from "./unmarshal-error.ts";
import { escapeFault, spellQuoteEscapes } from "./yaml-escapes.ts";
import { resolveScalar, type YamlScalar } from "./yaml-scalars.ts";

export interface ParsedYaml {
  /** With ExactNumber and OrderedEntries where they are needed. */
  readonly value: unknown;
  /** `line 5: key "a" already set in map`. */
  readonly repeatedKeys: readonly string[];
}

/** Throws an UnmarshalError. */
export function parseYaml(bytes: Uint8Array): ParsedYaml {
  const lines = new LineCounter();
  const text = spellQuoteEscapes(toText(bytes));
  const document = firstDocument(text, lines);
  return document?.contents ? new Conversion(document, { text, lines }).run() : { value: null, repeatedKeys: [] };
}

function toText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw failure("invalid leading UTF-8 octet");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is them that are looked for.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]/.test(text)) {
    throw failure("control characters are not allowed");
  }
  return text;
}

function firstDocument(text: string, lines: LineCounter): Document | undefined {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, logLevel: "silent", prettyErrors: false });
  try {
    for (const document of composer.compose(tokensOf(text, lines))) {
      const end = endOfDocument(document);
      const error = document.errors.find(({ pos }) => pos[0] < end);
      if (error !== undefined)
        throw failure(escapeFault(error) ?? complaints[error.code] ?? error.message, lineOf(error.pos[0], lines));
      return document;
    }
    return undefined;
  } catch (error) {
    throw error instanceof RangeError ? tooDeepForAll() : error;
  }
}

/** Upstream reads a document in brackets or quotes to its last character, and nothing behind that. */
function endOfDocument({ contents }: Document): number {
  const isClosed = isScalar(contents)
    ? contents.type === "QUOTE_DOUBLE" || contents.type === "QUOTE_SINGLE"
    : (isMap(contents) || isSeq(contents)) && contents.flow === true;
  return isClosed ? (contents?.range?.[1] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

const mostLevelsUpstream = 10_000;

/** What makes nodes of them recurses: it must not get those that are nested too deep. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let deepest = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield checked(token, deepest);
    deepest = Math.max(deepest, parser.stack.length);
    if (deepest > mostLevelsUpstream) throw tooDeepForAll();
  }
  for (const token of parser.end()) yield checked(token, deepest);
}

function checked(token: CST.Token, levels: number): CST.Token {
  if (levels > maxDepth) throw tooDeep();
  return token;
}

const tooDeepForAll = () => failure(`exceeded max depth of ${mostLevelsUpstream}`);

/** Where the library's complaint and upstream's are the same thing in other words. */
const complaints: { readonly [code: string]: string } = {
  BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
  TAB_AS_INDENT: "found character that cannot start any token",
  // The library recurses; some versions of it say so, others run out of stack.
  RESOURCE_EXHAUSTION: "exceeded max depth of 10000",
};

function failure(problem: string, line = 1): UnmarshalError {
  return new UnmarshalError(line > 1 ? `yaml: line ${line}: ${problem}` : `yaml: ${problem}`);
}

function lineOf(offset: number, lines: LineCounter): number {
  return lines.linePos(offset).line;
}

class Conversion {
  readonly #root: Node;
  readonly #text: string;
  readonly #lines: LineCounter;
  readonly #targets: ReadonlyMap<Alias, Node | undefined>;
  readonly #repeatedKeys: string[] = [];
  /** Aliases that are being followed. */
  readonly #following = new Set<Alias>();
  #count = 0;
  #aliasedCount = 0;
  #aliasedLength = 0;
  #depth = 0;

  constructor(document: Document, { text, lines }: { readonly text: string; readonly lines: LineCounter }) {
    this.#root = document.contents as Node;
    this.#text = text;
    this.#lines = lines;
    this.#targets = aliasTargets(document);
  }

  run(): ParsedYaml {
    const value = this.#value(this.#root);
    return { value, repeatedKeys: this.#repeatedKeys };
  }

  #value(node: unknown): unknown {
    this.#tally();
    if (isAlias(node)) return this.#follow(node, (target) => this.#value(target));
    if (isScalar(node)) {
      if (this.#following.size > 0) this.#tallyText(node);
      if (node.type === "QUOTE_DOUBLE") this.#checkEscapes(node);
      return toJsonNumber(scalarOf(node));
    }
    if (this.#depth >= maxDepth) throw tooDeep();
    this.#depth++;
    const value = isMap(node) ? this.#map(node) : isSeq(node) ? node.items.map((item) => this.#value(item)) : null;
    this.#depth--;
    return value;
  }

  /** Upstream knows no `\/`, and takes half of a surrogate pair for no character, also where the other half follows. */
  #checkEscapes({ range }: Scalar): void {
    if (range == null) return;
    const source = this.#text.slice(range[0], range[1]);
    if (!source.includes("\\")) return;
    for (const { 0: sequence, index } of source.matchAll(/\\(?:u[0-9a-fA-F]{2}|U[0-9a-fA-F]{6}|[\s\S])/g)) {
      const line = lineOf(range[0] + index, this.#lines);
      if (sequence === "\\/") throw failure("found unknown escape character", line);
      if (/^\\(?:u|U0000)[dD][89a-fA-F]/.test(sequence)) {
        throw failure("found invalid Unicode character escape code", line);
      }
    }
  }

  #map(node: YAMLMap): unknown {
    const entries = new Map<string, unknown>();
    this.#addEntries(node, entries);
    const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    // Keys like `1` would lose their place in an object, and with it faults their order.
    return new OrderedEntries(sorted);
  }

  #addEntries(node: YAMLMap, entries: Map<string, unknown>): void {
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        this.#merge(value, entries);
        continue;
      }
      const name = this.#key(key, value);
      const held = this.#value(value);
      if (entries.has(name.text)) {
        const line = lineOf(rangeStart(value) ?? rangeStart(key) ?? 0, this.#lines);
        this.#repeatedKeys.push(`line ${line}: key ${name.printed} already set in map`);
      }
      entries.set(name.text, held);
    }
  }

  /** What `<<` names; of several the first wins. */
  #merge(node: unknown, entries: Map<string, unknown>): void {
    const wanted = "map merge requires map or sequence of maps as the value";
    const add = (source: unknown): void => {
      if (isAlias(source)) {
        if (!isMap(this.#targetOf(source))) throw failure(wanted);
        this.#tally();
        this.#follow(source, add);
      } else if (isMap(source)) {
        this.#tally();
        // What is merged may merge again.
        if (this.#depth >= maxDepth) throw tooDeep();
        this.#depth++;
        this.#addEntries(source, entries);
        this.#depth--;
      } else throw failure(wanted);
    };
    if (isSeq(node)) for (const item of node.items.toReversed()) add(item);
    else add(node);
  }

  #key(node: unknown, value: unknown): { readonly text: string; readonly printed: string } {
    const key = this.#value(node);
    if (key === null) {
      throw new UnmarshalError(
        `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${toGoSyntax(this.#value(value))}`,
      );
    }
    if (typeof key === "string") return { text: key, printed: quote(key) };
    if (typeof key === "object" && !(key instanceof ExactNumber)) throw failure(`invalid map key: ${toGoSyntax(key)}`);
    const text = key instanceof ExactNumber ? key.text : String(key);
    return { text, printed: text };
  }

  #follow<T>(alias: Alias, use: (target: Node) => T): T {
    if (this.#following.has(alias)) throw failure(`anchor '${alias.source}' value contains itself`);
    this.#following.add(alias);
    const result = use(this.#targetOf(alias));
    this.#following.delete(alias);
    return result;
  }

  #targetOf(alias: Alias): Node {
    const target = this.#targets.get(alias);
    if (target === undefined) throw failure(`unknown anchor '${alias.source}' referenced`);
    return target;
  }

  /** Upstream's measure: a document of many values may not come mostly from aliases. */
  #tally(): void {
    this.#count++;
    if (this.#following.size > 0) this.#aliasedCount++;
    const share = this.#aliasedCount / this.#count;
    if (this.#aliasedCount > 100 && this.#count > 1000 && share > allowedShare(this.#count)) {
      throw failure("document contains excessive aliasing");
    }
  }

  /** Upstream counts values, however long they are; what comes of it would be too large for anybody to store. */
  #tallyText({ value }: Scalar): void {
    this.#aliasedLength += typeof value === "string" ? value.length : 0;
    if (this.#aliasedLength > mostAliased) throw failure("document contains excessive aliasing");
  }
}

const mostAliased = 3 * 1024 * 1024;

/** From 99 % of a small document down to 10 % of one of four million values. */
function allowedShare(count: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (count <= low) return 0.99;
  return count >= high ? 0.1 : 0.99 - (0.89 * (count - low)) / (high - low);
}

/** An alias means the last anchor of its name before it. */
function aliasTargets(document: Document): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias: (_key, alias) => {
      targets.set(alias, anchors.get(alias.source));
    },
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function isMergeKey(key: unknown): boolean {
  if (!isScalar(key) || key.value !== "<<") return false;
  return key.type === "PLAIN" ? key.tag === undefined : key.tag === "tag:yaml.org,2002:merge";
}

function scalarOf(node: Scalar): YamlScalar {
  // The library knows this one tag whatever schema it is given.
  if (node.value instanceof Uint8Array) return Buffer.from(node.value).toString("utf8");
  const text = typeof node.value === "string" ? node.value : "";
  if (/\p{Cs}/u.test(text)) throw failure("found invalid Unicode character escape code");
  return resolveScalar({ text, isPlain: node.type === "PLAIN" || node.type === undefined, tag: node.tag });
}

/** JSON has no infinities. */
function toJsonNumber(value: YamlScalar): YamlScalar {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new UnmarshalError(`json: unsupported value: ${name}`);
}

function rangeStart(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

function toGoSyntax(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === null) return nilSyntax;
  if (Array.isArray(value)) return sliceSyntax("interface {}", value.map(toGoSyntax));
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof OrderedEntries) {
    const entries = value.entries.map(([key, held]) => [key, toGoSyntax(held)] as const);
    return mapSyntax("map[interface {}]interface {}", entries);
  }
  return String(value);
}
