// One request for a resource, and everything its verb may reach. Verbs take this and nothing else.
import type { ApiRequest, ResourceRequestInfo } from "@kubeloop/core/api";
import type { WriteContext } from "../registry/write-context.ts";

export interface RequestScope extends WriteContext {
  readonly request: ApiRequest;
  readonly info: ResourceRequestInfo;
}
