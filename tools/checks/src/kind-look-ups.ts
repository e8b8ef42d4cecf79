// The embedded server asks a served resource for its schema, its protobuf message and its strategic merge. It does not look the kind up in the
// tables of built-in kinds, because a resource that is added at run time is not in them. The files below may look something up, each with its reason.
import type { SourceFile } from "./repository.ts";
import { blankOut, lineAt } from "./source-text.ts";

/** A reason is never that the kinds served today are all in the tables. */
export const mayLookUpKinds: Readonly<Record<string, string>> = {
  "packages/apiserver/src/wire/kind-codec.ts": "makes the codecs of built-in resources, which are in the tables",
  "packages/apiserver/src/wire/meta-kinds.ts": "kinds that are no resources: bodies of subresources, options, metadata",
  "packages/apiserver/src/wire/decode/known-kinds.ts":
    "what a body says it is when it is not what the resource expects: upstream's scheme, the same on every server",
  "packages/apiserver/src/wire/decode/plan.ts": "one Go type with rules of its own inside a built-in kind, by its name",
  "packages/apiserver/src/kinds/shared/same.ts":
    "a part of a built-in kind (a PodSpec), by its name, in that kind's rules",
};

const lookUps = /(?<![.\w$])(?:schemaOfKind|schemaNamed|schemaOfResource)\b/g;

/** Look-ups of kinds in the embedded server, as `path:line: what`. */
export function checkKindLookUps(file: SourceFile): string[] {
  const { path, text } = file;
  if (!path.startsWith("packages/apiserver/src/") || /\.(?:test|contract|fixture)\.ts$/.test(path)) return [];
  if (path in mayLookUpKinds) return [];
  const found = [...blankOut(text).matchAll(lookUps)];
  return found.map(
    (match) => `${path}:${lineAt(text, match.index)}: ${match[0]} instead of asking the served resource`,
  );
}
