// Sends an edit as one request: a merge patch if the controller may patch, an update if it may only update.
//
// The body of an update is the observed object, including unknown fields, with the patch applied to it. If that object has an integer that
// JavaScript has rounded, the object is read again as text, with the identity of the shared informers, and the text is edited. An edit
// that has such an integer itself (a list is always written as a whole) would store the rounded value, so it is refused.
import { applyMergePatch, hasInexactInteger, type KubernetesObject, keyOf, splitKey } from "../api/index.ts";
import { editVerb, type Preconditions } from "../contract/for-drivers.ts";
import { type Access, type Action, printAction, TerminalError } from "../contract/index.ts";
import type { AnyClient } from "./send-action.ts";
import type { WrittenVersions } from "./written-versions.ts";

export interface EditTools {
  readonly all: AnyClient;
  /** The same resource with the identity of the shared informers. */
  readonly reader: () => AnyClient;
  /** The writes that the controller declares; if undefined, edits are sent as patches. */
  readonly writes: readonly Access[] | undefined;
  readonly written: WrittenVersions | undefined;
}

export function sendEdit(
  action: Extract<Action, { readonly type: "edit" }>,
  { all, reader, writes, written }: EditTools,
  signal: AbortSignal,
): Promise<unknown> {
  if (hasInexactInteger(action.patch)) throw newInexact(action);
  const { before, resource, patch, subresource, isLocked, options = {} } = action;
  const base = written?.after(resource, keyOf(before), before.metadata.resourceVersion) ?? before;
  const { name } = splitKey(keyOf(before));
  if (verbFor(action, writes) === "patch") {
    const body = isLocked ? withMetadata(patch, preconditionsOf(base)) : patch;
    const merge = { type: "merge", body } as const;
    if (subresource === undefined) return all.patch(name, merge, options, signal);
    return all.subresource(subresource).patch(name, merge, options, signal);
  }
  if (hasInexactInteger(base)) {
    const exact = { ...options, subresource, preconditions: preconditionsOf(base) };
    return reader()
      .getText(name, signal)
      .then((text) => all.updateExactly(text, patch, exact, signal));
  }
  const object = applyMergePatch(base, patch) as KubernetesObject;
  if (subresource === undefined) return all.update(object, options, signal);
  return all.subresource(subresource).update(name, object, options, signal);
}

function newInexact(action: Action): TerminalError {
  return new TerminalError(
    `${printAction(action)} would round an integer beyond 2^53: it is part of a list or value that is written whole`,
  );
}

/** Without declared writes, as with a plain client, an edit is sent as a patch. */
function verbFor(action: Parameters<typeof editVerb>[0], writes: readonly Access[] | undefined): "patch" | "update" {
  return (writes === undefined ? undefined : editVerb(action, writes)) ?? "patch";
}

function preconditionsOf({ metadata: { uid, resourceVersion } }: KubernetesObject): Preconditions {
  if (uid !== undefined && resourceVersion !== undefined) return { uid, resourceVersion };
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

/** Returns the patch with these fields added to its metadata. The server compares uid and resourceVersion with those of the stored object. */
export function withMetadata(body: object, fields: object): object {
  const { metadata } = body as { readonly metadata?: object };
  return { ...body, metadata: { ...metadata, ...fields } };
}
