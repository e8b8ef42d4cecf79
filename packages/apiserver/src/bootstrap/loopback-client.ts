// The server as a client of itself: what it writes by itself goes through the same function as everybody's requests, as kube-apiserver's
// loopback client does.
import {
  type ApiRequest,
  type KubernetesObject,
  type metav1,
  noBody,
  StatusError,
  type Transport,
} from "@kubeloop/core/api";

const userAgent = "kube-apiserver/";
const mostAttempts = 10;

export class LoopbackClient {
  readonly #transport: Transport;

  /** `transport` sends requests of the server's own user. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns undefined if there is no such object. */
  async get<T extends KubernetesObject>(path: string, signal: AbortSignal): Promise<T | undefined> {
    return (await this.#send("GET", path, undefined, signal)) as T | undefined;
  }

  /** Deletes it if it is there. */
  async delete(path: string, signal: AbortSignal): Promise<void> {
    await this.#send("DELETE", path, undefined, signal);
  }

  /**
   * Creates or updates the object of this name with what `change` makes of the current one, which is undefined if there is none. Writes
   * nothing if `change` returns undefined. `change` is called again when somebody else was quicker.
   */
  async ensure<T extends KubernetesObject>(
    { collection, name }: { readonly collection: string; readonly name: string },
    change: (current: T | undefined) => T | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const path = `${collection}/${name}`;
    for (let attempt = 1; ; attempt++) {
      const current = await this.get<T>(path, signal);
      const wanted = change(current);
      if (wanted === undefined) return;
      try {
        if (current === undefined) await this.#send("POST", collection, wanted, signal);
        else await this.#send("PUT", path, wanted, signal);
        return;
      } catch (error) {
        if (!isBeaten(error) || attempt === mostAttempts) throw error;
      }
    }
  }

  async #send(method: string, path: string, value: object | undefined, signal: AbortSignal): Promise<unknown> {
    const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
    const headers = { "user-agent": userAgent };
    const request: ApiRequest = { method, path, query: [], headers, body, prefers: "values" };
    await using response = await this.#transport(request, signal);
    const answer = response.body.kind === "value" ? response.body.value : undefined;
    if (response.status === 404 && value === undefined) return undefined;
    if (response.status >= 400) throw new StatusError(answer as metav1.Status);
    return answer;
  }
}

/** By a Conflict or an AlreadyExists. */
const isBeaten = (error: unknown) => error instanceof StatusError && error.code === 409;
