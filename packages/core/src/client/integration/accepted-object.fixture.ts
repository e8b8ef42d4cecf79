// Makes an object that a server accepts out of one that was drawn without knowing the server's rules: what the server complains about is taken out, and
// what it misses is put in from an object that it is known to accept, until it accepts the rest.
import { copyJson } from "../../base/index.ts";

export type Draft = Record<string, unknown>;

/** Sends the object. Returns the field paths that the server complains about; none if it accepts the object, "refused" if it names no field. */
export type Submit = (object: Draft) => Promise<readonly string[] | "refused">;

const maxRounds = 40;

/** `known` is an object that the server accepts; it is what is returned if nothing drawn is. */
export async function acceptedObject(drawn: Draft, known: Draft, submit: Submit): Promise<Draft> {
  let object = filled(copyJson(drawn), known) as Draft;
  /** How often the server complained about a path: what is around it goes, too, if it is not done with the field alone. */
  const times = new Map<string, number>();
  for (let round = 0; round < maxRounds; round++) {
    const complaints = await submit(object);
    if (complaints === "refused") break;
    if (complaints.length === 0) return object;
    // All are looked up before anything is removed: two things that are missing in one place do not remove what is around it, too.
    const targets = [...new Set(complaints)].map((path) => {
      const before = times.get(path) ?? 0;
      times.set(path, before + 1);
      return targetOf(object, parsePath(path), before);
    });
    removeAll(object, targets, known);
    object = filled(object, known) as Draft;
  }
  return known;
}

/** Adds what is missing. In a list, the items are filled from the first one known. */
export function filled(value: unknown, known: unknown): unknown {
  if (value === undefined) return copyJson(known);
  if (Array.isArray(known)) {
    if (!Array.isArray(value) || value.length === 0) return copyJson(known);
    return value.map((item) => filled(item, typeof known[0] === "object" ? known[0] : item));
  }
  if (!isMap(known) || !isMap(value)) return value;
  for (const [name, inner] of Object.entries(known)) value[name] = filled(value[name], inner);
  return value;
}

/** `spec.containers[0].ports` and `metadata.annotations[a.b/c]` as their steps. */
export function parsePath(path: string): readonly string[] {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inner]) => inner ?? whole);
}

/** Returns the steps to what is there at the path, or to the last thing on the way to it; or, with a distance, to what is so many steps around that. */
export function targetOf(object: Draft, path: readonly string[], distance = 0): readonly string[] {
  const there: string[] = [];
  let at: unknown = object;
  for (const step of placed(object, path)) {
    const name = isMap(at) || Array.isArray(at) ? nameIn(at, step) : undefined;
    if (name === undefined) break;
    there.push(name);
    at = (at as Draft)[name];
  }
  return there.slice(0, Math.max(1, there.length - distance));
}

/** A field of the object itself loses only the last of its fields that was drawn, because most of it is good. */
export function removeAll(object: Draft, targets: readonly (readonly string[])[], known: Draft = {}): void {
  // From the end, so that indexes stay right while items are taken out of a list.
  const unique = new Map(targets.map((target) => [target.join("\0"), target]));
  for (const id of [...unique.keys()].toSorted().toReversed()) remove(object, unique.get(id) ?? [], known);
}

function remove(object: Draft, target: readonly string[], known: Draft): void {
  const last = target.at(-1);
  let holder: unknown = object;
  for (const step of target.slice(0, -1)) holder = (holder as Draft)[step];
  if (last === undefined) return;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (holder === object && isMap(object[last])) removeLast(object[last], known[last]);
  else delete (holder as Draft)[last];
}

/** Some paths begin with another field than the one that has the rest: a node's taints are said to be in its metadata. */
function placed(object: Draft, path: readonly string[]): readonly string[] {
  const [first = "", second = "", ...rest] = path;
  const has = (name: string) => isMap(object[name]) && nameIn(object[name], second) !== undefined;
  if (second === "" || has(first)) return path;
  const other = Object.keys(object).find(has);
  return other === undefined ? path : [other, second, ...rest];
}

function removeLast(object: Draft, known: unknown): void {
  const last = Object.keys(object).findLast((name) => !isMap(known) || !Object.hasOwn(known, name));
  if (last !== undefined) delete object[last];
}

/** Some paths have the names of Go's fields: HostIPC. */
function nameIn(holder: object, step: string): string | undefined {
  if (Object.hasOwn(holder, step)) return step;
  return Object.keys(holder).find((name) => name.toLowerCase() === step.toLowerCase());
}

function isMap(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
