// Why a strategic patch cannot be applied, in upstream's words. Core says where and what; upstream prints the values it stumbled over, which
// are found again here, in the patch and in the object it was for.
import { KubeloopError } from "@kubeloop/core/base";
import { goTypeOf, printGo, printGoText } from "./go-values.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Refused {
  /** As core printed it: `spec.containers`. */
  readonly path: string;
  readonly message: string;
  readonly patch: unknown;
  readonly current: unknown;
}

const orderOf = (field: string) => `$setElementOrder/${field}`;

/** The first of these that matches the fault. */
const wordings: readonly (readonly [RegExp, (place: Place, found: RegExpExecArray) => string])[] = [
  [/merge key: (.+)$/, ({ lists }, [, key = ""]) => withoutKey(lists, key)],
  [/^unknown patch type/, ({ patch, lists }) => unknownDirective(patch, lists)],
  [/^merging lists/, () => "merging lists cannot yet be specified in the patch"],
  [
    /^list element types|^lists of lists/,
    ({ patch, current }) => `list element types are not identical: ${printGo([current, patch])}`,
  ],
  [
    /\$setElementOrder does not name|\$setElementOrder\S* does not name/,
    () => "invalid patch format of setElementOrder list",
  ],
  [/does not name a list$/, () => "invalid patch format of primitive list"],
  [/\$retainKeys$/, () => "invalid patch format of retainKeys"],
  [/^\$setElementOrder must be a list$/, ({ order }) => `expected a []interface {}, but received a ${goTypeOf(order)}`],
  [/this is none$/, ({ patch, current }) => `expected a []interface {}, but received a ${goTypeOf(patch ?? current)}`],
  [
    /does not match its \$setElementOrder$/,
    ({ patch, order }) =>
      `The order in patch list:\n${printGo(patch)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`,
  ],
  [
    /^unable to find api field in (.+)$/,
    ({ field }, [, schema = ""]) =>
      `unable to find api field in struct ${schema.split(".").at(-1)} for the json field "${field}"`,
  ],
];

interface Place {
  readonly field: string;
  readonly patch: unknown;
  readonly current: unknown;
  readonly order: unknown;
  /** In which a fault may be, in the order in which upstream looks. */
  readonly lists: readonly (readonly unknown[])[];
}

export function strategicWords({ path, message, patch, current }: Refused): string {
  const fault = path === "" ? message : message.slice(path.length + 2);
  const place = placeAt(path, patch, current);
  for (const [pattern, word] of wordings) {
    const found = pattern.exec(fault);
    if (found !== null) return word(place, found);
  }
  return fault;
}

function placeAt(path: string, patch: unknown, current: unknown): Place {
  const parts = path.replaceAll(/\[([^\]]*)\]/g, ".$1").split(".");
  const field = parts.at(-1) ?? "";
  const above = parts.slice(0, -1);
  const holder = valueAt(patch, above);
  const held = path === "" ? patch : valueAt(holder, [field]);
  const order = valueAt(holder, [orderOf(field)]);
  const lists = [order, held, valueAt(current, parts)].filter((each) => Array.isArray(each));
  return { field, patch: held, current: path === "" ? current : valueAt(current, parts), order, lists };
}

/** Items of lists that merge are found by their position in the object, which the patch does not have: there any item will do that is one. */
function valueAt(value: unknown, parts: readonly string[]): unknown {
  let at = value;
  for (const part of parts) {
    if (part === "" && !isFields(at)) continue;
    if (Array.isArray(at)) at = at[Number(part)] ?? at[0];
    else at = isFields(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  }
  return at;
}

function withoutKey(lists: Place["lists"], key: string): string {
  const item = lists.flat(1).find((each) => isFields(each) && !Object.hasOwn(each, key));
  return `map: ${printGo(item ?? {})} does not contain declared merge key: ${key}`;
}

function unknownDirective(patch: unknown, lists: Place["lists"]): string {
  const known = ["replace", "delete", "merge"];
  const holder = isFields(patch)
    ? patch
    : lists
        .flat(1)
        .find((each): each is Fields => isFields(each) && "$patch" in each && !known.includes(String(each["$patch"])));
  return `unknown patch type: ${printGoText(holder?.["$patch"])} in map: ${printGo(holder ?? {})}`;
}

/** An order of a list of objects names their keys; what is no object is found out before anything else. Throws upstream's words. */
export function checkOrderItems(patch: unknown, current: unknown): void {
  // What is added as a whole has no order to keep.
  if (current === undefined) return;
  if (Array.isArray(patch)) for (const item of patch) checkOrderItems(item, current);
  if (!isFields(patch)) return;
  for (const [key, held] of Object.entries(patch)) {
    checkOrderItems(held, isFields(current) ? current[key] : current);
    if (!key.startsWith("$setElementOrder/") || !Array.isArray(held)) continue;
    const list = patch[key.slice(key.indexOf("/") + 1)];
    const isOfObjects = Array.isArray(list) && list.some(isFields);
    const odd = isOfObjects ? held.find((item) => !isFields(item)) : undefined;
    if (odd !== undefined)
      throw new OrderItemError(`expected a map[string]interface {}, but received a ${goTypeOf(odd)}`);
  }
}

export class OrderItemError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Invalid", retry: "never" });
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
