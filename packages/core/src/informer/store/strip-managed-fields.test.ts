import { describe, expect, test } from "vitest";
import { deferredBytes, loadProtobuf } from "../../api/index.ts";
import { deepFreeze } from "../../base/index.ts";
import { StringPool } from "./string-pool.ts";
import { stripManagedFields } from "./strip-managed-fields.ts";

interface Thing {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly managedFields?: unknown;
  };
  readonly spec?: { readonly image?: string; readonly args?: readonly string[]; readonly deep?: { at: string[] } };
}

const parse = (text: string) => JSON.parse(text) as Thing;
const managed = () =>
  parse('{"metadata":{"name":"web","managedFields":[{"manager":"kubelet"}],"labels":{"a":"b"}},"spec":{"image":"x"}}');

describe("managedFields", () => {
  test("are dropped, and nothing else", () => {
    expect(stripManagedFields<Thing>()(managed())).toEqual({
      metadata: { name: "web", labels: { a: "b" } },
      spec: { image: "x" },
    });
  });

  test("stay in the object that was given", () => {
    const object = managed();
    stripManagedFields<Thing>()(object);
    expect(object).toEqual(managed());
  });

  test("are dropped from a frozen object, what is not concerned being the same", () => {
    const object = deepFreeze(managed());
    const stripped = stripManagedFields<Thing>()(object);
    expect(stripped).toEqual({ metadata: { name: "web", labels: { a: "b" } }, spec: { image: "x" } });
    expect([stripped.spec === object.spec, stripped.metadata.labels === object.metadata.labels]).toEqual([true, true]);
  });

  test.each([
    ["without any", { metadata: { name: "web" } }],
    ["without metadata", {} as Thing],
    ["with null for metadata", { metadata: null } as unknown as Thing],
  ])("leave an object %s as it is", (_, object) => {
    expect(stripManagedFields<Thing>()(object)).toBe(object);
  });
});

// Whether two equal strings are one cannot be asked; a pool that is told of each can.
class CountingPool extends StringPool {
  readonly shared: string[] = [];

  override seen(text: string): string | undefined {
    const seen = super.seen(text);
    if (seen !== undefined) this.shared.push(seen);
    return seen;
  }
}

describe("strings", () => {
  const long = "registry.example.com/team/web:1.2.3";

  test("that repeat are shared, in objects and in lists, at any depth, from one object to the next", () => {
    const pool = new CountingPool();
    const transform = stripManagedFields<Thing>({ pool });
    const text = `{"metadata":{"name":"web"},"spec":{"image":"${long}","args":["${long}"],"deep":{"at":["${long}"]}}}`;
    const objects = [parse(text), parse(text)].map(transform);
    expect(objects).toEqual([parse(text), parse(text)]);
    expect(pool.shared).toEqual(Array.from({ length: 5 }, () => long));
  });

  test("of a frozen object, or of a frozen part of one, are left alone", () => {
    const transform = stripManagedFields<Thing>();
    const text = `{"metadata":{"name":"web"},"spec":{"image":"${long}","args":["${long}"]}}`;
    const whole = deepFreeze(parse(text));
    const part = parse(text);
    deepFreeze(part.spec);
    expect([transform(parse(text)), transform(whole), transform(part)]).toEqual([whole, whole, whole]);
  });

  test("of a frozen object are not even looked at: they are somebody else's, and in memory already", () => {
    const pool = new CountingPool();
    const transform = stripManagedFields<Thing>({ pool });
    const whole = deepFreeze(parse(`{"metadata":{"name":"web"},"spec":{"image":"${long}"}}`));
    transform(whole);
    transform(whole);
    expect(pool.shared).toEqual([]);
  });

  test("under a key that means something to JavaScript stay where they are", () => {
    const transform = stripManagedFields<Thing>();
    const text = `{"metadata":{"name":"map"},"data":{"__proto__":"${long}","constructor":"${long}"}}`;
    expect(JSON.stringify([parse(text), parse(text)].map(transform))).toBe(`[${text},${text}]`);
  });
});

describe("a pool of strings", () => {
  test.each([
    ["knows a string it has been told", "2026-01-02T03:04:05Z", true],
    ["does not care for short ones", "ClusterFirst", false],
    ["does not care for very long ones", "x".repeat(257), false],
    ["cares for long ones", "x".repeat(256), true],
  ])("%s", (_, text, expected) => {
    const pool = new StringPool();
    const first = pool.seen(text);
    expect([first, pool.seen(text) === text]).toEqual([undefined, expected]);
  });

  test("never gives another string than the one asked for", () => {
    const pool = new StringPool();
    for (let i = 0; i < 50_000; i++) {
      const text = `2026-01-02T03:04:05Z-${i % 9000}`;
      const seen = pool.seen(text);
      if (seen !== undefined) expect(seen).toBe(text);
    }
  });

  test("keeps repeated strings through a stream of others", () => {
    const pool = new StringPool();
    const repeated = Array.from({ length: 50 }, (_, at) => `registry.example.com/team/web:${at}.2.3`);
    let known = 0;
    for (let i = 0; i < 100; i++) {
      for (let j = 0; j < 20; j++) pool.seen(`0000${i}${j}-1c2d-4e5f-8a9b-0123456789ab`);
      for (const text of repeated) if (pool.seen(text) !== undefined) known++;
    }
    expect(known).toBeGreaterThan(0.9 * 50 * 99);
  });
});

describe("an object that is decoded when it is looked at", async () => {
  const protobuf = await loadProtobuf();
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", managedFields: [{ manager: "kubelet", fieldsV1: { "f:status": {} } }] },
    spec: { containers: [{ name: "main", resources: {} }] },
    status: { phase: "Running" },
  };
  const bytes = protobuf.encodeRaw(pod);
  const message = "k8s.io.api.core.v1.Pod";
  const decoded = () => protobuf.decodeLazily(bytes, message, pod);
  const stripped = { ...protobuf.decodeMessage(bytes, message, pod), metadata: { name: "web" } };

  test("loses its managedFields without being decoded", () => {
    const object = decoded();
    const before = deferredBytes(object);
    const result = stripManagedFields<object>()(object);
    const after = deferredBytes(result);
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThan(before);
    expect(result).toEqual(stripped);
  });

  test("loses them when it is frozen, too", () => {
    const object = decoded();
    Object.freeze(object["metadata"]);
    expect(stripManagedFields<object>()(object)).toEqual(stripped);
    expect(object).toEqual({ ...stripped, metadata: pod.metadata });
  });

  test("may have none", () => {
    const object = stripManagedFields<object>()(decoded());
    expect(stripManagedFields<object>()(object)).toEqual(stripped);
  });
});
