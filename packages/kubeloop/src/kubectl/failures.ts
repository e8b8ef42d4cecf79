// Failures that do not stop a command: it goes on with the next object, and says all of them at its end.

/** Several failures of one command. */
export class SeveralFailures extends Error {
  override readonly name = "SeveralFailures";
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super(`${errors.length} failures`);
    this.errors = errors;
  }
}

export class Failures {
  readonly #errors: unknown[] = [];

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  add(error: unknown): void {
    this.#errors.push(error);
  }

  /** The failure, if there was a single one. */
  only(): unknown {
    return this.#errors.length === 1 ? this.#errors[0] : undefined;
  }

  /** Nothing, if there were none. */
  throw(): void {
    if (this.#errors.length === 1) throw this.#errors[0];
    if (this.#errors.length > 1) throw new SeveralFailures(this.#errors);
  }
}
