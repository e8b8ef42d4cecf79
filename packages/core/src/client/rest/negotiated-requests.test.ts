import { describe, expect, test } from "vitest";
import { deployments, pods } from "../../api/generated/resources.ts";
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type corev1,
  defineResource,
  headerValue,
  type KubernetesObject,
  loadProtobuf,
  newStatusError,
  type Transport,
  valueResponse,
} from "../../api/index.ts";
import { FakeClock, noLog } from "../../base/index.ts";
import { clientOf } from "../client.ts";
import { EncodingMemory } from "./encoding-memory.ts";
import { ResourceClient } from "./resource-client.ts";
import { collect, failureOf } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const protobuf = await loadProtobuf();
const protobufType = "application/vnd.kubernetes.protobuf";
const hourMs = 3_600_000;

const pod = (phase = "Running") => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "web", namespace: "shop", resourceVersion: "7" },
  spec: { containers: null },
  status: { phase },
});
const podList = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" } };

type Answer = (request: ApiRequest) => ApiResponse;
const json = (object: object, status = 200) =>
  bytesResponse(status, Buffer.from(JSON.stringify(object)), { "content-type": "application/json" });
const inProtobuf = (bytes: Uint8Array, status = 200) => bytesResponse(status, bytes, { "content-type": protobufType });
const asksProtobuf = ({ headers }: ApiRequest) => headerValue(headers, "accept")?.includes(protobufType) === true;
const isWatch = ({ query }: ApiRequest) => query.some(([name]) => name === "watch");
const isOne = ({ path }: ApiRequest) => path.endsWith("/web");

/** What the object, list or watch of a request is in JSON, and in protobuf. */
const inJson: Answer = (request) => {
  if (isWatch(request)) return json({ type: "ADDED", object: pod() });
  return json(isOne(request) || request.method !== "GET" ? pod() : { ...podList, items: [pod()] });
};
const inEither: Answer = (request) => {
  if (!asksProtobuf(request)) return inJson(request);
  if (isWatch(request)) return inProtobuf(protobuf.encodeWatchFrame("ADDED", protobuf.encodeEnvelope(pod())));
  if (isOne(request) || request.method !== "GET") return inProtobuf(protobuf.encodeEnvelope(pod()));
  return inProtobuf(protobuf.encodeListEnvelope(podList, [protobuf.encodeRaw(pod())]));
};
const refusing =
  (code: number): Answer =>
  (request) =>
    asksProtobuf(request)
      ? json(newStatusError({ code, reason: "NotAcceptable", message: "no" }).status, code)
      : inJson(request);
const values: Answer = () => valueResponse(200, { ...podList, items: [pod()] });

class Server {
  /** "GET protobuf", "POST json": the method, and what was asked for first. */
  readonly asked: string[] = [];
  answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }

  readonly transport: Transport = async (request) => {
    this.asked.push(`${request.method} ${asksProtobuf(request) ? "protobuf" : "json"}`);
    return this.answer(request);
  };
}

function setUp(answer: Answer, view: "full" | "metadata" = "full") {
  const server = new Server(answer);
  const clock = new FakeClock();
  const told: string[] = [];
  const context = {
    transport: server.transport,
    clock,
    log: noLog,
    fieldManager: undefined,
    view,
    encoding: "protobuf",
    encodings: new EncodingMemory(clock),
    observer: {
      onAnswer: (encoding: string) => void told.push(encoding),
      onMalformed: (error: Error) => void told.push(error.message),
    },
  } as const;
  const client = new ResourceClient<corev1.Pod>(pods, context).in("shop");
  return { server, clock, told, context, client };
}
type Client = ReturnType<typeof setUp>["client"];

