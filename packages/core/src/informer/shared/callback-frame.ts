// Tells whether the calling code was called, directly or through awaits, by a callback that is being awaited: a callback that waits
// for its own end would wait for ever.
//
// How: the callback's promise is awaited in a function with a unique name, and the check looks for that name in its
// own stack, which the engine extends across awaits. That costs nothing until the check is made. It is the fallback for
// the one callback for which no CallbackContext was opened.
//
// Not promised: to detect a callback that continues in something the engine does not track, such as a timer or an emitter.

let made = 0;
const framesToSearch = 200;

export class CallbackFrame {
  readonly #name = `informerCallback${++made}`;
  readonly #follow: (work: PromiseLike<void>) => Promise<void>;

  constructor() {
    const named = {
      async [this.#name](work: PromiseLike<void>): Promise<void> {
        await work;
      },
    };
    this.#follow = named[this.#name] as (work: PromiseLike<void>) => Promise<void>;
  }

  /** Settles as the callback's promise does. */
  follow(work: PromiseLike<void>): Promise<void> {
    return this.#follow(work);
  }

  /** Whether the caller is inside a callback that is being awaited. */
  isAround(): boolean {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = framesToSearch;
    try {
      return new Error().stack?.includes(`${this.#name} `) ?? false;
    } finally {
      Error.stackTraceLimit = limit;
    }
  }
}
