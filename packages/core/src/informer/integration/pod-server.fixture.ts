// A server of pods on a port of the loopback, as true as the failures need it that tests make it meet: versions, lists whose
// items do not say what they are, watches that tell what they missed, 410 for what is forgotten. A test may answer any request
// in the server's place, write bytes into watches, and break connections.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Listeners } from "../../base/index.ts";
import { type Answer, LocalServer, type Speaks } from "../../client/http/local-servers.fixture.ts";

interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly pod: Pod;
}

type Pod = ReturnType<typeof toPod>;
type Verb = "list" | "watch";

const toPod = (name: string, version: number, labels: Readonly<Record<string, string>>) => ({
  metadata: {
    name,
    namespace: "shop",
    labels,
    resourceVersion: `${version}`,
    creationTimestamp: "2030-01-01T00:00:00Z",
  },
});

export class PodServer implements AsyncDisposable {
  /** As "list 0" and "watch 5", in order. */
  readonly asked: string[] = [];
  readonly watches = new Set<ServerResponse>();
  readonly #instead: Readonly<Record<Verb, Answer[]>> = { list: [], watch: [] };
  readonly #pods = new Map<string, Pod>();
  readonly #arrivals = new Listeners<void>((error) => {
    throw error;
  });
  readonly #local: LocalServer;
  #changes: Change[] = [];
  #version = 1;
  #oldest = 0;

  private constructor(local: LocalServer) {
    this.#local = local;
  }

  static async start(speaks: Speaks = "plain"): Promise<PodServer> {
    const answer: Answer = (request, response) => server.#answer(request, response);
    const server: PodServer = new PodServer(await LocalServer.start({ speaks, answer }));
    return server;
  }

  get url(): string {
    return this.#local.url;
  }

  get port(): number {
    return this.#local.port;
  }

  get version(): string {
    return `${this.#version}`;
  }

  /** Open TCP connections. */
  get connections(): number {
    return this.#local.sockets.size;
  }

  put(name: string, labels: Readonly<Record<string, string>> = {}): void {
    const type = this.#pods.has(name) ? "MODIFIED" : "ADDED";
    const pod = toPod(name, ++this.#version, labels);
    this.#pods.set(name, pod);
    this.#tell({ version: this.#version, type, pod });
  }

  delete(name: string): void {
    const last = this.#pods.get(name);
    if (last === undefined) throw new Error(`no pod ${name}`);
    this.#pods.delete(name);
    const pod = toPod(name, ++this.#version, last.metadata.labels);
    this.#tell({ version: this.#version, type: "DELETED", pod });
  }

  /** What happened until now can no longer be watched from before. */
  forget(): void {
    this.#oldest = this.#version;
    this.#changes = [];
  }

  /** Watches no longer hear of what happens, and are still open. */
  mute(): readonly ServerResponse[] {
    const muted = [...this.watches];
    this.watches.clear();
    return muted;
  }

  /** The next request of that kind, of those nobody has claimed, is answered so. */
  instead(verb: Verb, answer: Answer): void {
    this.#instead[verb].push(answer);
  }

  /** As the server would. */
  answerList(response: ServerResponse): void {
    response.end(this.printList());
  }

  printList(): string {
    const metadata = { resourceVersion: this.version };
    return JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata, items: [...this.#pods.values()] });
  }

  /** Resets every connection, so that the other side gets ECONNRESET. */
  reset(): void {
    for (const socket of this.#local.sockets) (socket as Socket).resetAndDestroy();
  }

  /** So many requests have come. */
  async untilAsked(count: number): Promise<void> {
    if (this.asked.length >= count) return;
    await new Promise<void>((resolve) => {
      const arrival = this.#arrivals.subscribe(() => {
        if (this.asked.length < count) return;
        arrival[Symbol.dispose]();
        resolve();
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#local[Symbol.asyncDispose]();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    response.on("error", () => {});
    const { searchParams } = new URL(request.url ?? "", this.url);
    const verb = searchParams.get("watch") === "true" ? "watch" : "list";
    const resourceVersion = searchParams.get("resourceVersion") ?? "";
    this.asked.push(`${verb} ${resourceVersion}`.trim());
    this.#arrivals.emit();
    const instead = this.#instead[verb].shift();
    if (instead !== undefined) instead(request, response);
    else if (verb === "list") this.answerList(response);
    else this.#watch(Number(resourceVersion), response);
  }

  #watch(version: number, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (version < this.#oldest) {
      response.end(expired);
      return;
    }
    for (const change of this.#changes) if (change.version > version) response.write(printChange(change));
    this.watches.add(response);
    void once(response, "close").then(() => this.watches.delete(response));
  }

  #tell(change: Change): void {
    this.#changes.push(change);
    for (const watch of this.watches) watch.write(printChange(change));
  }
}

const identity = { kind: "Pod", apiVersion: "v1" } as const;

const printChange = ({ type, pod }: Change) => `${JSON.stringify({ type, object: { ...identity, ...pod } })}\n`;

/** A line of a watch about a pod, for those who write them into watches themselves. */
export function printEvent(type: Change["type"], name: string, version: number): string {
  return printChange({ type, version, pod: toPod(name, version, {}) });
}

export function printBookmark(version: string): string {
  const object = { ...identity, metadata: { resourceVersion: version, creationTimestamp: null } };
  return `${JSON.stringify({ type: "BOOKMARK", object })}\n`;
}

const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;

/** The line that ends a watch from a version that is forgotten. */
export const expired = `${JSON.stringify({
  type: "ERROR",
  object: { ...failure, code: 410, reason: "Expired", message: "too old resource version: 1 (9)" },
})}\n`;

export const internalError: Answer = (_request, response) => {
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...failure, code: 500, reason: "InternalError", message: "etcd is on holiday" }));
};
