// GET of one object.
import { newNotFound, newStatusError, queryValue } from "@kubeloop/core/api";
import type { Answer } from "../wire/answer.ts";
import { reach } from "./list.ts";
import { placeOf, type RequestScope } from "./request-scope.ts";

export async function get(scope: RequestScope): Promise<Answer> {
  const { served, info, server } = scope;
  const version = queryValue(scope.request.query, "resourceVersion") ?? "";
  if (version !== "" && !/^\d+$/.test(version)) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
    throw newStatusError({
      code: 500,
      reason: "",
      message: `resourceVersion: Invalid value: ${JSON.stringify(version)}: ${why}`,
    });
  }
  await reach(scope, Number(version));
  const object = await server.storage.get(placeOf(scope, info.name));
  if (object === undefined) throw newNotFound(served.groupResource, info.name);
  return { kind: "object", code: 200, object, presentation: served.presentation };
}
