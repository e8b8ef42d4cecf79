// The bodies of writes, and the kinds of patches, each with its content type.
import type { JsonPatch } from "../../api/index.ts";
import { assertNever } from "../../base/index.ts";

export type Patch =
  /** RFC 6902: operations, tests included. */
  | { readonly type: "json"; readonly operations: JsonPatch }
  /** RFC 7386: null removes, lists are replaced. */
  | { readonly type: "merge"; readonly body: object }
  /** Strategic merge patch: lists are merged by key. Built-in kinds only. */
  | { readonly type: "strategic"; readonly body: object };

export interface Content {
  readonly contentType: string;
  readonly value: unknown;
}

export function jsonContent(value: unknown): Content {
  return { contentType: "application/json", value };
}

/** Server-side apply. JSON is YAML too. */
export function applyContent(value: unknown): Content {
  return { contentType: "application/apply-patch+yaml", value };
}

export function patchContent(patch: Patch): Content {
  switch (patch.type) {
    case "json":
      return { contentType: "application/json-patch+json", value: patch.operations };
    case "merge":
      return { contentType: "application/merge-patch+json", value: patch.body };
    case "strategic":
      return { contentType: "application/strategic-merge-patch+json", value: patch.body };
    default:
      return assertNever(patch);
  }
}
