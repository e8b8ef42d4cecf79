// Our protobuf against a real kube-apiserver: it takes what we encode, and what it sends is, byte for byte, what we would encode
// of the JSON it sends.
import { Agent, request } from "node:https";
import { findResourceOfObject } from "@kubeloop/core/api";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadProtobuf } from "./index.ts";
import { fromHex, refusedBodies, toHex } from "./refused-bodies.fixture.ts";
import { reviews, type ServedObject, servedObjects } from "./served-objects.fixture.ts";
import { withoutZeros } from "./without-zeros.fixture.ts";

const protobuf = await loadProtobuf();
const mediaType = "application/vnd.kubernetes.protobuf";
const agent = new Agent({ keepAlive: true });
let cluster: RealCluster;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags });
});
afterAll(async () => {
  agent.destroy();
  await cluster?.[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: Uint8Array;
  readonly accept?: string;
}

function call(path: string, { method = "GET", body, accept = mediaType }: Call = {}): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${cluster.adminToken}`,
    accept,
    ...(body === undefined ? {} : { "content-type": mediaType, "content-length": body.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${cluster.url}${path}`, { method, headers, agent, ca: cluster.caPem }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const contentType = response.headers["content-type"] ?? "";
        resolve({ status: response.statusCode ?? 0, contentType, body: Buffer.concat(pieces) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const jsonOf = ({ body }: Answer) => JSON.parse(body.toString("utf8")) as ServedObject;
const getJson = async (path: string) => jsonOf(await call(path, { accept: "application/json" }));

function collectionPath(object: ServedObject): string {
  const resource = findResourceOfObject(object);
  if (resource === undefined) throw new Error(`${object.kind} is no resource`);
  const root = resource.group === "" ? "/api/v1" : `/apis/${resource.apiVersion}`;
  return `${root}${resource.namespaced ? "/namespaces/default" : ""}/${resource.plural}`;
}

/** The object at one version, in both forms. The server's own loops may change it in between. */
async function readBoth(path: string): Promise<{ readonly json: ServedObject; readonly bytes: Buffer }> {
  for (;;) {
    const { body } = await call(path);
    const json = await getJson(path);
    const { value } = protobuf.decodeEnvelope(body);
    const { resourceVersion } = (value as unknown as ServedObject).metadata;
    if (json.metadata["resourceVersion"] === resourceVersion) return { json, bytes: body };
  }
}

describe("an object that we encode is created, and comes back in both forms:", () => {
  for (const object of servedObjects) {
    test(`${object.apiVersion} ${object.kind}`, async () => {
      const path = collectionPath(object);
      const created = await call(path, { method: "POST", body: protobuf.encodeEnvelope(object) });
      expect(created.status, created.body.toString("latin1")).toBe(201);
      expect(created.contentType).toBe(mediaType);

      const { json, bytes } = await readBoth(`${path}/${String(object.metadata["name"])}`);
      expect(toHex(protobuf.encodeEnvelope(json))).toBe(toHex(bytes));
      const { value } = protobuf.decodeEnvelope(bytes);
      // To the letter: zeros, nulls, empty objects and the order of fields.
      expect(JSON.stringify(value)).toBe(JSON.stringify(json));
      // What was sent is among it: nothing was lost on the way in.
      expect(withoutZeros(value)).toMatchObject(withoutZeros(object) as object);
    });
  }

  test("and a list of them is made of their encodings", async () => {
    const paths = new Set(servedObjects.map(collectionPath));
    for (const path of paths) {
      const { metadata } = await getJson(path);
      const exact = `${path}?resourceVersion=${String(metadata["resourceVersion"])}&resourceVersionMatch=Exact&limit=500`;
      const json = await getJson(exact);
      const { body, contentType } = await call(exact);
      expect(contentType).toBe(mediaType);
      const kind = { apiVersion: json.apiVersion, kind: json.kind.replace(/List$/, "") };
      const raws = (json["items"] as readonly object[]).map((item) => protobuf.encodeRaw({ ...item, ...kind }));
      expect(raws.length).toBeGreaterThan(0);
      expect(toHex(protobuf.encodeListEnvelope(json, raws)), path).toBe(toHex(body));
    }
  });
});

describe("reviews are answered as if they came in JSON:", () => {
  for (const [path, object] of reviews) {
    test(object.kind, async () => {
      const { status, body } = await call(path, { method: "POST", body: protobuf.encodeEnvelope(object) });
      expect(status, body.toString("latin1")).toBe(201);
      const answer = await call(path, {
        method: "POST",
        body: protobuf.encodeEnvelope(object),
        accept: "application/json",
      });
      expect(toHex(protobuf.encodeEnvelope(protobuf.decodeEnvelope(body).value as unknown as ServedObject))).toBe(
        toHex(body),
      );
      // Rules come in whatever order, and a second may begin between the two answers.
      const { value } = protobuf.decodeEnvelope(body);
      expect(unordered(withoutZeros(value))).toEqual(unordered(withoutZeros(jsonOf(answer))));
    });
  }

  function unordered(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (key, child) => {
      if (key === "time") return undefined;
      return Array.isArray(child) ? child.map((item) => JSON.stringify(item)).sort() : child;
    });
  }
});

describe("what belongs to an object", () => {
  const deployment = "/apis/apps/v1/namespaces/default/deployments/d";

  test("its scale is read and written", async () => {
    const { json, bytes } = await readBoth(`${deployment}/scale`);
    expect(toHex(protobuf.encodeEnvelope(json))).toBe(toHex(bytes));
    const body = protobuf.encodeEnvelope({ ...json, spec: { replicas: 2 } });
    expect((await call(`${deployment}/scale`, { method: "PUT", body })).status).toBe(200);
    expect(await getJson(deployment)).toMatchObject({ spec: { replicas: 2 } });
    const zero = protobuf.encodeEnvelope({
      ...json,
      metadata: { name: "d", namespace: "default" },
      spec: { replicas: 0 },
    });
    expect((await call(`${deployment}/scale`, { method: "PUT", body: zero })).status).toBe(200);
    expect(await getJson(deployment)).toMatchObject({ spec: { replicas: 0 } });
  });

  test("a token is asked for", async () => {
    const wanted = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: ["a"], expirationSeconds: 600 },
    };
    const path = "/api/v1/namespaces/default/serviceaccounts/runner/token";
    const { status, body } = await call(path, { method: "POST", body: protobuf.encodeEnvelope(wanted) });
    expect(status, body.toString("latin1")).toBe(201);
    const { value } = protobuf.decodeEnvelope(body);
    expect(value).toMatchObject({ spec: wanted.spec, status: { token: expect.stringMatching(/^eyJ/) } });
  });

  test("a pod is bound", async () => {
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    const path = "/api/v1/namespaces/default/pods/p";
    const { status, body } = await call(`${path}/binding`, { method: "POST", body: protobuf.encodeEnvelope(binding) });
    expect(status, body.toString("latin1")).toBe(201);
    expect(await getJson(path)).toMatchObject({ spec: { nodeName: "n" } });
  });

  test("a pod is evicted, with options", async () => {
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p", namespace: "default" },
      deleteOptions: { gracePeriodSeconds: 0, dryRun: ["All"] },
    };
    const path = "/api/v1/namespaces/default/pods/p/eviction";
    const { status, body } = await call(path, { method: "POST", body: protobuf.encodeEnvelope(eviction) });
    expect([201, 429], body.toString("latin1")).toContain(status);
    expect(toHex(protobuf.encodeEnvelope(protobuf.decodeEnvelope(body).value as unknown as ServedObject))).toBe(
      toHex(body),
    );
  });

  test("delete options count", async () => {
    const options = (more: object) =>
      protobuf.encodeEnvelope({ apiVersion: "apps/v1", kind: "DeleteOptions", ...more });
    const wrong = await call(deployment, { method: "DELETE", body: options({ preconditions: { uid: "another" } }) });
    expect(wrong.status).toBe(409);
    const right = await call(deployment, {
      method: "DELETE",
      body: options({ propagationPolicy: "Orphan", dryRun: ["All"] }),
    });
    expect(right.status).toBe(200);
    expect((await call(deployment)).status).toBe(200);
  });
});

