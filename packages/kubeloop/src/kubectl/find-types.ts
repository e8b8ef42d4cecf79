// Types as a person types them, as the server serves them: plural, singular, kind or short name, with or without group and version, or a
// category (`all`), which stands for its members.
import type { Resource } from "@kubeloop/core/api";
import { type Client, NoMatchError } from "@kubeloop/core/client";
import { KubectlError } from "./kubectl-error.ts";

/** Throws kubectl's complaint about a type that the server does not serve. */
export async function findType(client: Client, type: string, signal: AbortSignal): Promise<Resource> {
  try {
    return await client.mapper.resourceFor(type, signal);
  } catch (error) {
    if (!(error instanceof NoMatchError)) throw error;
    throw new KubectlError(`the server doesn't have a resource type ${JSON.stringify(type.split(".")[0])}`);
  }
}

/** In the order asked for, each once. */
export async function findTypes(
  client: Client,
  types: readonly string[],
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  const found = new Map<string, Resource>();
  for (const type of types) {
    const members = await client.mapper.resourcesInCategory(type, signal);
    const resources = members.length > 0 ? members : [await findType(client, type, signal)];
    for (const one of resources) {
      const key = `${one.apiVersion}/${one.kind}`;
      if (!found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
}
