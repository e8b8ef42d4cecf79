// Stands between a manager and its API server, and tells when a chosen request of the manager is in flight: passed on to the server, the answer
// not given back. Whoever is told can kill the manager at that moment; the answer never arrives.
//
// It shows the API server's certificate. The manager must come with tokens, since a client certificate ends here; all else is passed on as it
// is, watches included.
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as requestTls, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Deferred, deferred } from "@kubeloop/core/base";
import type { RealCluster } from "@kubeloop/real-cluster";

/** Which request: the n-th, counted from now on, of any, or of those that do a controller's work. */
export interface InFlightChoice {
  readonly of: "any request" | "work";
  readonly nth: number;
  /** "sent": at once after the request was passed on; "answered": when the server has carried it out. */
  readonly when: "sent" | "answered";
}

interface Awaited extends InFlightChoice {
  left: number;
  readonly reached: Deferred<string>;
}

export class InFlightProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #agent: Agent;
  readonly #target: string;
  #awaited: Awaited | undefined;

  private constructor({ url, caPem }: RealCluster, tls: { readonly cert: string; readonly key: string }) {
    this.#target = url;
    this.#agent = new Agent({ ca: caPem, keepAlive: true });
    this.#server = createServer(tls, (request, response) => this.#passOn(request, response));
  }

  static async open(cluster: RealCluster): Promise<InFlightProxy> {
    const read = (name: string) => readFile(join(cluster.folder, name), "utf8");
    const proxy = new InFlightProxy(cluster, { cert: await read("server.crt"), key: await read("server.key") });
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns what was in flight, when it is. A later choice replaces this one. */
  untilInFlight(choice: InFlightChoice): Promise<string> {
    const reached = deferred<string>();
    this.#awaited = { ...choice, left: choice.nth, reached };
    return reached.promise;
  }

  #passOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const chosen = this.#choose(incoming);
    const { method, url = "/", headers } = incoming;
    const passed = requestTls(new URL(url, this.#target), { method, headers, agent: this.#agent });
    passed.on("response", (answer) => {
      if (chosen !== undefined) {
        answer.resume();
        chosen.reached.resolve(`${method} ${url}`);
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    passed.on("error", () => outgoing.destroy());
    passed.on("finish", () => {
      if (chosen?.when === "sent") chosen.reached.resolve(`${method} ${url}`);
    });
    // A watch whose client has gone would stay open; what changes something is carried out all the same.
    outgoing.on("close", () => {
      if (method === "GET") passed.destroy();
    });
    incoming.pipe(passed);
  }

  #choose(request: IncomingMessage): Awaited | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined || (awaited.of === "work" && !isWork(request))) return undefined;
    if (--awaited.left > 0) return undefined;
    this.#awaited = undefined;
    return awaited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }
}

/** A write that is not the process's own: neither for its credentials nor an event. */
function isWork({ method = "GET", url = "" }: IncomingMessage): boolean {
  return method !== "GET" && !url.includes("/namespaces/kube-system/") && !/\/events(?:[/?]|$)|reviews$/.test(url);
}
