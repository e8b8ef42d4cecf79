// Detects code that changes cached objects. Every object that enters the cache is copied, and compared with its copy
// every second for two minutes; a difference is an error with the field's path. It cannot say which code did it: look for writers of that
// field. It doubles the memory and costs much time; for debugging, enabled by KUBE_CACHE_MUTATION_DETECTOR=true.
// Our own tests freeze objects instead.
import { ProtobufError } from "../../api/index.ts";
import { type Clock, deepEqual, isAborted, KubeloopError } from "../../base/index.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import { deepCopy } from "./deep-copy.ts";
import { type Difference, deepDifferences, printDifferences } from "./deep-differences.ts";
import { metaNamespaceKeyFunc } from "./key-functions.ts";

/** Gets every object that enters the cache of an informer. */
export interface MutationDetector {
  addObject(object: unknown): void;
  /** Compares until aborted. Rejects with a CacheMutationError, unless `onMutation` is given. */
  run(signal: AbortSignal): Promise<void>;
}

export class CacheMutationError extends KubeloopError {
  readonly cache: string;
  readonly key: string;
  readonly differences: readonly Difference[];

  constructor(cache: string, key: string, differences: readonly Difference[]) {
    super(`object ${key} of cache ${cache} was altered\n${printDifferences(differences)}`, {
      reason: "CacheMutated",
      retry: "never",
    });
    this.cache = cache;
    this.key = key;
    this.differences = differences;
  }
}

export interface CacheMutationDetectorOptions {
  readonly clock: Clock;
  /** Gets the error instead of the caller of `run`; then the comparison continues. Each change is reported once. */
  readonly onMutation?: ((error: CacheMutationError) => void) | undefined;
  /** Default: 1 s. */
  readonly periodMs?: number;
  /** How long an object is compared. Default: 2 min. */
  readonly retainMs?: number;
}

interface Entry {
  readonly object: unknown;
  readonly copy: unknown;
  readonly addedMs: number;
}

/** After this many comparisons the loop yields to the event loop. */
const comparisonsInOneGo = 100;

export class CacheMutationDetector implements MutationDetector {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #onMutation: ((error: CacheMutationError) => void) | undefined;
  readonly #periodMs: number;
  readonly #retainMs: number;
  #entries: Entry[] = [];

  constructor(name: string, options: CacheMutationDetectorOptions) {
    this.#name = name;
    this.#clock = options.clock.labelled({ kind: "background", name: `mutation detector of ${name}` });
    this.#onMutation = options.onMutation;
    this.#periodMs = options.periodMs ?? 1000;
    this.#retainMs = options.retainMs ?? 120_000;
  }

  /** The number of objects that are compared. */
  get size(): number {
    return this.#entries.length;
  }

  /** Tombstones and values that are not objects are ignored, because nothing in them can be changed. */
  addObject(object: unknown): void {
    if (typeof object !== "object" || object === null || isFinalStateUnknown(object)) return;
    const copy = copyOrNone(object);
    if (copy !== undefined) this.#entries.push({ object, copy, addedMs: this.#clock.monotonic() });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#compareAll();
      await sleepOrAbort(this.#clock, this.#periodMs, signal);
    }
    // Compare once more at the end, because many tests are shorter than one period.
    await this.#compareAll();
  }

  async #compareAll(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    // Objects that are added meanwhile are compared the next time.
    const { length } = this.#entries;
    const kept: Entry[] = [];
    for (let at = 0; at < length; at++) {
      const entry = this.#entries[at] as Entry;
      const isIntact = deepEqual(entry.object, entry.copy);
      if (!isIntact) this.#report(entry);
      if (isIntact && nowMs - entry.addedMs <= this.#retainMs) kept.push(entry);
      if (at % comparisonsInOneGo === comparisonsInOneGo - 1) await this.#clock.yield();
    }
    this.#entries = [...kept, ...this.#entries.slice(length)];
  }

  #report({ object, copy }: Entry): void {
    const error = new CacheMutationError(this.#name, keyOrNone(copy), deepDifferences(copy, object));
    if (this.#onMutation === undefined) throw error;
    this.#onMutation(error);
  }
}

export const noMutationDetector: MutationDetector = {
  addObject() {},
  async run() {},
};

export interface NewMutationDetectorOptions extends CacheMutationDetectorOptions {
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Returns a detector if the environment variable enables it, otherwise one that does nothing. */
export function newCacheMutationDetector(name: string, options: NewMutationDetectorOptions): MutationDetector {
  return isMutationDetectionOn(options.env) ? new CacheMutationDetector(name, options) : noMutationDetector;
}

/** Whether KUBE_CACHE_MUTATION_DETECTOR is true, in any spelling that Go parses as true. */
export function isMutationDetectionOn(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return /^(?:1|t|T|true|TRUE|True)$/.test(env["KUBE_CACHE_MUTATION_DETECTOR"] ?? "");
}

async function sleepOrAbort(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (error) {
    if (!isAborted(error, signal)) throw error;
  }
}

/** Undefined if a field is malformed: the informer is told of that, and fetches the object again. */
function copyOrNone(object: object): object | undefined {
  try {
    return deepCopy(object);
  } catch (error) {
    if (error instanceof ProtobufError) return undefined;
    throw error;
  }
}

/** The key of the copy, because the key of the object may have been changed. */
function keyOrNone(object: unknown): string {
  try {
    return metaNamespaceKeyFunc(object);
  } catch {
    return "without a name";
  }
}
