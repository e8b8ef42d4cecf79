// Reads an object, decides what becomes of it, and writes that, as often as it takes: whoever decides sees the newest version, and
// nothing that happened in between is lost. A decision that changes nothing writes nothing. It is decided again only if the object changed: where
// others were quicker with something that was to be reserved, only the reservation is made anew.
import { type KubernetesObject, newConflict } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { StorageKey } from "../../storage/storage.ts";
import type { Reservation } from "./reservations.ts";
import { RetryBudget } from "./retry-budget.ts";
import { refuseTooLarge } from "./storage-limit.ts";
import type { WriteContext } from "./write-context.ts";

export type Change =
  /** Stores this, and what is reserved with it or not at all. */
  | { readonly kind: "write"; readonly draft: Draft<KubernetesObject>; readonly reservation?: Reservation }
  /** Takes it away; the answer is what the caller is shown. */
  | { readonly kind: "delete"; readonly answer: KubernetesObject; readonly reservation?: Reservation }
  | { readonly kind: "keep"; readonly answer: KubernetesObject }
  /** Somebody else was quicker: what there is now is decided upon. */
  | { readonly kind: "again" };

export interface Changed {
  readonly object: KubernetesObject;
  readonly what: "created" | "changed" | "kept" | "deleted";
}

/** `decide` may throw; it is asked again when somebody else has changed the object. With a dry run nothing is stored. */
export async function guaranteedUpdate(
  context: WriteContext,
  storageKey: StorageKey,
  decide: (current: KubernetesObject | undefined) => Promise<Change>,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<Changed> {
  const { server, yieldBudget } = context;
  const { storage } = server;
  let decided: { readonly on: KubernetesObject | undefined; readonly change: Change } | undefined;
  const retries = new RetryBudget(context);
  for (;;) {
    await retries.next();
    const current = await storage.get(storageKey);
    if (decided === undefined || revisionOf(decided.on) !== revisionOf(current)) {
      decided = { on: current, change: await decide(current) };
    }
    const { change } = decided;
    if (change.kind === "again") {
      decided = undefined;
      continue;
    }
    if (change.kind === "keep") return { object: change.answer, what: "kept" };
    const isNew = current === undefined;
    const extra = (await change.reservation?.writes()) ?? [];
    const draft = change.kind === "write" ? inOrder(change.draft) : undefined;
    if (draft !== undefined && current !== undefined && isSame(draft, current)) {
      if (extra.length === 0) return { object: current, what: "kept" };
    }
    if (yieldBudget.isUsedUpNow()) await yieldBudget.yield();
    if (isDryRun) {
      if (change.kind === "delete") return { object: change.answer, what: "deleted" };
      return { object: draft as KubernetesObject, what: isNew ? "created" : "changed" };
    }
    if (draft !== undefined) await refuseTooLarge(draft as KubernetesObject, context);
    const own = { ...storageKey, expected: revisionOf(current), object: draft as KubernetesObject | undefined };
    const result = await storage.write([own, ...extra]);
    if (result.kind === "conflict") continue;
    if (change.kind === "delete") return { object: change.answer, what: "deleted" };
    return { object: result.objects[0] as KubernetesObject, what: isNew ? "created" : "changed" };
  }
}

export const revisionOf = (object: KubernetesObject | undefined): number =>
  object === undefined ? 0 : Number(object.metadata.resourceVersion);

/** But for its version, which is the storage's to give. */
function isSame(draft: Draft<KubernetesObject>, current: KubernetesObject): boolean {
  draft.metadata.resourceVersion = current.metadata.resourceVersion as string;
  return deepEqual(draft, current);
}

/** As encodings expect it: kind, apiVersion, metadata, and then the rest. Its metadata is its own, to get a version. */
export function inOrder(draft: Draft<KubernetesObject>): Draft<KubernetesObject> {
  const { kind, apiVersion, metadata, ...rest } = draft;
  return { kind, apiVersion, metadata: { ...metadata }, ...rest };
}

/** Where etcd keeps what was named otherwise once. */
const oldFolders: { readonly [collection: string]: string } = {
  endpoints: "services/endpoints",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
  "networking.k8s.io/ingresses": "ingress",
};

/** In the words of a storage whose condition does not hold. */
export function storageFault({ collection, key }: StorageKey, precondition: string): string {
  const folder = oldFolders[collection] ?? collection.slice(collection.indexOf("/") + 1);
  return `StorageError: invalid object, Code: 4, Key: /registry/${folder}/${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${precondition}`;
}

export const staleVersion = ({ served }: Pick<WriteContext, "served">, name: string) =>
  newConflict(served.groupResource, name, {
    detail: "the object has been modified; please apply your changes to the latest version and try again",
  });
