// One request for a resource, and everything its verb may reach. Verbs take this and nothing else.
import {
  type ApiRequest,
  newBadRequest,
  quote,
  type ResourceRequestInfo,
  type Subresource,
  validatePathSegmentName,
} from "@kubeloop/core/api";
import type { Clock, Random } from "@kubeloop/core/base";
import type { RequestUser, RuleContext } from "../kinds/kind-rules.ts";
import type { Breath } from "../storage/breath.ts";
import type { Place, Storage } from "../storage/storage.ts";
import type { Catalogue, ServedResource } from "./catalogue.ts";
import type { FieldManagers } from "./field-managers.ts";
import type { NodePort } from "./node-port.ts";
import type { WriteStep } from "./write-steps.ts";

/** What all requests share. */
export interface ServerParts {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly random: Random;
  /** Admission, addresses, quota: in this order, for every write. */
  readonly writeSteps: readonly WriteStep[];
  readonly fieldManagers: FieldManagers;
  /** Logs, exec, attach and port-forward, when there are nodes. */
  readonly nodePort: NodePort | undefined;
  /** Whose token this is; undefined for one nobody knows. */
  userOfToken(token: string): RequestUser | undefined;
  /** An unguessable id, as of an object. */
  newUid(): string;
  /** Aborts when the server closes: watches end then. */
  readonly closing: AbortSignal;
}

export interface RequestScope {
  readonly server: ServerParts;
  readonly request: ApiRequest;
  readonly info: ResourceRequestInfo;
  readonly served: ServedResource;
  readonly subresource: Subresource | undefined;
  readonly user: RequestUser;
  readonly warnings: Warnings;
  readonly signal: AbortSignal;
  /** To be taken between the steps of long work: an object may be huge. */
  readonly breath: Breath;
}

/** Each text once, in the order they came. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  addAll(texts: Iterable<string>): void {
    for (const text of texts) this.#texts.add(text);
  }

  get all(): readonly string[] {
    return [...this.#texts];
  }
}

export const ruleContextOf = ({ server, user }: RequestScope, isDryRun: boolean): RuleContext => ({
  nowMs: server.clock.now(),
  user,
  isDryRun,
});

/** Where the object of this name is kept. Throws 400 for a name that can be none. */
export function placeOf({ served, info }: RequestScope, name: string): Place {
  if (served.resource.namespaced && info.namespace === "") throw newBadRequest("Namespace parameter required.");
  const faults = validatePathSegmentName(name);
  if (faults.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${faults.join(";")}`);
  return {
    collection: served.collection,
    key: served.resource.namespaced ? `${info.namespace}/${name}` : name,
  };
}
