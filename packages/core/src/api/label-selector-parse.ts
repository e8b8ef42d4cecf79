// Parses label selectors: "app=web,tier in (a,b),!legacy,size>3". Error messages are those of kubectl and the
// API server. `in` and `notin` are also valid as keys and values.
import { type FieldPath, invalidFault, printFault } from "./field-errors.ts";
import {
  binaryOperators,
  type LabelRequirement,
  newRequirement,
  type Selector,
  SelectorError,
  type SelectorOperator,
  selectorOf,
} from "./label-selector.ts";
import { validateQualifiedName } from "./validation.ts";

interface Token {
  readonly type: "end" | "word" | "symbol";
  readonly text: string;
}

const symbols: ReadonlySet<string> = new Set([")", ",", "!", "==", "=", ">", "<", "!=", "("]);
const operatorsByText = new Map<string, SelectorOperator>([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

/** Throws a SelectorError. Empty text selects everything. */
export function parseSelector(text: string, options: { readonly path?: FieldPath } = {}): Selector {
  return selectorOf(new Parser(scan(text), options.path).parse());
}

/** Parses the tokens of one selector. */
class Parser {
  readonly #tokens: readonly Token[];
  readonly #path: FieldPath | undefined;
  #position = 0;

  constructor(tokens: readonly Token[], path: FieldPath | undefined) {
    this.#tokens = tokens;
    this.#path = path;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.type === "end") return requirements;
      if (!startsRequirement(first)) {
        throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.type === "end") return requirements;
      if (!isSymbol(after, ",")) throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`);
      const next = this.#peek();
      if (!startsRequirement(next)) throw new SelectorError(`found '${next.text}', expected: identifier after ','`);
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #readRequirement(): LabelRequirement {
    const isNegated = isSymbol(this.#peek(), "!");
    if (isNegated) this.#take();
    const key = this.#key();
    const next = this.#peek();
    // As upstream, a negated key followed by anything ends here; the caller reports the unexpected token.
    if (isNegated) return newRequirement({ key, operator: "!", values: [] }, this.#path);
    if (next.type === "end" || isSymbol(next, ",")) {
      return newRequirement({ key, operator: "exists", values: [] }, this.#path);
    }
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#set() : [this.#exactValue()];
    return newRequirement({ key, operator, values }, this.#path);
  }

  #key(): string {
    const token = this.#take();
    if (token.type !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
    const faults = validateQualifiedName(token.text);
    if (faults.length > 0) throw new SelectorError(printFault(invalidFault(this.#path, token.text, faults.join("; "))));
    return token.text;
  }

  #operator(): SelectorOperator {
    const token = this.#take();
    const operator = token.type === "end" ? undefined : operatorsByText.get(token.text);
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: ${binaryOperators.join(", ")}`);
    }
    return operator;
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.type === "end" || isSymbol(next, ",")) return "";
    const token = this.#take();
    if (token.type === "word") return token.text;
    throw new SelectorError(`found '${token.text}', expected: identifier`);
  }

  /** Parses "(a,b)", sorted and without duplicates; nothing between two commas is the empty value. */
  #set(): string[] {
    const open = this.#take();
    if (!isSymbol(open, "(")) throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (isSymbol(first, ")")) {
      this.#take();
      return [""];
    }
    if (first.type !== "word" && !isSymbol(first, ",")) {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#setValues();
    this.#take();
    return [...values].sort();
  }

  /** Parses up to, but not including, the closing parenthesis. */
  #setValues(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.type === "word") {
        values.add(token.text);
        if (isSymbol(next, ")")) return values;
        if (!isSymbol(next, ",")) throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ",")) {
        if (values.size === 0 || isSymbol(next, ")") || isSymbol(next, ",")) values.add("");
        if (isSymbol(next, ")")) return values;
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? endToken;
  }

  #take(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

const endToken: Token = { type: "end", text: "" };

function startsRequirement(token: Token): boolean {
  return token.type === "word" || isSymbol(token, "!");
}

function isSymbol(token: Token, text: string): boolean {
  return token.type === "symbol" && token.text === text;
}

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  const pieces = /[ \t\r\n]+|([=!(),><]+)|([^=!(),>< \t\r\n]+)/g;
  for (const [, run, word] of text.matchAll(pieces)) {
    if (word !== undefined) tokens.push({ type: "word", text: word });
    else if (run !== undefined) addSymbols(run, tokens);
  }
  return tokens;
}

/** Longest symbols first: "=!=" is "=" and "!=". */
function addSymbols(run: string, tokens: Token[]): void {
  for (let at = 0; at < run.length; ) {
    const pair = run.slice(at, at + 2);
    const text = symbols.has(pair) ? pair : (run[at] ?? "");
    tokens.push({ type: "symbol", text });
    at += text.length;
  }
}
