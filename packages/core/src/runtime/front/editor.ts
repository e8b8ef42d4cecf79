// The interface that the helpers in edit-objects.ts use: reading one object and executing one action. A reconcile's context implements it.
// `editorOf` makes one from a client, for programs that set something up outside of a controller.
import { isNotFound, type KubernetesObject, type Resource, splitKey } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import type { Action } from "../../contract/index.ts";
import { isTolerated } from "../apply.ts";
import { Ports } from "../ports.ts";
import { sendAction } from "../send-action.ts";

export interface Editor {
  /** Returns the object, from a cache if there is one; undefined if the object does not exist. */
  read<T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined>;
  /** Returns the object from the server; undefined if it does not exist. */
  readLive<T extends KubernetesObject>(resource: Resource<T>, key: string): Promise<T | undefined>;
  /** Executes the action. Rejects with the failure; returns undefined for a failure that the action tolerates. */
  perform<R>(action: Action<R>): Promise<R | undefined>;
}

/** Returns an Editor that reads and writes with a plain client until the signal aborts. Failures that an action tolerates are not thrown. */
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
