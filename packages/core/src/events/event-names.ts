// Generates names for events: the object's name, a dot and the time in nanoseconds in hexadecimal, as Kubernetes' recorder does. If
// that is not a valid name (the object's name is an address, or too long), the name is a UUID.
//
// Promise: no name is generated twice, however many events occur within one millisecond: the digits below the millisecond, which
// the clock does not have, are random, and the number always increases.
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
