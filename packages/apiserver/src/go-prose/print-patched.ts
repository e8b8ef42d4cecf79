// A patched object as upstream prints it when it refuses it: what the patch did not touch stands as the server writes it, in the order of
// the Go struct; every object the patch went through, or brought, has its keys in alphabetical order.
import type { KubernetesObject } from "@kubeloop/core/api";

type Fields = Readonly<Record<string, unknown>>;

/** As an object without a Go type is written: every key in alphabetical order. */
export const inKeyOrder = (shown: KubernetesObject): KubernetesObject => sortedAll(shown) as KubernetesObject;

/** `patched` was made of `before`, which is in written order. */
export function printMerged(patched: unknown, patch: unknown, before: unknown): string {
  return escaped(JSON.stringify(mergedOrder(patched, patch, before)));
}

export function printOperated(patched: unknown, operations: readonly unknown[]): string {
  const touched = new Set([""]);
  for (const operation of operations) {
    const { path, from } = operation as { readonly path?: unknown; readonly from?: unknown };
    for (const pointer of [path, from]) {
      if (typeof pointer !== "string") continue;
      for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1)) {
        touched.add(pointer.slice(0, end));
      }
    }
  }
  return escaped(JSON.stringify(operatedOrder(patched, "", touched)));
}

function mergedOrder(value: unknown, patch: unknown, old: unknown): unknown {
  if (!isFields(value) || !isFields(patch)) return Array.isArray(value) && old !== undefined ? value : sortedAll(value);
  return sorted(value, (name, held) => {
    if (!Object.hasOwn(patch, name)) return held;
    return mergedOrder(held, patch[name], isFields(old) ? old[name] : undefined);
  });
}

function operatedOrder(value: unknown, at: string, touched: ReadonlySet<string>): unknown {
  const below = (name: string | number, held: unknown) =>
    operatedOrder(held, `${at}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`, touched);
  if (Array.isArray(value)) return value.map((item, i) => below(i, item));
  if (!isFields(value) || !touched.has(at)) return value;
  return sorted(value, below);
}

const sortedAll = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortedAll);
  return isFields(value) ? sorted(value, (_, held) => sortedAll(held)) : value;
};

function sorted(fields: Fields, change: (name: string, held: unknown) => unknown): Fields {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, held]) => [name, change(name, held)]));
}

/** As Go writes JSON that may end up in a page. */
const escaped = (json: string) =>
  json.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
