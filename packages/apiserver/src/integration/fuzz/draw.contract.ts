// Chance for fuzzing, in the words a fuzzer needs. All of it comes from one seed: the same seed draws the same for ever.
import { type Random, randomBelow } from "@kubeloop/core/base";

export class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return randomBelow(this.#random, times) === 0;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return randomBelow(this.#random, Math.max(1, bound));
  }

  from<T>(choices: readonly T[]): T {
    return choices[randomBelow(this.#random, choices.length)] as T;
  }

  /** Small numbers far more often than large ones. */
  few(most: number): number {
    let count = 0;
    while (count < most && this.oneIn(2)) count++;
    return count;
  }
}
