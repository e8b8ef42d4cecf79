// The objects a fresh server makes by itself: namespaces, roles, priority levels and so on, as a real 1.36 has them. They pass through the
// same rules as everybody's; what is there already stays as it is.
import { brotliDecompressSync } from "node:zlib";
import { findResourceOfObject, isAlreadyExists, type KubernetesObject } from "@kubeloop/core/api";
import { serverItself } from "../authentication/users.ts";
import { bootstrapObjects } from "../generated/bootstrap-objects.ts";
import { createObject } from "../resources/registry/create-object.ts";
import { decodeValue } from "../resources/registry/decode-value.ts";
import { type ServerParts, storageKeyOf, Warnings, type WriteContext } from "../resources/registry/write-context.ts";
import { RequestYieldBudget } from "../storage/request-yield-budget.ts";

export async function createFirstObjects(server: ServerParts, signal: AbortSignal): Promise<void> {
  const objects = JSON.parse(
    brotliDecompressSync(Buffer.from(bootstrapObjects, "base64")).toString("utf8"),
  ) as KubernetesObject[];
  for (const object of objects.toSorted((a, b) => order(a) - order(b))) await createOwn(server, object, signal);
}

/** Unless it is there already. */
export async function createOwn(server: ServerParts, object: KubernetesObject, signal: AbortSignal): Promise<void> {
  const context = contextOf(server, object, signal);
  if (context === undefined) return;
  // Looked for first: to make a service again would fail for its address, which is taken: by itself.
  if ((await server.storage.get(storageKeyOf(context, object.metadata.name ?? ""))) !== undefined) return;
  try {
    const draft = await decodeValue(context, object);
    await createObject(context, draft, {
      isDryRun: false,
      fieldManager: "kube-apiserver",
      fieldValidation: "Ignore",
      force: undefined,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Namespaces before what stands in them. */
const order = ({ kind }: KubernetesObject) => (kind === "Namespace" ? 0 : 1);

function contextOf(server: ServerParts, object: KubernetesObject, signal: AbortSignal): WriteContext | undefined {
  const resource = findResourceOfObject(object);
  const served = resource === undefined ? undefined : server.catalogue.find(resource);
  if (served === undefined) return undefined;
  return {
    server,
    served,
    subresource: undefined,
    namespace: object.metadata.namespace ?? "",
    name: "",
    userAgent: "kube-apiserver/",
    user: serverItself,
    warnings: new Warnings(),
    signal,
    yieldBudget: new RequestYieldBudget(server.clock, signal),
  };
}
