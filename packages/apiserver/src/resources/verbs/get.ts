// GET of one object.
import { newBadRequest, newNotFound, newStatusError, queryValue } from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import { readBoolean } from "../options/request-options.ts";
import { storageKeyOf } from "../registry/write-context.ts";
import type { RequestScope } from "./request-scope.ts";
import { reach, versionFault } from "./select-objects.ts";

export async function get(scope: RequestScope): Promise<Answer> {
  const { served, info, server } = scope;
  // Long gone, and refused by name: who asked for it got less than there is.
  if (scope.subresource === undefined && readBoolean(scope.request.query, "export") === true) {
    throw newBadRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const version = queryValue(scope.request.query, "resourceVersion") ?? "";
  const message = version === "" ? undefined : versionFault(version);
  if (message !== undefined) {
    // Events are the one kind that upstream does not cache, and its storage says it otherwise.
    if (served.collection === "events") throw newBadRequest(`invalid resource version: ${message}`);
    throw newStatusError({ code: 500, reason: "", message });
  }
  await reach(scope, Number(version));
  const object = await server.storage.get(storageKeyOf(scope, info.name));
  if (object === undefined) throw newNotFound(served.groupResource, info.name);
  return { kind: "object", code: 200, object, presentation: served.presentation };
}
