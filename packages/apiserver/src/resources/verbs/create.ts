// POST: a new object, under its own name or one the server makes up.
import type { Answer } from "../../wire/answer.ts";
import { writeOptionsOf } from "../options/request-options.ts";
import { createObject, dedupeOwnerReferences, matchNamespace } from "../registry/create-object.ts";
import { wipeSystemFields } from "../registry/prepare-write.ts";
import { readObject } from "./read-object.ts";
import type { RequestScope } from "./request-scope.ts";

export async function create(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "CreateOptions");
  const draft = await readObject(scope, options);
  wipeSystemFields(draft);
  matchNamespace(scope, draft);
  dedupeOwnerReferences(scope, draft);
  const object = await createObject(scope, draft, options);
  return { kind: "object", code: 201, object, presentation: scope.served.presentation };
}
