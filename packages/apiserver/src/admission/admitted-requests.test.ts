// Which requests pass through admission, and as what.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";
import { MemoryStorage } from "../storage/index.ts";
import type { AdmissionAttributes } from "./attributes.ts";
import { AdmissionChain } from "./chain.ts";

const shop = "/api/v1/namespaces/default";
const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = {
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod.spec } },
};

let server: ApiServer;
let storage: MemoryStorage;
const admitted: string[] = [];
const validated: string[] = [];
const print = ({ operation, kind, resource, subresource, name, object, oldObject }: AdmissionAttributes) => {
  const what = subresource === "" ? resource.resource : `${resource.resource}/${subresource}`;
  const objects = `${object === undefined ? "" : " new"}${oldObject === undefined ? "" : " old"}`;
  return `${operation} ${what} ${kind.kind} "${name}"${objects}`;
};

beforeEach(async () => {
  storage = new MemoryStorage();
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1), storage });
  await ask(server, `${shop}/pods`, { method: "POST", value: pod });
  await ask(server, "/apis/apps/v1/namespaces/default/deployments", { method: "POST", value: deployment });
  await ask(server, `${shop}/configmaps`, {
    method: "POST",
    value: { metadata: { name: "m", finalizers: ["a.b/c"] } },
  });
  admitted.length = 0;
  validated.length = 0;
  const { admit, validate } = AdmissionChain.prototype;
  vi.spyOn(AdmissionChain.prototype, "admit").mockImplementation(async function (this: AdmissionChain, attributes) {
    admitted.push(print(attributes));
    await admit.call(this, attributes);
  });
  vi.spyOn(AdmissionChain.prototype, "validate").mockImplementation(async function (this: AdmissionChain, attributes) {
    validated.push(print(attributes));
    await validate.call(this, attributes);
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server[Symbol.asyncDispose]();
});

const merge = "application/merge-patch+json";

test.each([
  ["POST", `${shop}/configmaps`, { metadata: { name: "x" } }, 'CREATE configmaps ConfigMap "x" new'],
  ["PUT", `${shop}/configmaps/m`, { metadata: { name: "m" } }, 'UPDATE configmaps ConfigMap "m" new old'],
  ["PATCH", `${shop}/configmaps/m`, { data: { a: "b" } }, 'UPDATE configmaps ConfigMap "m" new old'],
  ["PATCH", `${shop}/pods/a/status`, { status: { phase: "Running" } }, 'UPDATE pods/status Pod "a" new old'],
  ["DELETE", `${shop}/pods/a`, undefined, 'DELETE pods Pod "a" old'],
  ["DELETE", `${shop}/configmaps/m`, undefined, 'DELETE configmaps ConfigMap "m" old'],
  ["DELETE", `${shop}/pods`, undefined, 'DELETE pods Pod "" old'],
  [
    "POST",
    `${shop}/pods/a/binding`,
    { metadata: { name: "a" }, target: { name: "n" } },
    'CREATE pods/binding Binding "a" new',
  ],
  ["POST", `${shop}/pods/a/eviction`, { metadata: { name: "a" } }, 'CREATE pods/eviction Eviction "a" new'],
  ["POST", `${shop}/serviceaccounts/default/token`, {}, 'CREATE serviceaccounts/token TokenRequest "default" new'],
  ["POST", `${shop}/pods/a/exec`, undefined, 'CONNECT pods/exec PodExecOptions "a" new'],
  ["GET", `${shop}/pods/a/attach`, undefined, 'CONNECT pods/attach PodAttachOptions "a" new'],
  ["POST", `${shop}/pods/a/portforward`, undefined, 'CONNECT pods/portforward PodPortForwardOptions "a" new'],
  ["GET", `${shop}/pods/a/proxy/x`, undefined, 'CONNECT pods/proxy PodProxyOptions "a" new'],
  ["DELETE", `${shop}/services/s/proxy`, undefined, 'CONNECT services/proxy ServiceProxyOptions "s" new'],
  ["PUT", "/api/v1/nodes/n/proxy/x", undefined, 'CONNECT nodes/proxy NodeProxyOptions "n" new'],
  [
    "PATCH",
    "/apis/apps/v1/namespaces/default/deployments/d/scale",
    { spec: { replicas: 3 } },
    'UPDATE deployments/scale Scale "d" new old',
  ],
  [
    "POST",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    {},
    'CREATE selfsubjectreviews SelfSubjectReview "" new',
  ],
])("%s %s", async (method, path, value, expected) => {
  const body = value === undefined ? {} : { value };
  await ask(server, path, { method, ...body, ...(method === "PATCH" ? { type: merge } : {}) });
  expect(admitted).toEqual([expected]);
  expect(validated).toEqual([expected]);
});

test.each([`${shop}/pods/a`, `${shop}/pods`, `${shop}/pods/a/log`])("reading %s does not", async (path) => {
  await ask(server, path);
  expect(admitted).toEqual([]);
});

test("a name that the server makes up is known to those who validate", async () => {
  await ask(server, `${shop}/configmaps`, { method: "POST", value: { metadata: { generateName: "x-" } } });
  expect(admitted).toEqual(['CREATE configmaps ConfigMap "" new']);
  expect(validated[0]).toMatch(/^CREATE configmaps ConfigMap "x-\w{5}" new$/);
});

test("a conflict over something else than the object does not validate it again; a change of the object does", async () => {
  await ask(server, `${shop}/services`, {
    method: "POST",
    value: { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } },
  });
  admitted.length = 0;
  validated.length = 0;
  const { write } = storage;
  let conflicts: "elsewhere" | "own" | "none" = "elsewhere";
  vi.spyOn(storage, "write").mockImplementation(async (writes) => {
    const [own] = writes;
    if (conflicts === "none" || own === undefined) return await write.call(storage, writes);
    const isOwn = conflicts === "own";
    conflicts = "none";
    const storageKey = isOwn ? own : { collection: "elsewhere", key: "x" };
    const current = await storage.get(own);
    if (isOwn && current !== undefined) {
      const { metadata, ...rest } = current;
      const touched = { ...rest, metadata: { ...metadata, labels: { touched: "yes" } } };
      await write.call(storage, [{ ...own, object: touched }]);
    }
    return { kind: "conflict", storageKey, current };
  });
  const annotate = (value: string) =>
    ask(server, `${shop}/services/s`, {
      method: "PATCH",
      type: merge,
      value: { metadata: { annotations: { value } } },
    });
  expect((await annotate("1")).code).toBe(200);
  expect(validated).toHaveLength(1);
  conflicts = "own";
  expect((await annotate("2")).object).toMatchObject({ metadata: { labels: { touched: "yes" } } });
  expect(validated).toHaveLength(3);
});
