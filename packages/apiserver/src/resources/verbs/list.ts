// GET of a collection.
import type { Answer } from "../../wire/answer.ts";
import { listOptionsOf } from "../options/request-options.ts";
import type { RequestScope } from "./request-scope.ts";
import { selectObjects } from "./select-objects.ts";

export async function list(scope: RequestScope): Promise<Answer> {
  const options = listOptionsOf(scope.request.query, false);
  return { kind: "list", list: await selectObjects(scope, options), presentation: scope.served.presentation };
}
