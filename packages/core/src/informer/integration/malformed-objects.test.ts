// What happens when an object in protobuf turns out to be malformed, whoever finds it: the informer counts it, lists again, in JSON, and ends with the
// right object. A wrong one is never seen. Time is virtual; the server is a function that sends real bytes.
import { describe, expect, test } from "vitest";
import { pods } from "../../api/generated/resources.ts";
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type corev1,
  headerValue,
  loadProtobuf,
  type Transport,
} from "../../api/index.ts";
import { FakeClock, MetricsRegistry, noLog, untilAborted } from "../../base/index.ts";
import { clientOf } from "../../client/client.ts";
import { Lister } from "../lister/lister.ts";
import { newListWatchFromClient } from "../reflector/list-watch.ts";
import { RecordingStore } from "../reflector/recording-store.fixture.ts";
import { Reflector } from "../reflector/reflector.ts";
import { informerOf, type PodOptions } from "./pod-informers.fixture.ts";

const protobuf = await loadProtobuf();
const protobufType = "application/vnd.kubernetes.protobuf";
const message = "Pod: spec: proto: wrong wireType = 0 for field Volumes";
const second = 1000;

const podOf = (name: string) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", uid: name, resourceVersion: "5" },
  spec: { containers: null, nodeName: "n1" },
  status: { phase: "Running" },
});
/** All of the pod but its spec, which is no spec. */
const brokenBytes = (name: string) => {
  const { spec, ...rest } = podOf(name);
  return Uint8Array.from([...protobuf.encodeRaw(rest), 0x12, 2, 0x08, 1]);
};
const initialEnd = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } },
};

/** Where the malformed object, `bad`, is sent. */
type Broken = "in lists" | "in watches" | "in streamed lists" | "nowhere";

class MalformingServer {
  /** "list protobuf", "watch json", in the order they came. */
  readonly asked: string[] = [];
  readonly #broken: Broken;

  constructor(broken: Broken) {
    this.#broken = broken;
  }

  readonly transport: Transport = async (request, signal) => {
    const isProtobuf = headerValue(request.headers, "accept")?.includes(protobufType) === true;
    const isStream = has(request, "sendInitialEvents");
    const verb = isStream ? "stream" : has(request, "watch") ? "watch" : "list";
    this.asked.push(`${verb} ${isProtobuf ? "protobuf" : "json"}`);
    if (verb === "list") return this.#list(isProtobuf);
    const events = isStream ? this.#initialEvents(isProtobuf) : this.#events(isProtobuf);
    return streamed(isProtobuf, events, signal);
  };

  #list(isProtobuf: boolean): ApiResponse {
    const head = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" } };
    const names = this.#broken === "in watches" ? ["good"] : ["good", "bad"];
    if (!isProtobuf) {
      const items = ["good", "bad"].map(podOf);
      return bytesResponse(200, Buffer.from(JSON.stringify({ ...head, items })), {
        "content-type": "application/json",
      });
    }
    const items = names.map((name) => this.#bytesOf(name, "in lists"));
    return bytesResponse(200, protobuf.encodeListEnvelope(head, items), { "content-type": protobufType });
  }

