// Names for events: the object's, a dot and the nanosecond in hexadecimal digits, as Kubernetes' own recorder makes them. Where
// that is no valid name (an address as a name, or too long), a UUID.
//
// Promise: no name is given twice, however many events one millisecond brings: below the millisecond, which is all a clock
// here tells, chance decides, and it always counts on.
import { validateDns1123Subdomain } from "../api/index.ts";
import { type Random, randomBelow } from "../base/index.ts";

export class EventNames {
  readonly #random: Random;
  #lastNanos = 0n;

  constructor(random: Random) {
    this.#random = random;
  }

  next(objectName: string, atMs: number): string {
    const nanos = BigInt(Math.floor(atMs)) * 1_000_000n + BigInt(randomBelow(this.#random, 1_000_000));
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    const name = `${objectName}.${this.#lastNanos.toString(16)}`;
    return validateDns1123Subdomain(name).length === 0 ? name : this.#uuid();
  }

  #uuid(): string {
    const digit = () => randomBelow(this.#random, 16).toString(16);
    return "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".replaceAll(/[xy]/g, (place) =>
      place === "x" ? digit() : (8 + randomBelow(this.#random, 4)).toString(16),
    );
  }
}
