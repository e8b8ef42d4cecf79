import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { describe, expect, test } from "vitest";
import { schemaNamed, schemaOfKind } from "../schema-table.ts";
import { drawnObject } from "./drawn-object.fixture.ts";
import { encodingsFile, parseEncodings } from "./encodings.fixture.ts";
import { deferredBytes, dropDeferred, isDeferred, loadProtobuf, ProtobufError } from "./index.ts";
import { describeRepresentation, type Represented } from "./representations.contract.ts";

const protobuf = await loadProtobuf();

function messageOf(kind: { readonly apiVersion: string; readonly kind: string }): string {
  const message = protobuf.messageOfKind(kind);
  if (message === undefined) throw new Error(`${kind.kind} has no message`);
  return message;
}

const decodedLazily = (bytes: Uint8Array) => {
  const { typeMeta, raw } = protobuf.openEnvelope(bytes);
  return protobuf.decodeLazily(raw, messageOf(typeMeta), typeMeta);
};

/** Objects of every kind, as Kubernetes encodes them, and drawn ones. */
const kinds = [
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "Node" },
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "v1", kind: "Secret" },
  { apiVersion: "v1", kind: "Event" },
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "ControllerRevision" },
  { apiVersion: "batch/v1", kind: "Job" },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
  { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
];
const drawn = kinds.flatMap((kind) => {
  const schema = schemaOfKind(kind);
  if (schema === undefined) throw new Error(`${kind.kind} has no schema`);
  return Array.from({ length: 20 }, (_, seed) => protobuf.encodeEnvelope({ ...drawnObject(schema, seed), ...kind }));
});
const encoded = [...parseEncodings(readFileSync(encodingsFile)).map(({ bytes }) => bytes), ...drawn];

const plainObjects = encoded.map((bytes): Represented => {
  const plain = protobuf.decodeEnvelope(bytes);
  const [kind, apiVersion] = [String(plain["kind"]), String(plain["apiVersion"])];
  return { what: kind, plain, make: () => protobuf.decodeEnvelope(bytes), schema: schemaOfKind({ kind, apiVersion }) };
});
describeRepresentation("an object that is decoded at once", plainObjects);
describeRepresentation(
  "an object that is decoded when it is looked at",
  plainObjects.map((represented, i) => ({ ...represented, make: () => decodedLazily(encoded[i] as Uint8Array) })),
);
describeRepresentation(
  "its metadata",
  plainObjects.flatMap(({ what, plain }, i) => {
    const metadata = plain["metadata"] as Represented["plain"] | undefined;
    if (metadata === undefined) return [];
    const make = () => decodedLazily(encoded[i] as Uint8Array)["metadata"] as Record<string, unknown>;
    return [{ what, plain: metadata, make, schema: schemaNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") }];
  }),
);

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    labels: { app: "web" },
    managedFields: [{ manager: "kubelet", operation: "Update", fieldsV1: { "f:status": {} } }],
  },
  spec: { containers: [{ name: "main", image: "nginx", resources: {} }], nodeName: "n1" },
  status: { phase: "Running" },
} as const;
type Pod = { -readonly [K in keyof typeof pod]: (typeof pod)[K] };
const podBytes = protobuf.encodeRaw(pod);
const lazyPod = (bytes = podBytes) => protobuf.decodeLazily(bytes, messageOf(pod), pod) as Pod;

