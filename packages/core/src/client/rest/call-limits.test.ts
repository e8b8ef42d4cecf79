import { describe, expect, test } from "vitest";
import { configMaps, deployments, namespaces, pods } from "../../api/generated/resources.ts";
import { type appsv1, type corev1, defineResource, type KubernetesObject } from "../../api/index.ts";
import { FakeClock, KubeloopError } from "../../base/index.ts";
import { ResourceClient } from "./resource-client.ts";
import { failureOf, ScriptedServer } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: { containers: [] },
} as const satisfies corev1.Pod;
const deployment: appsv1.Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { selector: {}, template: { spec: { containers: [] } } },
};
const widgets = defineResource<KubernetesObject>({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: false,
});
const everywhere = (server: ScriptedServer) => new ResourceClient<corev1.Pod>(pods, server.context());
const inShop = (server: ScriptedServer) => everywhere(server).in("shop");

describe("what cannot be a place is refused before anything is sent", () => {
  const client = everywhere;
  const typed = (server: ScriptedServer) => new ResourceClient<appsv1.Deployment>(deployments, server.context());
  for (const [name, call, complaint] of [
    [
      "a namespaced object without a namespace",
      (s: ScriptedServer) => client(s).get("web", signal),
      /a namespace must/,
    ],
    ["a create without one", (s: ScriptedServer) => typed(s).create(deployment, signal), /namespace/],
    [
      "a deletion of objects everywhere",
      (s: ScriptedServer) => client(s).deleteCollection({}, signal),
      /a namespace must/,
    ],
    [
      "an empty namespace",
      (s: ScriptedServer) => client(s).in("").get("web", signal),
      /namespace "" must not be empty/,
    ],
    ["an empty name", (s: ScriptedServer) => inShop(s).get("", signal), /name "" must not be empty/],
    ["a name that leads up", (s: ScriptedServer) => inShop(s).delete("..", signal), /name "\.\." may not be '\.\.'/],
    ["a name that leads down", (s: ScriptedServer) => inShop(s).get("web/status", signal), /may not contain '\/'/],
    ["a name that is escaped already", (s: ScriptedServer) => inShop(s).get("a%2Fb", signal), /may not contain '%'/],
    [
      "a namespace that leads elsewhere",
      (s: ScriptedServer) => client(s).in("a/b").list(signal).toArray(),
      /namespace/,
    ],
    [
      "a watch in such a namespace",
      (s: ScriptedServer) => client(s).in("..").watch(signal).batches().next(),
      /namespace/,
    ],
    ["a subresource of no name", (s: ScriptedServer) => inShop(s).subresource("").get("web", signal), /subresource/],
    [
      "a namespace for what has none",
      (s: ScriptedServer) => new ResourceClient(namespaces, s.context()).in("a").get("b", signal),
      /not namespaced/,
    ],
    [
      "an object of another namespace",
      (s: ScriptedServer) => client(s).in("other").create(pod, signal),
      /in namespace "shop", this client in "other"/,
    ],
    [
      "an update without a name",
      (s: ScriptedServer) => inShop(s).update({ ...pod, metadata: {} }, signal),
      /metadata.name/,
    ],
  ] as const) {
    test(name, async () => {
      const server = new ScriptedServer("values", () => ({ json: pod }));
      const failure = await failureOf(async () => await call(server));
      expect(failure).toBeInstanceOf(KubeloopError);
      expect(failure).toMatchObject({
        reason: "BadRequest",
        retry: "never",
        message: expect.stringMatching(complaint),
      });
      expect(server.requests).toEqual([]);
    });
  }

  test("a name of unusual letters is escaped", async () => {
    const server = new ScriptedServer("values", () => ({ json: pod }));
    await new ResourceClient(widgets, server.context()).get("system:a b?", signal);
    expect(server.lines).toEqual(["GET /apis/example.com/v1/widgets/system%3Aa%20b%3F"]);
  });
});

describe("an aborted call rejects with the signal's reason and leaves nothing open", () => {
  const client = (server: ScriptedServer) => new ResourceClient<corev1.ConfigMap>(configMaps, server.context()).in("a");
  const calls = [
    ["get", (s: ScriptedServer, signal: AbortSignal) => client(s).get("b", signal)],
    ["list", (s: ScriptedServer, signal: AbortSignal) => client(s).list(signal).toArray()],
    ["deleteCollection", (s: ScriptedServer, signal: AbortSignal) => client(s).deleteCollection({}, signal)],
    ["table", (s: ScriptedServer, signal: AbortSignal) => client(s).table(signal)],
    [
      "watch",
      async (s: ScriptedServer, signal: AbortSignal) => {
        for await (const _ of client(s).watch(signal));
      },
    ],
  ] as const;
  const reason = new Error("enough");
  for (const [name, call] of calls) {
    test(`${name}, before it is sent`, async () => {
      const server = new ScriptedServer("bytes", () => ({ json: pod }));
      expect(await failureOf(() => call(server, AbortSignal.abort(reason)))).toBe(reason);
      expect(server.requests).toEqual([]);
    });

    for (const status of [200, 503]) {
      test(`${name}, while the body of a ${status} comes`, async () => {
        const server = new ScriptedServer("bytes", () => ({ status, text: '{"kind":', ending: "silence" }));
        const controller = new AbortController();
        const calling = failureOf(() => call(server, controller.signal));
        await new FakeClock().yield();
        expect(server.open).toBe(1);
        controller.abort(reason);
        expect([await calling, server.open]).toEqual([reason, 0]);
      });
    }
  }
});
