// The objects a fresh server makes by itself: namespaces, roles, priority levels and so on, as a real 1.36 has them. They pass through the
// same rules as everybody's; what is there already stays as it is.
import { brotliDecompressSync } from "node:zlib";
import {
  type ApiRequest,
  findResourceOfObject,
  isAlreadyExists,
  type KubernetesObject,
  noBody,
} from "@kubeloop/core/api";
import { bootstrapObjects } from "../generated/bootstrap-objects.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { createObject } from "../resources/create.ts";
import { decodeValue } from "../resources/read-object.ts";
import { placeOf, type RequestScope, type ServerParts, Warnings } from "../resources/request-scope.ts";
import { Breath } from "../storage/breath.ts";

const serverItself: RequestUser = {
  name: "system:apiserver",
  uid: undefined,
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

export async function createFirstObjects(server: ServerParts, signal: AbortSignal): Promise<void> {
  const objects = JSON.parse(
    brotliDecompressSync(Buffer.from(bootstrapObjects, "base64")).toString("utf8"),
  ) as KubernetesObject[];
  for (const object of objects.toSorted((a, b) => order(a) - order(b))) await createOwn(server, object, signal);
}

/** Unless it is there already. */
export async function createOwn(server: ServerParts, object: KubernetesObject, signal: AbortSignal): Promise<void> {
  const scope = scopeOf(server, object, signal);
  if (scope === undefined) return;
  // Looked for first: to make a service again would fail for its address, which is taken: by itself.
  if ((await server.storage.get(placeOf(scope, object.metadata.name ?? ""))) !== undefined) return;
  try {
    const { draft } = decodeValue(scope, object);
    await createObject(scope, draft, {
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

function scopeOf(server: ServerParts, object: KubernetesObject, signal: AbortSignal): RequestScope | undefined {
  const resource = findResourceOfObject(object);
  const served = resource === undefined ? undefined : server.catalogue.find(resource);
  if (served === undefined) return undefined;
  const { namespace = "", name = "" } = object.metadata;
  const { group, version, plural } = served.resource;
  const request: ApiRequest = {
    method: "POST",
    path: `/bootstrap/${plural}/${name}`,
    query: [],
    headers: { "user-agent": "kube-apiserver/" },
    body: noBody,
    prefers: "values",
  };
  const info = {
    isResourceRequest: true,
    verb: "create",
    path: request.path,
    prefix: group === "" ? "api" : "apis",
    group,
    version,
    namespace,
    resource: plural,
    subresource: "",
    name: "",
    parts: [plural],
  } as const;
  return {
    server,
    request,
    info,
    served,
    subresource: undefined,
    user: serverItself,
    warnings: new Warnings(),
    signal,
    breath: new Breath(server.clock, signal),
  };
}