const calls: Readonly<Record<string, (client: Client) => PromiseLike<unknown>>> = {
  get: (client) => client.get("web", signal),
  list: (client) => client.list(signal).toArray(),
  watch: (client) => collect(client.watch({ resourceVersion: "1" }, signal)),
};
const writes: Readonly<Record<string, (client: Client) => PromiseLike<unknown>>> = {
  create: (client) => client.create(pod() as unknown as corev1.Pod, signal),
  update: (client) => client.update(pod() as unknown as corev1.Pod, signal),
  patch: (client) => client.patch("web", { type: "merge", body: {} }, signal),
  delete: (client) => client.delete("web", signal),
};
const results: Readonly<Record<string, unknown>> = {
  get: pod(),
  list: { items: [pod()], metadata: podList.metadata },
  watch: [{ type: "ADDED", object: pod() }],
};

for (const [verb, call] of Object.entries(calls)) {
  describe(verb, () => {
    test("asks for protobuf first, each time, where it comes", async () => {
      const { server, client } = setUp(inEither);
      expect(await call(client)).toEqual(results[verb]);
      await call(client);
      expect(server.asked).toEqual(["GET protobuf", "GET protobuf"]);
    });

    test("asks for JSON alone where JSON came, until an hour has passed", async () => {
      const { server, clock, client } = setUp(inJson);
      expect(await call(client)).toEqual(results[verb]);
      await call(client);
      await clock.advance(hourMs - 1);
      await call(client);
      expect(server.asked).toEqual(["GET protobuf", "GET json", "GET json"]);
      await clock.advance(1);
      server.answer = inEither;
      expect(await call(client)).toEqual(results[verb]);
      await call(client);
      expect(server.asked.slice(3)).toEqual(["GET protobuf", "GET protobuf"]);
    });

    for (const code of [406, 415]) {
      test(`is sent again for JSON where the server answers ${code}`, async () => {
        const { server, client } = setUp(refusing(code));
        expect(await call(client)).toEqual(results[verb]);
        await call(client);
        expect(server.asked).toEqual(["GET protobuf", "GET json", "GET json"]);
      });
    }

    test("learns nothing from other refusals, which may come in either encoding", async () => {
      const status = newStatusError({ code: 403, reason: "Forbidden", message: "not you" }).status;
      const { server, client } = setUp(() => json(status, 403));
      expect(await failureOf(() => call(client))).toMatchObject({ code: 403, message: "not you" });
      const envelope = protobuf.encodeEnvelope(status);
      server.answer = () => inProtobuf(envelope, 403);
      expect(await failureOf(() => call(client))).toMatchObject({ code: 403, reason: "Forbidden", message: "not you" });
      expect(server.asked).toEqual(["GET protobuf", "GET protobuf"]);
    });
  });
}

for (const [verb, call] of Object.entries(writes)) {
  describe(verb, () => {
    test("reads the answer in protobuf", async () => {
      const { server, client } = setUp(inEither);
      expect(await call(client)).toEqual(pod());
      expect(server.asked.every((line) => line.endsWith("protobuf"))).toBe(true);
    });

    test("is not sent twice where the server refuses to print it; the next one asks for JSON", async () => {
      const { server, client } = setUp(refusing(406));
      expect(await failureOf(() => call(client))).toMatchObject({ code: 406 });
      expect(await call(client)).toEqual(pod());
      const method = server.asked[0]?.split(" ")[0];
      expect(server.asked).toEqual([`${method} protobuf`, `${method} json`]);
    });
  });
}

const malformed = Uint8Array.from([...protobuf.encodeRaw({ ...pod(), spec: undefined }), 0x12, 2, 0x08, 1]);
const malformedFault = "Pod: spec: proto: wrong wireType = 0 for field Volumes";
/** One object as Kubernetes would send it, with the bytes of another field's type in its spec. */
const malformedPod: Answer = (request) => {
  const typeMeta = Buffer.from("\x0a\x02v1\x12\x03Pod", "latin1");
  const envelope = [Buffer.from("k8s\0"), [0x0a, typeMeta.length], typeMeta, [0x12, malformed.length], malformed];
  return asksProtobuf(request) ? inProtobuf(Uint8Array.from(envelope.flatMap((part) => [...part]))) : inJson(request);
};

