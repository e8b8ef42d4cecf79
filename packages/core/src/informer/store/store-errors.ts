// How a store refuses. Each error names the object it is about; what it does not name is as it was asked to be.
import { KubeloopError } from "../../base/index.ts";

/** An object whose key cannot be told. */
export class KeyError extends KubeloopError {
  readonly object: unknown;

  /** `fault`: what the key function threw, or words. */
  constructor(object: unknown, fault: unknown) {
    const cause = typeof fault === "string" ? undefined : fault;
    super(`no key for the object: ${textOf(fault)}`, { reason: "InvalidKey", retry: "never", cause });
    this.object = object;
  }
}

/** A transform that threw: the object is not in the store, or there as it was before. */
export class TransformError extends KubeloopError {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(`cannot transform ${key}: ${textOf(cause)}`, { reason: "TransformFailed", retry: "never", cause });
    this.key = key;
  }
}

/** An index function that threw: the object is not in the store, or there as it was before. */
export class IndexError extends KubeloopError {
  readonly index: string;
  readonly key: string;

  constructor(index: string, key: string, cause: unknown) {
    super(`index ${index} cannot place ${key}: ${textOf(cause)}`, { reason: "IndexFailed", retry: "never", cause });
    this.index = index;
    this.key = key;
  }
}

/** A question to an index nobody added, or a second index under a name that is taken. */
export class IndexNameError extends KubeloopError {
  readonly index: string;

  constructor(index: string, fault: "does not exist" | "exists already") {
    const reason = fault === "does not exist" ? "NotFound" : "AlreadyExists";
    super(`index ${index} ${fault}`, { reason, retry: "never" });
    this.index = index;
  }
}

/** Some of several writes failed; the others are done. */
export class TransactionError extends KubeloopError {
  /** Places, in what was asked for, of the writes that were done. */
  readonly successfulIndices: readonly number[];
  readonly totalTransactions: number;
  /** One for each write that failed, in their order. */
  readonly errors: readonly Error[];

  constructor(errors: readonly Error[], successfulIndices: readonly number[]) {
    const total = successfulIndices.length + errors.length;
    const causes = errors.slice(0, shownErrors).map(textOf).join("; ");
    const more = errors.length > shownErrors ? `; and ${errors.length - shownErrors} more` : "";
    super(`${errors.length} of ${total} writes failed: ${causes}${more}`, {
      reason: "TransactionFailed",
      retry: "never",
      cause: errors[0],
    });
    this.errors = errors;
    this.successfulIndices = successfulIndices;
    this.totalTransactions = total;
  }
}

const shownErrors = 3;

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
