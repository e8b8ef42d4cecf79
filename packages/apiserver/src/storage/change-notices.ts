// Reports to those who follow a collection that there is something new in its log. One that throws does not keep the others from hearing it.
//
// A listener may write. What that changes is reported when everybody has heard of the change before, never in the middle: calls do not
// nest, and changes of one collection that come together are reported once.
import { Listeners } from "@kubeloop/core/base";

export class ChangeNotices {
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Map<string, Listeners<void>>();
  readonly #unreported = new Set<string>();
  #isReporting = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  subscribe(collection: string, listener: () => void): Disposable {
    const listeners = this.#listeners.get(collection) ?? new Listeners<void>(this.#onError);
    this.#listeners.set(collection, listeners);
    return listeners.subscribe(listener);
  }

  note(collection: string): void {
    if (this.#listeners.has(collection)) this.#unreported.add(collection);
  }

  noteAll(): void {
    for (const collection of this.#listeners.keys()) this.#unreported.add(collection);
  }

  /** Returns when all is reported, or at once if somebody further up is reporting already. */
  report(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      // What is added meanwhile comes at the end, and is reached.
      for (const collection of this.#unreported) {
        this.#unreported.delete(collection);
        this.#listeners.get(collection)?.emit();
      }
    } finally {
      this.#isReporting = false;
    }
  }
}
