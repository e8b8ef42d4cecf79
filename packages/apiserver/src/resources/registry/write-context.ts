// One write to a resource, and everything it may reach: what the registry (create, update, delete) needs, with or without a request.
import { newBadRequest, quote, type Subresource, validatePathSegmentName } from "@kubeloop/core/api";
import type { Clock, Random } from "@kubeloop/core/base";
import type { Admission } from "../../admission/chain.ts";
import type { Authenticator } from "../../authentication/authenticator.ts";
import type { Authorizer } from "../../authorization/attributes.ts";
import type { RequestUser, RuleContext } from "../../kinds/kind-rules.ts";
import type { RequestYieldBudget } from "../../storage/request-yield-budget.ts";
import type { Storage, StorageKey } from "../../storage/storage.ts";
import type { Catalogue } from "./catalogue.ts";
import type { FieldManagers } from "./field-managers.ts";
import type { NodeConnector } from "./node-connector.ts";
import type { Reserver } from "./reservations.ts";
import type { ServedResource } from "./served-resource.ts";

/** What all requests share. */
export interface ServerParts {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
  /** Addresses, quota: in this order, for every write. */
  readonly reservers: readonly Reserver[];
  readonly fieldManagers: FieldManagers;
  /** Logs, exec, attach and port-forward, when there are nodes. */
  readonly nodeConnector: NodeConnector | undefined;
  readonly authenticator: Authenticator;
  /** Of requests, access reviews and impersonation alike. */
  readonly authorizer: Authorizer;
  /** An unguessable id, as of an object. */
  newUid(): string;
  /** Aborts when the server closes: watches end then. */
  readonly closing: AbortSignal;
}

export interface WriteContext {
  readonly server: ServerParts;
  readonly served: ServedResource;
  readonly subresource: Subresource | undefined;
  /** Of a namespace, its own name. Empty for what is in none. */
  readonly namespace: string;
  /** Of the object that is asked for. Empty where it is in the body or not chosen yet. */
  readonly name: string;
  /** Of the client: who manages fields, unless it says otherwise. */
  readonly userAgent: string;
  readonly user: RequestUser;
  readonly warnings: Warnings;
  readonly signal: AbortSignal;
  /** Asked between the steps of long work, because an object may be huge. */
  readonly yieldBudget: RequestYieldBudget;
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

export const ruleContextOf = ({ server, user }: WriteContext, isDryRun: boolean): RuleContext => ({
  nowMs: server.clock.now(),
  user,
  isDryRun,
});

type KeptIn = Pick<WriteContext, "served" | "namespace">;

/** Where the object of this name is kept. Throws 400 for a name that can be none. */
export function storageKeyOf({ served, namespace }: KeptIn, name: string): StorageKey {
  if (served.resource.namespaced && namespace === "") throw newBadRequest("Namespace parameter required.");
  const faults = validatePathSegmentName(name);
  if (faults.length > 0) throw newBadRequest(`Name parameter invalid: ${quote(name)}: ${faults.join(";")}`);
  return {
    collection: served.collection,
    key: served.resource.namespaced ? `${namespace}/${name}` : name,
  };
}
