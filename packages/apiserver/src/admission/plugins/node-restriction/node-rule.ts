// What a rule of NodeRestriction is, and how it reads other objects. Each file beside this one holds the rules of one resource.
import { type GroupResource, type KubernetesObject, newNotFound } from "@kubeloop/core/api";
import type { Storage } from "../../../storage/storage.ts";
import type { AdmissionAttributes } from "../../attributes.ts";
import type { AdmissionParts } from "../../plugin.ts";

export interface NodeRequest {
  readonly nodeName: string;
  readonly attributes: AdmissionAttributes;
  readonly parts: AdmissionParts;
}

/** Returns why the node may not do this, in upstream's words; undefined if it may. Throws 404 for a missing object where upstream does. */
export type NodeRule = (request: NodeRequest) => Promise<string | undefined>;

/** Throws 404 in the words of a client-go lister, which names the resource in the singular. */
export async function readOrThrow<T extends KubernetesObject>(
  storage: Pick<Storage, "get">,
  collection: string,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Promise<T> {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const found = name === "" ? undefined : await storage.get({ collection, key });
  if (found === undefined) throw newNotFound(singularOf(collection), name);
  return found as T;
}

function singularOf(collection: string): GroupResource {
  const [group = "", plural = ""] = collection.includes("/") ? collection.split("/") : ["", collection];
  return { group, resource: plural.replace(/s$/, "") };
}
