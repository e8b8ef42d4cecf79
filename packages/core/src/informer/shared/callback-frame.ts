// Tells whether the code that asks was called, directly or through awaits, by a callback we wait for: a callback that waits
// for its own end would wait for ever.
//
// How: the callback's promise is awaited in a function with a name of its own, and whoever asks looks for that name in its
// own stack, which the engine extends across awaits. That costs nothing until somebody asks. It is the second choice, for the
// one callback that a CallbackContext was not opened for.
//
// Not promised: to notice a callback that goes on in something the engine does not follow, such as a timer or an emitter.

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

  /** Whether the caller is inside a callback that is being followed. */
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
