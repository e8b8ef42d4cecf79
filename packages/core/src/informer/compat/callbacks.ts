// Callbacks by verb, like the official client's: several per verb, the same function more than once, and `change` for add, update
// and delete. A callback that throws or rejects is logged; the others are still called.
import { KubeloopError, type Log } from "../../base/index.ts";

/** `change` means add, update and delete. */
export type ObjectVerb = "add" | "update" | "delete" | "change";
export type ObjectCallback<T> = (object: T) => unknown;
export type ErrorCallback = (error: Error) => unknown;
/** Called without an argument. */
export type ConnectCallback = (nothing?: undefined) => unknown;

type Verb = "add" | "update" | "delete" | "connect" | "error";
type AnyCallback = (value: never) => unknown;

const objectVerbs: readonly Verb[] = ["add", "update", "delete"];
const verbs: readonly string[] = [...objectVerbs, "connect", "error"];

export class Callbacks {
  readonly #log: Log;
  readonly #byVerb = new Map<Verb, AnyCallback[]>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(verb: string, callback: AnyCallback): void {
    for (const one of verbsOf(verb)) this.#byVerb.set(one, [...this.#of(one), callback]);
  }

  /** Removes one registration of the callback. Does nothing if there is none. */
  remove(verb: string, callback: AnyCallback): void {
    for (const one of verbsOf(verb)) {
      const place = this.#of(one).indexOf(callback);
      if (place >= 0) this.#byVerb.set(one, this.#of(one).toSpliced(place, 1));
    }
  }

  /** Returns a promise only if a callback returned one; it waits for all of them. */
  call(verb: Verb, value: unknown): void | Promise<void> {
    const waiting: Promise<void>[] = [];
    for (const callback of this.#of(verb)) {
      try {
        const answer = (callback as (value: unknown) => unknown)(value);
        if (isPromise(answer)) waiting.push(Promise.resolve(answer).then(ignore, (error) => this.#report(verb, error)));
      } catch (error) {
        this.#report(verb, error);
      }
    }
    if (waiting.length > 0) return Promise.all(waiting).then(ignore);
  }

  #of(verb: Verb): readonly AnyCallback[] {
    return this.#byVerb.get(verb) ?? [];
  }

  #report(verb: Verb, error: unknown): void {
    this.#log.error("informer callback failed", { verb, error });
  }
}

function verbsOf(verb: string): readonly Verb[] {
  if (verb === "change") return objectVerbs;
  if (verbs.includes(verb)) return [verb as Verb];
  throw new KubeloopError(`Unknown verb: ${verb}`, { reason: "Invalid", retry: "never" });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function ignore(): void {}