describe("bytes", () => {
  test("are copied: the chunk they came in may be used again", () => {
    const chunk = Buffer.from(podBytes);
    const object = lazyPod(chunk);
    chunk.fill(0xff);
    expect(object).toEqual(protobuf.decodeMessage(podBytes, messageOf(pod), pod));
  });

  test("are kept of what was not read, and given up when all was", () => {
    const object = lazyPod();
    const all = deferredBytes(object);
    expect(all).toBeGreaterThan(40);
    expect(all).toBeLessThan(podBytes.length);
    expect(object.spec.nodeName).toBe("n1");
    expect(deferredBytes(object)).toBe(all);
    expect(object.status.phase).toBe("Running");
    expect(deferredBytes(object)).toBeLessThan(all);
    expect(object.metadata.managedFields.length).toBe(1);
    expect(deferredBytes(object)).toBe(0);
    expect(isDeferred(object)).toBe(true);
  });

  test("are none in plain objects", () => {
    expect(deferredBytes(pod)).toBe(0);
    expect(isDeferred(pod)).toBe(false);
    expect(isDeferred({ metadata: null })).toBe(false);
  });

  test("of a field that is dropped are given up", () => {
    const object = lazyPod();
    const before = deferredBytes(object);
    expect(dropDeferred(object.metadata, "managedFields")).toBe(true);
    expect(Object.keys(object.metadata)).toEqual(["name", "labels"]);
    expect(deferredBytes(object)).toBeLessThan(before);
    expect(object).toEqual({
      ...protobuf.decodeMessage(podBytes, messageOf(pod), pod),
      metadata: { name: "web", labels: { app: "web" } },
    });
  });

  test("of a field that is plain, absent or frozen are not dropped", () => {
    expect(dropDeferred(pod.metadata, "managedFields")).toBe(false);
    expect(dropDeferred(lazyPod(), "nothing")).toBe(false);
    expect(dropDeferred(lazyPod(), "metadata")).toBe(false);
    const frozen = lazyPod();
    Object.freeze(frozen.metadata);
    expect(dropDeferred(frozen.metadata, "managedFields")).toBe(false);
    expect(frozen.metadata.managedFields.length).toBe(1);
  });

  test("that hold more than the scratch space are read", () => {
    const data = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key-${i}`, "é".repeat(20)]));
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data };
    const object = protobuf.decodeLazily(protobuf.encodeRaw(map), messageOf(map), map);
    expect(object["data"]).toEqual(data);
    expect(lazyPod().spec.nodeName).toBe("n1");
  });

  test("whose metadata comes in parts, or last, are read", () => {
    const metadata = (name: string) => [0x0a, name.length + 2, 0x0a, name.length, ...Buffer.from(name)];
    const spec = [0x12, 4, 0x52, 2, 0x6e, 0x31];
    const bytes = Uint8Array.from([...metadata("a"), ...spec, ...metadata("last")]);
    const object = lazyPod(bytes);
    expect(object.metadata.name).toBe("last");
    expect(object.spec).toEqual(protobuf.decodeMessage(bytes, messageOf(pod), pod)["spec"]);
    expect(object).toEqual(protobuf.decodeMessage(bytes, messageOf(pod), pod));
  });
});

test("objects of one kind have one hidden class, read or not", () => {
  setFlagsFromString("--allow-natives-syntax");
  const haveSameMap = new Function("a", "b", "return %HaveSameMap(a, b)") as (a: object, b: object) => boolean;
  const hasFastProperties = new Function("a", "return %HasFastProperties(a)") as (a: object) => boolean;
  const objects = Array.from({ length: 50 }, () => lazyPod());
  const [read, unread] = [objects.at(-1) as Pod, objects.at(-2) as Pod];
  expect(read.status.phase).toBe("Running");
  expect(JSON.stringify(read)).toContain("nginx");
  expect(haveSameMap(read, unread)).toBe(true);
  expect(haveSameMap(read.metadata, unread.metadata)).toBe(true);
  expect(hasFastProperties(read) && hasFastProperties(read.metadata)).toBe(true);
});

test("the console prints values", () => {
  expect(inspect(lazyPod(), { depth: 0 })).toBe(
    inspect(protobuf.decodeMessage(podBytes, messageOf(pod), pod), { depth: 0 }),
  );
  expect(inspect(lazyPod())).not.toContain("Getter");
});

for (const none of [null, undefined]) {
  test(`${none} can be assigned, whatever else was read`, () => {
    const object: Record<string, unknown> = lazyPod();
    object["status"] = none;
    expect(object["status"]).toBe(none);
    expect(object["spec"]).toBeDefined();
    expect(object["status"]).toBe(none);
  });
}

test("a property that is copied by its descriptor says so", () => {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(lazyPod())) as Pod;
  expect(() => copy.spec).toThrow("copy the value");
});

describe("malformed bytes", () => {
  const raw = (...bytes: number[]) => Uint8Array.from(bytes);
  for (const [fact, bytes, message] of [
    ["of the object itself are found at once", raw(0x08, 1), "Pod: proto: wrong wireType = 0 for field ObjectMeta"],
    ["that end early are found at once", raw(0x12, 5, 1), "Pod: unexpected EOF"],
    [
      "of its metadata are found at once",
      raw(0x0a, 2, 0x08, 1),
      "Pod: metadata: proto: wrong wireType = 0 for field Name",
    ],
    ["of its labels are found at once", raw(0x0a, 4, 0x5a, 2, 0x0a, 9), "Pod: metadata.labels: unexpected EOF"],
  ] as const) {
    test(fact, () => {
      expect(() => lazyPod(bytes)).toThrow(ProtobufError);
      expect(() => lazyPod(bytes)).toThrow(message);
    });
  }

  for (const [fact, bytes, read, message] of [
    [
      "of its spec",
      raw(0x12, 2, 0x08, 1),
      (p: Pod) => p.spec,
      "Pod: spec: proto: wrong wireType = 0 for field Volumes",
    ],
    ["of a container", raw(0x12, 4, 0x12, 2, 0x0a, 9), (p: Pod) => p.spec, "Pod: spec.containers: unexpected EOF"],
    [
      "of a manager",
      raw(0x0a, 5, 0x8a, 0x01, 2, 0x0a, 9),
      (p: Pod) => p.metadata.managedFields,
      "Pod: metadata.managedFields: unexpected EOF",
    ],
  ] as const) {
    test(`${fact} are found when they are read, each time`, () => {
      const object = lazyPod(bytes);
      expect(() => read(object)).toThrow(message);
      expect(() => read(object)).toThrow(message);
      expect(lazyPod().status.phase).toBe("Running");
    });

    for (const hasReadBefore of [false, true]) {
      const when = hasReadBefore ? ", also if another field was read before" : "";
      test(`${fact} are reported to the observer, once${when}`, () => {
        const reported: string[] = [];
        const observer = {
          onMalformed: (error: ProtobufError) => void reported.push(`${error.field}: ${error.message}`),
        };
        const withStatus = Uint8Array.from([...bytes, 0x1a, 3, 0x0a, 1, 0x41]);
        const object = protobuf.decodeLazily(withStatus, messageOf(pod), pod, observer) as Pod;
        if (hasReadBefore) expect(object.status.phase).toBe("A");
        expect(reported).toEqual([]);
        expect(() => read(object)).toThrow(message);
        expect(() => read(object)).toThrow(message);
        expect(reported).toEqual([expect.stringContaining(message)]);
        expect(object.status.phase).toBe("A");
      });
    }
  }

  test("are reported by objects whose other fields were all read", () => {
    const reported: ProtobufError[] = [];
    const object = protobuf.decodeLazily(podBytes, messageOf(pod), pod, {
      onMalformed: (error) => void reported.push(error),
    }) as Pod;
    expect(JSON.parse(JSON.stringify(object))).toEqual(object);
    expect([reported, deferredBytes(object)]).toEqual([[], 0]);
  });
});
