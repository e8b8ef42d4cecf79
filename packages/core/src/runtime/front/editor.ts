// What the helpers for objects stand on: reading one object and carrying one action out. A reconcile's context is one; so is any client,
// for programs that set something up outside of a controller.
import { isNotFound, type KubernetesObject, type Resource, splitKey } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { Action } from "../../contract/index.ts";
import { isTolerated } from "../apply.ts";
import { Ports } from "../ports.ts";
import { sendAction } from "../send-action.ts";

export interface Editor {
  /** As it is, from a cache where there is one; undefined if it is not there. */
  read<T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined>;
  /** As the server has it. */
  readLive<T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined>;
  /** Rejects with what went wrong; undefined for a failure that the action tolerates. */
  perform<R>(action: Action<R>): Promise<R | undefined>;
}

/** Reads and writes with a plain client, until the signal aborts. Tolerances are kept. */
export function editorOf(client: Client, signal: AbortSignal): Editor {
  const readLive = async <T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined> => {
    const { namespace, name } = splitKey(key);
    const all = client.resource(resource);
    try {
      return await (namespace === "" ? all : all.in(namespace)).get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return {
    read: readLive,
    readLive,
    async perform<R>(action: Action<R>) {
      const tools = { client, ports: new Ports(), recordEvent: () => {} };
      try {
        return (await sendAction(action, tools, undefined, signal)) as R;
      } catch (error) {
        if (isTolerated(action, error)) return undefined;
        throw error;
      }
    },
  };
}
