// Callbacks by verb, as the official client keeps them: several for a verb, the same one more than once, `change` for all
// that happens to objects. One that throws or rejects is logged, and the others are told all the same.
import { KubeloopError, type Log } from "../../base/index.ts";

/** What happens to objects; `change` is each of them. */
export type ObjectVerb = "add" | "update" | "delete" | "change";
export type ObjectCallback<T> = (object: T) => unknown;
export type ErrorCallback = (error: Error) => unknown;
/** Called without anything to tell. */
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

  /** One registration; nothing if there is none. */
  remove(verb: string, callback: AnyCallback): void {
    for (const one of verbsOf(verb)) {
      const place = this.#of(one).indexOf(callback);
      if (place >= 0) this.#byVerb.set(one, this.#of(one).toSpliced(place, 1));
    }
  }

  /** A promise only where a callback returned one: then of all of them. */
  tell(verb: Verb, value: unknown): void | Promise<void> {
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
