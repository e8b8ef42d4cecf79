// JSONPath as Kubernetes writes it: `{.status.phase}`, `{.spec.containers[0].name}`, `{.status.conditions[?(@.type=="Ready")].status}`,
// `[*]`, slices, quoted names, `..` at any depth. The braces and the first dot may be left out. Keys that are missing lead to nothing.
//
// Not here: `range`, several expressions in one text, and unions of anything but names and numbers.
import { KubectlError } from "./kubectl-error.ts";

type Step =
  | { readonly step: "names"; readonly names: readonly string[] }
  | { readonly step: "all" }
  | { readonly step: "everywhere" }
  | { readonly step: "indexes"; readonly indexes: readonly number[] }
  | { readonly step: "slice"; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly step: "filter"; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

type Operand = { readonly path: readonly Step[] } | { readonly value: unknown };

export type JsonPath = readonly Step[];

/** Throws a KubectlError for a text that is no path. */
export function parseJsonPath(text: string): JsonPath {
  const inner = /^\{(.*)\}$/s.exec(text)?.[1] ?? text;
  if (inner === "") throw new KubectlError("jsonpath expression cannot be empty");
  return new PathReader(/^[.[$@]/.test(inner) ? inner : `.${inner}`).read();
}

/** What the path leads to, in order. */
export function findJsonPath(path: JsonPath, root: unknown): readonly unknown[] {
  return path.reduce<readonly unknown[]>((found, step) => found.flatMap((value) => follow(step, value)), [root]);
}

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^[$@]/, "");
  }

  read(): JsonPath {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) steps.push(...this.#next());
    return steps;
  }

  #next(): readonly Step[] {
    if (this.#take(/\.\.(?=[^.])/y)) {
      // What follows is looked for at any depth.
      if (this.#text[this.#at] !== "[") this.#at--;
      return [{ step: "everywhere" }];
    }
    if (this.#take(/\.\*/y)) return [{ step: "all" }];
    const name = this.#take(/\.((?:[^.[\]\\\s]|\\.)+)/y);
    if (name !== undefined) return [{ step: "names", names: [name.replace(/\\(.)/g, "$1")] }];
    const filter = this.#take(/\[\?\((.*?)\)\]/y);
    if (filter !== undefined) return [filterOf(filter)];
    const inside = this.#take(/\[((?:'[^']*'|"[^"]*"|[^\]])*)\]/y);
    if (inside !== undefined) return [bracketOf(inside.trim(), this.#text)];
    // The whole object.
    if (this.#take(/\.$/y) !== undefined) return [];
    throw notAPath(this.#text);
  }

  /** The first group, or the whole match. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[1] ?? match[0];
  }
}

function bracketOf(inside: string, whole: string): Step {
  if (inside === "*") return { step: "all" };
  if (/^(-?\d*):(-?\d*)(:\d+)?$/.test(inside)) {
    const [from = "", to = "", by = ""] = inside.split(":");
    const bound = (text: string) => (text === "" ? undefined : Number(text));
    return { step: "slice", from: bound(from), to: bound(to), by: bound(by) ?? 1 };
  }
  if (/^-?\d+(\s*,\s*-?\d+)*$/.test(inside)) return { step: "indexes", indexes: inside.split(",").map(Number) };
  const names = [...inside.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? "");
  if (names.length > 0) return { step: "names", names };
  throw notAPath(whole);
}

function filterOf(text: string): Step {
  const parts = /^\s*(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+?)\s*$/.exec(text);
  if (parts === null) return { step: "filter", left: operandOf(text.trim()), operator: "exists", right: undefined };
  const [, left = "", operator = "", right = ""] = parts;
  return { step: "filter", left: operandOf(left), operator, right: operandOf(right) };
}

function operandOf(text: string): Operand {
  if (text.startsWith("@")) return { path: text === "@" ? [] : new PathReader(text).read() };
  const quoted = /^(?:"(.*)"|'(.*)')$/s.exec(text);
  if (quoted !== null) return { value: quoted[1] ?? quoted[2] ?? "" };
  if (text === "true" || text === "false") return { value: text === "true" };
  if (text !== "" && Number.isFinite(Number(text))) return { value: Number(text) };
  throw notAPath(text);
}

function follow(step: Step, value: unknown): readonly unknown[] {
  switch (step.step) {
    case "names":
      return step.names.flatMap((name) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
    case "all":
      return childrenOf(value);
    case "everywhere":
      return [value, ...childrenOf(value).flatMap((child) => (isTree(child) ? follow(step, child) : []))];
    case "indexes":
      return Array.isArray(value) ? step.indexes.flatMap((at) => value.slice(at, at === -1 ? undefined : at + 1)) : [];
    case "slice":
      return Array.isArray(value) ? value.slice(step.from, step.to).filter((_, at) => at % step.by === 0) : [];
    default:
      return childrenOf(value).filter((child) => fits(step, child));
  }
}

function fits({ left, operator, right }: Extract<Step, { step: "filter" }>, item: unknown): boolean {
  const [x] = "path" in left ? findJsonPath(left.path, item) : [left.value];
  if (operator === "exists") return x !== undefined;
  const [y] = right === undefined ? [] : "path" in right ? findJsonPath(right.path, item) : [right.value];
  if (x === undefined || y === undefined || typeof x !== typeof y) return false;
  const order = x === y ? 0 : (x as string | number) < (y as string | number) ? -1 : 1;
  const isTrue: Readonly<Record<string, boolean>> = {
    "==": order === 0,
    "!=": order !== 0,
    "<": order < 0,
    "<=": order <= 0,
    ">": order > 0,
    ">=": order >= 0,
  };
  return isTrue[operator] === true;
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

const isTree = (value: unknown) => typeof value === "object" && value !== null;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const notAPath = (text: string) => new KubectlError(`unrecognized jsonpath expression ${JSON.stringify(text)}`);
