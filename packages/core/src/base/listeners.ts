// Calls any number of listeners, in the order they subscribed. A listener that throws does not stop the other listeners or the caller of
// `emit`: its error goes to `onError`. A change of the subscriptions during an `emit` takes effect from the next `emit` on.

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

  /** The same function may subscribe twice; the two subscriptions are independent. */
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
