// Holds notifications back from handlers, of any number of informers at once, while their caches go on. For a program that knows of a change to many
// resources at the same time: when the gate opens, every handler finds all caches as they are after the change.
//
// Promises: no callback begins while the gate is closed; one that runs already is not interrupted. Nothing is lost: what was held back is delivered, in
// order, when the last who closed the gate has opened it.
import { type Deferred, deferred } from "../../base/index.ts";

export class DeliveryGate {
  #closers = 0;
  #opened: Deferred<void> = deferred();

  get isOpen(): boolean {
    return this.#closers === 0;
  }

  /** Dispose of the result to open the gate; a second time does nothing. */
  close(): Disposable {
    let isClosing = true;
    this.#closers++;
    return {
      [Symbol.dispose]: () => {
        if (!isClosing) return;
        isClosing = false;
        this.#closers--;
        if (this.#closers > 0) return;
        this.#opened.resolve();
        this.#opened = deferred();
      },
    };
  }

  async whenOpen(): Promise<void> {
    while (!this.isOpen) await this.#opened.promise;
  }
}
