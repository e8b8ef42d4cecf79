// Detects a controller that writes the same content to the same object again and again. That happens when the controller overwrites a field
// that the server defaults, or that another controller sets: each reconcile removes the field, the other side sets it again, and that change
// adds the key again.
//
// Promises: from the fifth identical write in a row on, each at most five minutes after the one before, every write is counted. The fifth one
// is logged, once for each resource and set of fields, with the fields whose value in the answer differs from the one sent. Memory is
// bounded: when there are too many objects, those written longest ago are forgotten. A write costs one pass over its body; bodies are compared
// only for the log. An apply that changes nothing is not counted, because repeating the same server-side apply is its intended use.
import type { KubernetesObject, Resource } from "../api/index.ts";
import type { Clock, CounterSeries, Log } from "../base/index.ts";
import { findDifferences, isDryRun, keyOfAction, resourceId, sentFields } from "../contract/for-drivers.ts";
import type { Action, ActionResult } from "../contract/index.ts";

export interface RepeatedWritesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly count: CounterSeries;
}

/** So many identical writes in a row are no coincidence. */
const suspicious = 5;
const longestGapMs = 300_000;
/** The size of one generation; at most twice as many objects are remembered. */
const mostObjects = 512;
/** How many different warnings are logged at most. */
const mostWarnings = 32;
const mostFields = 5;

interface LastWrite {
  hash: number;
  times: number;
  atMs: number;
  version: string | undefined;
}

export class RepeatedWrites {
  readonly #options: RepeatedWritesOptions;
  readonly #warned = new Set<string>();
  /** When the newer map is full, it becomes the older one, and the objects of the previous older map are forgotten. */
  #newer = new Map<string, LastWrite>();
  #older = new Map<string, LastWrite>();

  constructor(options: RepeatedWritesOptions) {
    this.#options = options;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  note(action: Action, result: ActionResult): void {
    if (result.status !== "done") return;
    const body = bodyOf(action);
    if (body === undefined || isDryRun(action)) return;
    const { clock, count } = this.#options;
    const answer = result.value as Partial<KubernetesObject> | undefined;
    const version = answer?.metadata?.resourceVersion;
    const last = this.#lastOf(idOf(action));
    const isIdleApply = action.type === "apply" && last.version === version;
    const hash = hashOf(JSON.stringify(body));
    const nowMs = clock.monotonic();
    const isSame = last.hash === hash && nowMs - last.atMs <= longestGapMs;
    if (!isSame) last.times = 1;
    else if (!isIdleApply) last.times++;
    last.hash = hash;
    last.atMs = nowMs;
    last.version = version;
    if (last.times < suspicious || isIdleApply) return;
    count.inc();
    if (last.times === suspicious) this.#warn(action, body, answer);
  }

  #lastOf(id: string): LastWrite {
    const known = this.#newer.get(id) ?? this.#older.get(id);
    const last = known ?? { hash: 0, times: 0, atMs: 0, version: undefined };
    if (this.#newer.has(id)) return last;
    if (this.#newer.size >= mostObjects) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, last);
    return last;
  }

  #warn(action: Action, body: object, answer: object | undefined): void {
    const back = answer === undefined ? [] : findDifferences(body, answer, action.type === "update");
    const fields = back.length > 0 ? back : sentFields(body);
    const cause = back.length > 0 ? "the server fills in or resets these fields" : "another writer changes them back";
    const resource = "resource" in action ? nameOf(action.resource) : "";
    const warning = [resource, ...fields.map(withoutValue)].join(" ");
    if (this.#warned.has(warning) || this.#warned.size >= mostWarnings) return;
    this.#warned.add(warning);
    this.#options.log.warn("the controller repeats the same write to an object; it should leave these fields alone", {
      resource,
      object: keyOfAction(action),
      fields: fields.slice(0, mostFields),
      cause,
      times: suspicious,
    });
  }
}

/** Returns what a write sends, without its preconditions; undefined for an action that does not change an existing object. */
function bodyOf(action: Action): object | undefined {
  switch (action.type) {
    case "edit":
      return action.patch;
    case "patch":
      return action.patch.type === "json" ? action.patch.operations : action.patch.body;
    case "apply":
      return action.object;
    case "update":
      return updateBody(action.object, action.subresource);
    default:
      return undefined;
  }
}

/** For the subresource status, returns only the status; otherwise the object without its status and the metadata that the server maintains. */
function updateBody(object: KubernetesObject, subresource: string | undefined): object {
  const { status, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  if (subresource === "status") return { status };
  const { resourceVersion: _, managedFields: __, generation: ___, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}

function nameOf({ plural, group }: Resource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function idOf(action: Action): string {
  const resource = "resource" in action ? resourceId(action.resource) : "";
  return `${resource} ${keyOfAction(action) ?? ""} ${"subresource" in action ? (action.subresource ?? "") : ""}`;
}

/** FNV-1a: short, and good enough to distinguish a patch from the one before. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function withoutValue(field: string): string {
  return field.split(": ")[0] ?? field;
}
