// The requests of kubectl's commands, by place: objects of any kind, and the Tables that the server makes of them.
import {
  isBadRequest,
  isNotFound,
  type KubernetesObject,
  StatusError,
  type Table,
  type Transport,
} from "@kubeloop/core/api";
import { noLog } from "@kubeloop/core/base";
import { type Client, clientOf, type ResourceClient } from "@kubeloop/core/client";
import type { AnyObject } from "./object-printer.ts";
import { type Place, type Selection, selectorsOf } from "./targets.ts";

const usualPageSize = 500;

export function objectsAt(client: Client, { resource, namespace }: Place): ResourceClient<AnyObject> {
  const all = client.resource(resource) as unknown as ResourceClient<AnyObject>;
  return namespace === undefined ? all : all.in(namespace);
}

/** A client whose gets and watches answer with Tables instead of objects. */
export function tableClient(client: Client): Client {
  const accept = ["v1", "v1beta1"].map((version) => `application/json;as=Table;v=${version};g=meta.k8s.io`);
  const transport: Transport = async (request, signal) => {
    const headers = { ...request.headers, accept: [...accept, "application/json"].join(",") };
    return await client.transport({ ...request, headers }, signal);
  };
  // The client below has said the warnings already.
  return clientOf(transport, { log: noLog });
}

export function tablesAt(tables: Client, place: Place): ResourceClient<Table & KubernetesObject> {
  return objectsAt(tables, place) as unknown as ResourceClient<Table & KubernetesObject>;
}

/** All pages of a list, as tables. */
export async function* listTables(
  tables: Client,
  place: Place,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<Table, void, undefined> {
  for (let token = ""; ; ) {
    const options = {
      ...selectorsOf(selection),
      pageSize: usualPageSize,
      ...(token === "" ? {} : { continue: token }),
    };
    const table = await explained(place, selection, () => objectsAt(tables, place).table(options, signal));
    yield table;
    token = table.metadata.continue ?? "";
    if (token === "") return;
  }
}

export async function listObjects(
  client: Client,
  place: Place,
  selection: Selection & { readonly pageSize?: number },
  signal: AbortSignal,
): Promise<{ readonly items: readonly AnyObject[]; readonly resourceVersion: string }> {
  const { pageSize = usualPageSize } = selection;
  const list = objectsAt(client, place).list({ ...selectorsOf(selection), pageSize }, signal);
  const { items, metadata } = await explained(place, selection, () => list.toArray());
  return { items, resourceVersion: metadata.resourceVersion ?? "" };
}

/** A list that is refused says what was to be listed. */
async function explained<T>({ resource }: Place, selection: Selection, list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof StatusError) || !(isBadRequest(error) || isNotFound(error))) throw error;
    const { group, version, plural } = resource;
    const subject = JSON.stringify(`${group}/${version}, Resource=${plural}`);
    const { labelSelector = "", fieldSelector = "" } = selection;
    const which = `label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}`;
    const isSelected = labelSelector !== "" || fieldSelector !== "";
    const what = isSelected ? `Unable to find ${subject} that match ${which}` : `Unable to list ${subject}`;
    throw new StatusError({ ...error.status, message: `${what}: ${error.status.message ?? ""}` }, { cause: error });
  }
}