describe("what is not an object of ours", () => {
  test("a Status", async () => {
    const path = "/api/v1/namespaces/default/configmaps/nope";
    const { status, body } = await call(path);
    expect(status).toBe(404);
    expect(toHex(protobuf.encodeEnvelope(await getJson(path)))).toBe(toHex(body));
  });

  for (const path of ["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/batch/v1"]) {
    test(`discovery at ${path}`, async () => {
      const { body, contentType } = await call(path);
      expect(contentType).toBe(mediaType);
      expect(toHex(protobuf.encodeEnvelope(await getJson(path)))).toBe(toHex(body));
    });
  }

  for (const version of ["v1", "v1beta1"]) {
    test(`metadata views, ${version}`, async () => {
      const path = "/api/v1/namespaces/default/secrets";
      const as = (type: string, media: string) => `${media};as=${type};g=meta.k8s.io;v=${version}`;
      const list = (media: string) => call(path, { accept: as("PartialObjectMetadataList", media) });
      const json = jsonOf(await list("application/json"));
      expect(toHex(protobuf.encodeEnvelope(json))).toBe(toHex((await list(mediaType)).body));
      const one = (media: string) => call(`${path}/s`, { accept: as("PartialObjectMetadata", media) });
      const view = jsonOf(await one("application/json"));
      expect(toHex(protobuf.encodeEnvelope(view))).toBe(toHex((await one(mediaType)).body));
    });
  }
});

describe("watch frames", () => {
  const watch = (query: string, accept?: string) =>
    call(
      `/api/v1/namespaces/default/secrets?watch=1&timeoutSeconds=1&${query}`,
      accept === undefined ? {} : { accept },
    );
  for (const [what, query] of [
    ["of events since whenever", "resourceVersion=0"],
    [
      "of a list that ends with a bookmark",
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
    ],
    ["of events after a version", "resourceVersion=1"],
  ] as const) {
    test(what, async () => {
      const { body, contentType } = await watch(query);
      expect(contentType).toBe(`${mediaType};stream=watch`);
      const lines = (await watch(query, "application/json")).body.toString("utf8").trimEnd().split("\n");
      const frames = lines.map((line) => {
        const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: ServedObject };
        return protobuf.encodeWatchFrame(type, protobuf.encodeEnvelope(object));
      });
      expect(frames.length).toBeGreaterThan(0);
      expect(toHex(Buffer.concat(frames))).toBe(toHex(body));
    });
  }
});

describe("a body is refused when", () => {
  for (const { fact, hex, message } of refusedBodies) {
    test(fact, async () => {
      const answer = await call("/api/v1/namespaces/default/configmaps", {
        method: "POST",
        body: fromHex(hex),
        accept: "application/json",
      });
      expect(answer.status).toBe(400);
      expect(jsonOf(answer)).toMatchObject({ reason: "BadRequest", message });
    });
  }
});
