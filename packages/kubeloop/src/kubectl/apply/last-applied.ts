// What was applied last is kept on the object itself, in an annotation: so the next apply knows which fields it has let go.

import type { AnyObject } from "../object-printer.ts";
import { printCompactJson } from "../print-json.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The object as it is wanted, with itself in the annotation. */
export function withLastApplied(object: AnyObject): AnyObject {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata?.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  const applied = `${printCompactJson(bare)}\n`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: applied } },
  };
}

/** What was applied last; undefined if the object was made in another way. */
export function lastApplied(object: AnyObject): string | undefined {
  return object.metadata.annotations?.[lastAppliedAnnotation];
}