describe("an answer with one object that is malformed", () => {
  test("is read in JSON instead, if it was a get", async () => {
    const { server, client } = setUp(malformedPod);
    expect(await client.get("web", signal)).toEqual(pod());
    await client.get("web", signal);
    expect(server.asked).toEqual(["GET protobuf", "GET json", "GET json"]);
  });

  test.each(Object.entries(writes))(
    "is an error that names the field, if it was a %s, which is not sent again",
    async (_, call) => {
      const { server, client } = setUp(malformedPod);
      expect(await failureOf(() => call(client))).toMatchObject({
        reason: "Decode",
        message: expect.stringMatching(/malformed: spec: proto: wrong wireType = 0 for field Volumes$/),
      });
      expect(server.asked).toHaveLength(1);
      expect(await call(client)).toEqual(pod());
      expect(server.asked[1]).toMatch(/ json$/);
    },
  );
});

describe("what is remembered", () => {
  test("is of one resource: others are asked for in protobuf", async () => {
    const { server, context, client } = setUp(inJson);
    await calls["list"]?.(client);
    const others = new ResourceClient<KubernetesObject>(deployments, context).in("shop");
    await others.get("web", signal);
    expect(server.asked).toEqual(["GET protobuf", "GET protobuf"]);
  });

  test("is shared by clients made from one another", async () => {
    const server = new Server(inJson);
    const client = clientOf(server.transport, { encoding: "protobuf", clock: new FakeClock() });
    await client.resource(pods).in("shop").get("web", signal);
    await client.with({ userAgent: "other" }).resource(pods).in("shop").get("web", signal);
    expect(server.asked).toEqual(["GET protobuf", "GET json"]);
  });

  for (const [verb, bytes] of [
    ["list", Buffer.from("k8s\0\xff\xff\xff\xff\xff\xff", "latin1")],
    ["watch", Uint8Array.of(0, 0, 0, 3, 0x0a, 5, 0x41)],
  ] as const) {
    test(`is also that the bytes of a ${verb} are none`, async () => {
      const { server, client } = setUp((request) => (asksProtobuf(request) ? inProtobuf(bytes) : inJson(request)));
      const call = async () => await calls[verb]?.(client);
      expect(await failureOf(call)).toMatchObject({ reason: "Decode" });
      expect(await call()).toEqual(results[verb]);
      expect(server.asked).toEqual(["GET protobuf", "GET json"]);
    });
  }

  test("is also that an object is malformed, which its reader found", async () => {
    const { server, client, told } = setUp((request) =>
      asksProtobuf(request) ? inProtobuf(protobuf.encodeListEnvelope(podList, [malformed])) : inJson(request),
    );
    const { items } = await client.list(signal).toArray();
    expect(() => items[0]?.spec).toThrow(malformedFault);
    expect(await client.list(signal).toArray()).toEqual(results["list"]);
    expect(server.asked).toEqual(["GET protobuf", "GET json"]);
    expect(told).toEqual(["protobuf", malformedFault, "json"]);
  });

  test("is nothing where the server passes values", async () => {
    const { server, client, told } = setUp(values);
    await client.list(signal).toArray();
    await client.list(signal).toArray();
    expect([server.asked, told]).toEqual([
      ["GET protobuf", "GET protobuf"],
      ["values", "values"],
    ]);
  });
});

describe("custom resources", () => {
  const widgets = defineResource<KubernetesObject>({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    namespaced: false,
  });

  for (const [view, asked] of [
    ["full", "GET json"],
    ["metadata", "GET protobuf"],
  ] as const) {
    test(`are asked for in ${asked}, of the view ${view}`, async () => {
      const { server, context } = setUp(inJson, view);
      await new ResourceClient<KubernetesObject>(widgets, context).get("web", signal);
      expect(server.asked).toEqual([asked]);
    });
  }
});
