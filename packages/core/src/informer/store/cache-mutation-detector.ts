// Catches those who change what a cache gave them. Everything that enters the cache is copied, and compared with its copy
// every second for two minutes; a difference fails loudly and says where. It cannot say who did it: look for writers of that
// field. Costs twice the memory and a good deal of time; for debugging, switched on by KUBE_CACHE_MUTATION_DETECTOR=true.
// Our own tests freeze instead.
import { type Clock, deepEqual, isAborted, KubeloopError } from "../../base/index.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import { deepCopy } from "./deep-copy.ts";
import { type Difference, deepDifferences, printDifferences } from "./deep-differences.ts";
import { metaNamespaceKeyFunc } from "./key-functions.ts";

/** What an informer tells of all that enters its cache. */
export interface MutationDetector {
  addObject(object: unknown): void;
  /** Looks until aborted. Rejects with a CacheMutationError, unless those go elsewhere. */
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
  /** Gets the error instead of `run`'s caller; then looking goes on. Each change is told once. */
  readonly onMutation?: ((error: CacheMutationError) => void) | undefined;
  /** 1 s unless given. */
  readonly periodMs?: number;
  /** How long an object is looked after; 2 min unless given. */
  readonly retainMs?: number;
}

interface Entry {
  readonly object: unknown;
  readonly copy: unknown;
  readonly addedMs: number;
}

/** After so many comparisons others have a turn. */
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

  /** How many objects are looked after. */
  get size(): number {
    return this.#entries.length;
  }

  /** Of tombstones and of what is no object there is nothing to change. */
  addObject(object: unknown): void {
    if (typeof object !== "object" || object === null || isFinalStateUnknown(object)) return;
    this.#entries.push({ object, copy: deepCopy(object), addedMs: this.#clock.monotonic() });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#compareAll();
      await sleepOrAbort(this.#clock, this.#periodMs, signal);
    }
    // What was changed in the last second, too: many a test is shorter than that.
    await this.#compareAll();
  }

  async #compareAll(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    // Those that come meanwhile are compared the next time.
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
  /** The process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The detector, if the environment asks for it, or one that does nothing. */
export function newCacheMutationDetector(name: string, options: NewMutationDetectorOptions): MutationDetector {
  return isMutationDetectionOn(options.env) ? new CacheMutationDetector(name, options) : noMutationDetector;
}

/** Whether KUBE_CACHE_MUTATION_DETECTOR says so, in any spelling Go reads as true. */
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

/** The copy's: a key is among the things that can be changed. */
function keyOrNone(object: unknown): string {
  try {
    return metaNamespaceKeyFunc(object);
  } catch {
    return "without a name";
  }
}
