// Runs a manager against a fake server, in virtual time, with the controllers of its tests. `secretMaker` creates a secret for every config map.
import { configMaps, events, leases, pods, secrets } from "../../api/generated/resources.ts";
import { type ApiResponse, collectBytes, type corev1, noBody, parseQuery, type Transport } from "../../api/index.ts";
import { FakeClock, type Log, MetricsRegistry, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { type Controller, cached, create, keyed, nothing, plan, verbs } from "../../contract/index.ts";
import { Manager, type ManagerOptions } from "../../runtime/index.ts";
import { FakeApiServer } from "../fake-server/index.ts";
import { assertNoLeaks } from "../leak-check.ts";

export function configMap(name: string): corev1.ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name } };
}

/** Creates the secret `<map>-<name>` for each config map. Reads secrets from a cache. */
export function secretMaker(name: string): Controller {
  return keyed<readonly [corev1.ConfigMap, corev1.Secret | undefined]>({
    name,
    primary: configMaps,
    watches: [cached(secrets)],
    writes: [verbs(secrets, "create")],
    observe: (key, { snapshot }) => {
      const map = snapshot.get(configMaps, key);
      return map === undefined ? undefined : [map, snapshot.get(secrets, `${key}-${name}`)];
    },
    decide: ([map, secret]) => {
      if (secret !== undefined) return nothing("there is one");
      const { namespace = "", name: mapName = "" } = map.metadata;
      const metadata = { namespace, name: `${mapName}-${name}` };
      return plan("make one", [[create(secrets, { apiVersion: "v1", kind: "Secret", metadata })]]);
    },
  });
}

/** Only reads config maps, and writes nothing. */
export function looker(name: string, looked: string[]): Controller {
  return keyed<corev1.ConfigMap>({
    name,
    primary: configMaps,
    observe: (key, { snapshot }) => snapshot.get(configMaps, key),
    decide: (map) => {
      looked.push(`${name} ${map.metadata.name}`);
      return nothing("looked");
    },
  });
}

export interface ManagerStageOptions extends Partial<Omit<ManagerOptions, "client" | "clock" | "log">> {
  /** Faults between the manager and the server. */
  readonly wrap?: (transport: Transport, clock: FakeClock) => Transport;
  /** The stage of another replica, to share its server and clock. */
  readonly beside?: ManagerStage;
}

export class ManagerStage implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: FakeApiServer;
  readonly metrics = new MetricsRegistry();
  readonly manager: Manager;
  readonly log: string[] = [];
  /** "runs", "ended", or the error that was thrown. */
  end: unknown = "not run";
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor({ wrap = (transport) => transport, beside, ...options }: ManagerStageOptions = {}) {
    this.clock = beside?.clock ?? new FakeClock();
    this.server =
      beside?.server ??
      new FakeApiServer({ clock: this.clock, resources: [configMaps, secrets, pods, leases, events] });
    const note = (message: string, fields?: object) => this.log.push(`${message} ${JSON.stringify(fields ?? {})}`);
    const log: Log = { ...noLog, warn: note, error: note, with: () => log };
    const { clock } = this;
    const client = clientOf(wrap(this.server.transport, clock), { clock, log });
    const random = seededRandom("manager");
    this.manager = new Manager({ client, clock, log, random, metrics: this.metrics, ...options });
  }

  run(): void {
    this.end = "runs";
    this.#running = this.manager.run(this.#stop.signal).then(
      () => {
        this.end = "ended";
      },
      (error: unknown) => {
        this.end = error;
      },
    );
  }

  stop(): void {
    this.#stop.abort(new Error("told to"));
  }

  /** Returns the response to a probe or a scrape: status and text. */
  async ask(target: string): Promise<readonly [status: number, text: string]> {
    const [path = "", query = ""] = target.split("?");
    const request = {
      method: "GET",
      path,
      query: parseQuery(query),
      headers: {},
      body: noBody,
      prefers: "bytes",
    } as const;
    return await readText(await this.manager.handler(request, new AbortController().signal));
  }

  get secrets(): readonly string[] {
    return this.server.list(secrets).map(({ metadata }) => String(metadata.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.clock.drive(this.#running);
    await this.clock.settle();
    assertNoLeaks({ clock: this.clock, servers: [this.server], signals: [this.#stop.signal] });
  }
}

async function readText(response: ApiResponse): Promise<readonly [number, string]> {
  const { status, body } = response;
  if (body.kind !== "bytes") return [status, ""];
  return [status, Buffer.from(await collectBytes(body.bytes, { maxBytes: 1_000_000 })).toString()];
}
