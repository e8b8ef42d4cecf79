// Informers of the pods in shop for tests of what may befall them: over sockets, to a server that can be made to fail, or of a
// server in this process. Time is virtual in both: over sockets a test lets it pass, and the network takes none of it.
import { pods } from "../../api/generated/resources.ts";
import type { corev1 } from "../../api/index.ts";
import { FakeClock, noLog, seededRandom } from "../../base/index.ts";
import { type Client, clientOf, openClient } from "../../client/client.ts";
import { configFor, settled, type TcpRelay } from "../../client/http/local-servers.fixture.ts";
import { SmallServer } from "../factory/small-server.fixture.ts";
import { newListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";
import { Told } from "./observed.contract.ts";
import type { PodServer } from "./pod-server.fixture.ts";

export type PodOptions = SharedIndexInformerOptions<corev1.Pod> & { readonly canStream?: boolean };

interface SocketOptions {
  /** What it connects to instead. */
  readonly relay?: TcpRelay;
  readonly httpVersion?: "1.1" | "2";
  readonly canStream?: boolean;
}

/** An informer of the pods in shop, which lists and watches as all peers do unless it may stream, and what it was told. */
export function informerOf(client: Client, clock: FakeClock, { canStream = false, ...options }: PodOptions = {}) {
  const source = newListWatchFromClient(client, pods, { namespace: "shop", canWatchList: canStream, clock });
  const informer = new SharedIndexInformer(source, {
    clock,
    random: seededRandom(1),
    freeze: true,
    log: noLog,
    ...options,
  });
  const told = new Told<corev1.Pod>();
  informer.addEventHandler(told);
  const stopping = new AbortController();
  return { informer, told, stopping, run: () => informer.run(stopping.signal) };
}

/** The same over sockets, running. */
export function overSockets(server: PodServer, { relay, httpVersion = "1.1", canStream = false }: SocketOptions = {}) {
  const clock = new FakeClock();
  const url = relay === undefined ? server.url : `http://127.0.0.1:${relay.port}`;
  const client = openClient(configFor({ url }), { clock, httpVersion });
  const { informer, told, stopping, run } = informerOf(client, clock, { canStream });
  const ended = run();
  const stop = async () => {
    stopping.abort();
    await ended;
    await client[Symbol.asyncDispose]();
  };
  const pause = () => clock.pending().find(({ name }) => name.endsWith(": back-off"));
  return {
    clock,
    informer,
    told,
    stop,
    /** Lets the pause after a failure pass, once there is one. */
    async passPause() {
      await settled(() => pause() !== undefined);
      await clock.advance(pause()?.dueInMs ?? 0);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** An informer of a server in this process, in sync. */
export async function inProcess(options: PodOptions = {}) {
  const clock = new FakeClock();
  const server = new SmallServer();
  const put = (name: string, labels: Record<string, string> = {}) =>
    server.put(pods, { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop", labels } });
  put("first");
  const { informer, told, stopping, run } = informerOf(clientOf(server.transport, { clock }), clock, options);
  const ended = run();
  await clock.settle();
  return {
    clock,
    informer,
    told,
    put,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}