  #events(isProtobuf: boolean): readonly Uint8Array[] {
    if (this.#broken !== "in watches" || !isProtobuf) return [];
    return [this.#frame("ADDED", "bad", "in watches")];
  }

  #initialEvents(isProtobuf: boolean): readonly Uint8Array[] {
    if (isProtobuf) {
      const end = protobuf.encodeWatchFrame("BOOKMARK", protobuf.encodeEnvelope(initialEnd));
      return [...["good", "bad"].map((name) => this.#frame("ADDED", name, "in streamed lists")), end];
    }
    const events = [...["good", "bad"].map((name) => ({ type: "ADDED", object: podOf(name) })), bookmarkEvent];
    return events.map((event) => Buffer.from(`${JSON.stringify(event)}\n`));
  }

  #frame(type: string, name: string, where: Broken): Uint8Array {
    return protobuf.encodeWatchFrame(
      type,
      protobuf.wrapRaw({ apiVersion: "v1", kind: "Pod" }, this.#bytesOf(name, where)),
    );
  }

  #bytesOf(name: string, where: Broken): Uint8Array {
    return name === "bad" && this.#broken === where ? brokenBytes(name) : protobuf.encodeRaw(podOf(name));
  }
}

const bookmarkEvent = { type: "BOOKMARK", object: initialEnd };
const has = ({ query }: ApiRequest, wanted: string) => query.some(([name]) => name === wanted);

function streamed(isProtobuf: boolean, events: readonly Uint8Array[], signal: AbortSignal): ApiResponse {
  async function* bytes() {
    yield* events;
    await untilAborted(new Promise<never>(() => {}), signal);
  }
  const type = isProtobuf ? `${protobufType};stream=watch` : "application/json";
  return {
    status: 200,
    headers: { "content-type": type },
    body: { kind: "bytes", bytes: bytes() },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function follow(broken: Broken, options: PodOptions = {}) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const server = new MalformingServer(broken);
  const client = clientOf(server.transport, { clock, encoding: "protobuf" });
  const errors: string[] = [];
  const { informer, told, stopping, run } = informerOf(client, clock, {
    freeze: false,
    metrics,
    name: "pods",
    onWatchError: (error) => void errors.push(error.message),
    ...options,
  });
  const ended = run();
  const malformedCount = () =>
    Number(/^reflector_malformed_objects_total\{[^}]*resource="pods"[^}]*\} (\d+)/m.exec(metrics.print())?.[1] ?? 0);
  return {
    clock,
    server,
    informer,
    told,
    errors,
    malformedCount,
    metrics,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
      expect(clock.pending()).toEqual([]);
    },
  };
}

type Following = Awaited<ReturnType<typeof follow>>;

/** The cache holds both pods, whole, and the server was asked for a list in JSON, once. */
async function expectRecovered({ clock, informer, server, malformedCount }: Following): Promise<void> {
  await clock.advance(5 * second);
  expect(
    informer
      .getStore()
      .list()
      .map((pod) => ({ ...pod })),
  ).toEqual(expect.arrayContaining([podOf("good"), podOf("bad")]));
  expect(informer.getStore().list().length).toBe(2);
  expect(malformedCount()).toBe(1);
  expect(server.asked.filter((line) => /^(?:list|stream) json$/.test(line)).length).toBe(1);
  const before = server.asked.length;
  await clock.advance(60 * second);
  expect(server.asked.length).toBe(before);
}

