import { describe, expect, test } from "vitest";
import { configMaps, deployments } from "../api/generated/resources.ts";
import {
  addFinalizer,
  type appsv1,
  type corev1,
  defineResource,
  type KubernetesObject,
  removeFinalizer,
} from "../api/index.ts";
import { editObject, editStatus, editSubresource } from "./edits.ts";
import { isTerminal, TerminalError } from "./terminal-error.ts";

const map: corev1.ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name: "a", uid: "u", resourceVersion: "7", labels: { app: "web" } },
  data: { color: "red", size: "1" },
};
const deployment: appsv1.Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "shop", name: "web", uid: "u", resourceVersion: "7", generation: 3 },
  spec: {
    replicas: 1,
    selector: {},
    template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] } },
  },
  status: { replicas: 1 },
};
interface Foo extends KubernetesObject {
  readonly spec?: { readonly size?: number };
  readonly status?: { readonly size?: number };
}
const plainFoos = defineResource<Foo>({ group: "x.io", version: "v1", kind: "Foo", plural: "foos" });
const foo: Foo = { apiVersion: "x.io/v1", kind: "Foo", metadata: { name: "f", uid: "u", resourceVersion: "7" } };
const held = { ...map, metadata: { ...map.metadata, finalizers: ["a"] } };

const patched = (action: ReturnType<typeof editObject>) =>
  action?.type === "edit" ? { body: action.patch, on: action.subresource ?? "", isLocked: action.isLocked } : action;

describe("editing objects", () => {
  const withCpu = (cpu: string): appsv1.Deployment => ({
    ...deployment,
    spec: {
      ...deployment.spec,
      selector: {},
      template: { spec: { containers: [{ name: "c", resources: { limits: { cpu } } }] } },
    },
  });
  for (const [fact, action, expected] of [
    ["the same object needs no action", editObject(configMaps, map, map), undefined],
    ["an equal one neither", editObject(configMaps, map, structuredClone(map)), undefined],
    ["what only looks different neither", editObject(deployments, deployment, withCpu("1000m")), undefined],
    [
      "only what differs is written, if nobody has changed it since",
      editObject(configMaps, map, { ...map, data: { color: "blue" } }),
      { body: { data: { color: "blue", size: null } }, on: "", isLocked: true },
    ],
    [
      "a list is written whole",
      editObject(deployments, deployment, withCpu("2")),
      {
        body: { spec: { template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: "2" } } }] } } } },
        on: "",
        isLocked: true,
      },
    ],
    [
      "without a look at what others did, where that is asked for",
      editObject(configMaps, map, { ...map, data: { ...map.data, color: "blue" } }, { isLocked: false }),
      { body: { data: { color: "blue" } }, on: "", isLocked: false },
    ],
    [
      "metadata built anew takes nothing from the server",
      editObject(configMaps, map, { ...map, metadata: { namespace: "shop", name: "a", labels: { app: "db" } } }),
      { body: { metadata: { labels: { app: "db" } } }, on: "", isLocked: true },
    ],
    [
      "a made-up resourceVersion is not written",
      editObject(configMaps, map, { ...map, metadata: { ...map.metadata, resourceVersion: "1", generation: 9 } }),
      undefined,
    ],
    [
      "a status is left alone where it is a subresource",
      editObject(deployments, deployment, { ...deployment, status: { replicas: 9 } }),
      undefined,
    ],
    [
      "and written where it is not",
      editObject(plainFoos, foo, { ...foo, status: { size: 1 } }),
      { body: { status: { size: 1 } }, on: "", isLocked: true },
    ],
    [
      "an edit of the status writes nothing else",
      editStatus(deployments, deployment, { ...withCpu("2"), status: { replicas: 2 } }),
      { body: { status: { replicas: 2 } }, on: "status", isLocked: true },
    ],
    [
      "annotations are written with the status where that is asked for, and nothing else is",
      editStatus(
        deployments,
        deployment,
        { ...deployment, metadata: { ...deployment.metadata, annotations: { a: "b" }, labels: { c: "d" } } },
        { includesAnnotations: true },
      ),
      { body: { metadata: { annotations: { a: "b" } } }, on: "status", isLocked: true },
    ],
    [
      "annotations that are so already need no action",
      editStatus(deployments, deployment, structuredClone(deployment), { includesAnnotations: true }),
      undefined,
    ],
    ["a status that is so already needs no action", editStatus(deployments, deployment, withCpu("2")), undefined],
    [
      "a status of a kind without the subresource goes to the object",
      editStatus(plainFoos, foo, { ...foo, spec: { size: 3 }, status: { size: 1 } }),
      { body: { status: { size: 1 } }, on: "", isLocked: true },
    ],
    [
      "a finalizer is put at the end",
      editObject(configMaps, held, addFinalizer(held, "b")),
      { body: { metadata: { finalizers: ["a", "b"] } }, on: "", isLocked: true },
    ],
    ["a finalizer that is there is left", editObject(configMaps, held, addFinalizer(held, "a")), undefined],
    [
      "the last finalizer takes the list with it",
      editObject(configMaps, held, removeFinalizer(held, "a")),
      { body: { metadata: { finalizers: null } }, on: "", isLocked: true },
    ],
  ] as const) {
    test(fact, () => expect(patched(action)).toEqual(expected));
  }

  test("an object keeps its name", () =>
    expect(() => editObject(configMaps, map, { ...map, metadata: { ...map.metadata, name: "b" } })).toThrow(
      "an edit cannot change the name of an object: shop/a to shop/b",
    ));
});

describe("a terminal error", () => {
  const ring = new Error("ring");
  ring.cause = ring;
  for (const [fact, error, expected] of [
    ["is one", new TerminalError("no"), true],
    ["is one as a cause", new Error("outer", { cause: new TerminalError("no") }), true],
    ["is nothing else", new Error("no"), false],
    ["is not looked for in rings for ever", ring, false],
    ["is not what is no error", "no", false],
  ] as const) {
    test(fact, () => expect(isTerminal(error)).toBe(expected));
  }
});

describe("through a subresource", () => {
  const { metadata } = deployment;
  test("all but the status and the server's own fields is written", () => {
    const after = {
      ...deployment,
      metadata: { ...metadata, generation: 9 },
      spec: { ...deployment.spec, replicas: 2 },
    };
    const edit = editSubresource(deployments, "finalize", deployment, { ...after, status: {} } as appsv1.Deployment);
    expect(patched(edit)).toEqual({ body: { spec: { replicas: 2 } }, on: "finalize", isLocked: true });
  });

  test("what does not differ is not written", () => {
    expect(editSubresource(deployments, "finalize", deployment, { ...deployment, status: {} })).toBeUndefined();
  });

  test("a name cannot be changed", () => {
    const renamed = { ...deployment, metadata: { ...metadata, name: "other" } };
    expect(() => editSubresource(deployments, "finalize", deployment, renamed)).toThrow("cannot change the name");
  });
});
