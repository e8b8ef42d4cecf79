// Fan-out to any number of listeners, in the order they subscribed. One that throws never stops the others nor the one who
// emits: its error goes to `onError`. A listener that leaves, or joins, while an emission runs is respected from the next.

export type Listener<T> = (value: T) => void;

export class Listeners<T> {
  readonly #onError: (error: unknown) => void;
  #entries: readonly { readonly call: Listener<T> }[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The same function may subscribe twice; each subscription is its own. */
  subscribe(listener: Listener<T>): Disposable {
    const entry = { call: listener };
    this.#entries = [...this.#entries, entry];
    return {
      [Symbol.dispose]: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  emit(value: T): void {
    for (const entry of this.#entries) {
      try {
        entry.call(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
