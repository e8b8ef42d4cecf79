// The errors of a store. Each names the object or index that failed. Of several writes, a TransactionError says which failed; the others are
// applied.
import { KubeloopError } from "../../base/index.ts";

/** An object has no key: the key function threw. */
export class KeyError extends KubeloopError {
  readonly object: unknown;

  /** `fault`: the error of the key function, or a text. */
  constructor(object: unknown, fault: unknown) {
    const cause = typeof fault === "string" ? undefined : fault;
    super(`no key for the object: ${textOf(fault)}`, { reason: "InvalidKey", retry: "never", cause });
    this.object = object;
  }
}

/** A transform threw: the object was not written, and the store keeps its previous state. */
export class TransformError extends KubeloopError {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(`cannot transform ${key}: ${textOf(cause)}`, { reason: "TransformFailed", retry: "never", cause });
    this.key = key;
  }
}

/** An index function threw: the object was not written, and the store keeps its previous state. */
export class IndexError extends KubeloopError {
  readonly index: string;
  readonly key: string;

  constructor(index: string, key: string, cause: unknown) {
    super(`index function ${index} failed for ${key}: ${textOf(cause)}`, {
      reason: "IndexFailed",
      retry: "never",
      cause,
    });
    this.index = index;
    this.key = key;
  }
}

/** A read of an index that does not exist, or a second index with the same name. */
export class IndexNameError extends KubeloopError {
  readonly index: string;

  constructor(index: string, fault: "does not exist" | "exists already") {
    const reason = fault === "does not exist" ? "NotFound" : "AlreadyExists";
    super(`index ${index} ${fault}`, { reason, retry: "never" });
    this.index = index;
  }
}

/** Some of several writes failed; the others succeeded. */
export class TransactionError extends KubeloopError {
  /** The indexes of the writes that succeeded. */
  readonly successfulIndices: readonly number[];
  readonly totalTransactions: number;
  /** One error for each write that failed, in order. */
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