describe.each(["in lists", "in watches", "in streamed lists"] as const)("a malformed object %s", (broken) => {
  const canStream = broken === "in streamed lists";

  test("that a handler reads is counted and fetched again, and the handler gets it", async () => {
    const seen: string[] = [];
    const handlerErrors: string[] = [];
    await using following = await follow(broken, {
      canStream,
      onHandlerError: (error) => void handlerErrors.push(error.message),
    });
    const { informer, errors } = following;
    const note = (pod: corev1.Pod) => void seen.push(`${pod.metadata.name} on ${pod.spec?.nodeName}`);
    informer.addEventHandler({ onAdd: note, onUpdate: (_before, after) => note(after) });
    await expectRecovered(following);
    expect(handlerErrors).toEqual([message]);
    expect(seen).toEqual(["good on n1", "bad on n1"]);
    expect(errors).toEqual([message]);
  });

  test("that an index function reads is counted and fetched again, and then indexed", async () => {
    const cacheErrors: string[] = [];
    await using following = await follow(broken, {
      canStream,
      indexers: { byNode: (pod) => [pod.spec?.nodeName ?? "none"] },
      onCacheError: (error) => void cacheErrors.push(error.message),
    });
    await expectRecovered(following);
    expect(cacheErrors).toEqual([expect.stringContaining(message)]);
    const names = following.informer
      .getIndexer()
      .byIndex("byNode", "n1")
      .map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(["bad", "good"]);
    expect(following.told.sorted).toEqual(["add bad", "add good"]);
  });

  test("that a transform reads is counted and fetched again, and then transformed", async () => {
    await using following = await follow(broken, {
      canStream,
      transform: (pod) => ({ ...pod, spec: { containers: [], nodeName: `${pod.spec?.nodeName}!` } }),
    });
    const { clock, informer, malformedCount, errors } = following;
    await clock.advance(5 * second);
    expect(
      informer
        .getStore()
        .list()
        .map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`)
        .toSorted(),
    ).toEqual(["bad on n1!", "good on n1!"]);
    expect(malformedCount()).toBe(1);
    expect(errors).toContainEqual(expect.stringContaining(message));
  });

  test("that a reader of a lister finds is counted and fetched again, and the next reader gets it", async () => {
    await using following = await follow(broken, { canStream });
    const { clock, informer, server, told } = following;
    await clock.advance(60 * second);
    const before = server.asked.length;
    const lister = new Lister(informer.getIndexer(), pods);
    const read = () => lister.list().map((pod) => pod.spec?.nodeName);
    expect(read).toThrow(message);
    expect(read).toThrow(message);
    expect(server.asked.length).toBe(before);
    await expectRecovered(following);
    expect(read()).toEqual(["n1", "n1"]);
    // Who got the malformed object, and did not look, gets the other one.
    expect(told.lines).toEqual(["add good", "add bad", "update bad"]);
  });
});

test.each(["in lists", "in streamed lists"] as const)(
  "a malformed object %s that the store reads at once is fetched again before its watch goes on",
  async (broken) => {
    const clock = new FakeClock();
    const server = new MalformingServer(broken);
    const client = clientOf(server.transport, { clock, encoding: "protobuf" });
    const canWatchList = broken === "in streamed lists";
    const nodes: string[][] = [];
    const store = {
      ...new RecordingStore(),
      replace(objects: readonly corev1.Pod[]) {
        try {
          nodes.push(objects.map(({ spec }) => String(spec?.nodeName)));
        } catch (error) {
          nodes.push([String(error)]);
        }
      },
    } as unknown as RecordingStore;
    const reflector = new Reflector<corev1.Pod>(newListWatchFromClient(client, pods, { canWatchList, clock }), store, {
      clock,
      log: noLog,
    });
    const stopping = new AbortController();
    const running = reflector.run(stopping.signal);
    await clock.advance(60 * second);
    expect(nodes).toEqual([[expect.stringContaining(message)], ["n1", "n1"]]);
    expect(server.asked).toEqual(
      canWatchList ? ["stream protobuf", "stream json"] : ["list protobuf", "list json", "watch json"],
    );
    stopping.abort();
    await running;
  },
);

test("an object of a reflector that has ended is not counted and asks for nothing", async () => {
  const following = await follow("in lists");
  const { clock, informer, malformedCount, server } = following;
  await clock.advance(second);
  const bad = informer.getStore().getByKey("shop/bad");
  await following[Symbol.asyncDispose]();
  expect(() => bad?.spec).toThrow(message);
  expect([malformedCount(), server.asked]).toEqual([0, ["list protobuf", "watch protobuf"]]);
});

test("liveness and metrics say in which encoding the last list and watch came", async () => {
  const encodings = ({ informer, metrics }: Following) => [
    informer.status.listEncoding,
    informer.status.watchEncoding,
    ...metrics
      .print()
      .split("\n")
      .filter((line) => line.startsWith("reflector_answer_encoding")),
  ];
  const series = (request: string, encoding: string) =>
    `reflector_answer_encoding{name="pods",request="${request}",encoding="${encoding}"} 1`;
  for (const canStream of [false, true]) {
    const following = await follow(canStream ? "in streamed lists" : "in lists", { canStream });
    const { clock, informer } = following;
    expect(encodings(following)).toEqual([undefined, undefined]);
    await clock.advance(second);
    const inProtobuf = [series("list", "protobuf"), series("watch", "protobuf")];
    expect(encodings(following)).toEqual(["protobuf", "protobuf", ...inProtobuf]);
    expect(() => informer.getStore().getByKey("shop/bad")?.spec).toThrow(message);
    await clock.advance(5 * second);
    expect(encodings(following)).toEqual(["json", "json", series("list", "json"), series("watch", "json")]);
    await following[Symbol.asyncDispose]();
    expect(encodings(following)).toEqual(["json", "json"]);
  }
});
