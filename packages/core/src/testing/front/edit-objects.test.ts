import { describe, expect, test } from "vitest";
import { configMaps, deployments, pods, secrets } from "../../api/generated/resources.ts";
import { type appsv1, setCondition, setControllerReference } from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { owned, verbs } from "../../contract/index.ts";
import {
  createOrPatch,
  createOrUpdate,
  type Editor,
  editorOf,
  ensureFinalizer,
  releaseFinalizer,
  writeStatus,
} from "../../runtime/index.ts";
import { GrownServer } from "../contract/grown-server.fixture.ts";
import { foos, newConfigMap, newFoo, onFoos, onStage } from "./foo.fixture.ts";

const never = new AbortController().signal;

function newDeployment(cpu: string): appsv1.Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "shop", name: "web" },
    spec: { selector: {}, template: { spec: { containers: [{ name: "c", resources: { limits: { cpu } } }] } } },
  };
}

/** Starts a server with some objects, and returns helpers that use the server directly. */
function onServer() {
  const clock = new FakeClock();
  const grown = new GrownServer({ clock, resources: [foos, configMaps, deployments, pods, secrets] });
  const { server } = grown;
  const map = server.create(configMaps, newConfigMap("a", { data: { color: "red", size: "1" } }));
  const foo = server.create(foos, newFoo("f", { spec: { replicas: 1 }, status: { note: "old" } }));
  server.create(deployments, newDeployment("1"));
  const editor = editorOf(clientOf(grown.transport, { clock }), never);
  return { grown, server, editor, map, foo };
}

type World = ReturnType<typeof onServer>;

const rows: readonly [
  fact: string,
  work: (world: World) => Promise<unknown>,
  expected: unknown,
  written: readonly string[],
][] = [
  [
    "createOrUpdate makes what is not there",
    async ({ editor }) => {
      const { result, object } = await createOrUpdate(editor, configMaps, "shop/new", (draft) => {
        draft.data = { color: "blue" };
      });
      return [result, object.metadata.name, object.data];
    },
    ["created", "new", { color: "blue" }],
    ["create configmaps shop/new"],
  ],
  [
    "createOrUpdate writes only what differs, and only over what it has seen",
    async ({ editor, grown, map }) => {
      const { result, object } = await createOrUpdate(editor, configMaps, "shop/a", (draft) => {
        draft.data = { ...draft.data, color: "blue" };
      });
      const { uid, resourceVersion } = map.metadata;
      expect(grown.written[0]?.body).toEqual({ data: { color: "blue" }, metadata: { uid, resourceVersion } });
      return [result, object.data];
    },
    ["updated", { color: "blue", size: "1" }],
    ["patch configmaps shop/a"],
  ],
  [
    "createOrUpdate takes an object built anew as well as one changed",
    async ({ editor, foo }) =>
      (
        await createOrUpdate(editor, configMaps, "shop/a", (draft) =>
          setControllerReference({ ...draft, data: {} }, foo),
        )
      ).object.metadata.ownerReferences?.length,
    1,
    ["patch configmaps shop/a"],
  ],
  [
    "createOrUpdate leaves alone what is so",
    async ({ editor }) =>
      (
        await createOrUpdate(editor, configMaps, "shop/a", (draft) => {
          draft.data = { size: "1", color: "red" };
        })
      ).result,
    "unchanged",
    [],
  ],
  [
    "createOrUpdate leaves alone what only looks different",
    async ({ editor }) =>
      (
        await createOrUpdate(editor, deployments, "shop/web", (draft) => {
          draft.spec = newDeployment("1000m").spec as never;
        })
      ).result,
    "unchanged",
    [],
  ],
  [
    "createOrUpdate does not write a status",
    async ({ editor }) =>
      (
        await createOrUpdate(editor, foos, "shop/f", (draft) => {
          draft.status = { note: "new" };
        })
      ).result,
    "unchanged",
    [],
  ],
  [
    "createOrPatch makes object and status",
    async ({ editor }) => {
      const { result, object } = await createOrPatch(editor, foos, "shop/new", (draft) => {
        draft.spec = { replicas: 2 };
        draft.status = { note: "made" };
      });
      return [result, object.spec, object.status];
    },
    ["created", { replicas: 2 }, { note: "made" }],
    ["create foos shop/new"],
  ],
  [
    "createOrPatch writes both, whoever else writes",
    async ({ editor, grown }) => {
      const { result } = await createOrPatch(editor, foos, "shop/f", (draft) => {
        draft.spec = { replicas: 2 };
        draft.status = { note: "new" };
      });
      expect(grown.written.map(({ body }) => body)).toEqual([{ spec: { replicas: 2 } }, { status: { note: "new" } }]);
      return result;
    },
    "updatedStatus",
    ["patch foos shop/f", "patch foos/status shop/f"],
  ],
  [
    "createOrPatch writes the object alone",
    async ({ editor }) =>
      (
        await createOrPatch(editor, foos, "shop/f", (draft) => {
          draft.spec = { replicas: 2 };
        })
      ).result,
    "updated",
    ["patch foos shop/f"],
  ],
  [
    "createOrPatch writes the status alone",
    async ({ editor }) =>
      (
        await createOrPatch(editor, foos, "shop/f", (draft) => {
          draft.status = { note: "new" };
        })
      ).result,
    "updatedStatusOnly",
    ["patch foos/status shop/f"],
  ],
  [
    "createOrPatch leaves alone what is so",
    async ({ editor }) => (await createOrPatch(editor, foos, "shop/f", () => undefined)).result,
    "unchanged",
    [],
  ],
  [
    "createOrPatch of a kind without a status is one write",
    async ({ editor }) =>
      (
        await createOrPatch(editor, configMaps, "shop/a", (draft) => {
          draft.data = {};
        })
      ).result,
    "updated",
    ["patch configmaps shop/a"],
  ],
  [
    "writeStatus writes a status and nothing else",
    async ({ editor, foo, server }) => {
      const { result } = await writeStatus(editor, foos, foo, (draft) => {
        draft.spec = { replicas: 99 };
        draft.status = { note: "new" };
      });
      return [result, server.get(foos, "shop/f")?.spec, server.get(foos, "shop/f")?.status];
    },
    ["updated", { replicas: 1 }, { note: "new" }],
    ["patch foos/status shop/f"],
  ],
  [
    "a condition that is so already writes nothing",
    async ({ editor, server }) => {
      const condition = { type: "Ready", status: "True", reason: "Ok", message: "" } as const;
      const conditions = setCondition(undefined, condition, 0);
      const foo = server.create(foos, newFoo("c", { status: { conditions } as never }));
      return (
        await writeStatus(editor, foos, foo, (draft) => {
          const status = draft.status as { conditions?: unknown };
          status.conditions = setCondition(conditions, condition, 5_000_000);
        })
      ).result;
    },
    "unchanged",
    [],
  ],
  [
    "a finalizer is put, once",
    async ({ editor, foo }) => {
      const first = await ensureFinalizer(editor, foos, foo, "x/y");
      const second = await ensureFinalizer(editor, foos, first, "x/y");
      return [first.metadata.finalizers, second === first];
    },
    [["x/y"], true],
    ["patch foos shop/f"],
  ],
  [
    "a finalizer is released, once, and lets the object go",
    async ({ editor, foo, server, grown }) => {
      const held = await ensureFinalizer(editor, foos, foo, "x/y");
      await editor.perform({ type: "delete", resource: foos, key: "shop/f", options: {}, tolerates: [] });
      grown.written.length = 0;
      const doomed = server.get(foos, "shop/f");
      if (doomed === undefined) throw new Error("gone too early");
      await releaseFinalizer(editor, foos, doomed, "x/y");
      await releaseFinalizer(editor, foos, foo, "x/y");
      return [held.metadata.finalizers, server.get(foos, "shop/f")];
    },
    [["x/y"], undefined],
    ["patch foos shop/f"],
  ],
  [
    "a finalizer of what is gone is released",
    async ({ editor, foo, server }) => {
      const held = await ensureFinalizer(editor, foos, foo, "x/y");
      server.delete(foos, "shop/f");
      return await releaseFinalizer(editor, foos, held, "x/y");
    },
    undefined,
    ["patch foos shop/f"],
  ],
];

describe("helpers for objects", () => {
  for (const [fact, work, expected, written] of rows) {
    test(fact, async () => {
      const world = onServer();
      expect(await work(world)).toEqual(expected);
      expect(world.grown.log).toEqual(written);
    });
  }

  for (const [fact, work, message] of [
    [
      "what somebody has changed meanwhile is not overwritten",
      async ({ server, map, editor }: World) => {
        const stale: Editor = { ...editor, read: async () => map as never };
        server.update(configMaps, { ...map, data: { theirs: "yes" } });
        await createOrUpdate(stale, configMaps, "shop/a", (draft) => {
          draft.data = { mine: "yes" };
        });
      },
      /Operation cannot be fulfilled/,
    ],
    [
      "what was made anew meanwhile is not taken for the old one",
      async ({ server, foo, editor }: World) => {
        server.delete(foos, "shop/f");
        server.create(foos, newFoo("f"));
        await ensureFinalizer(editor, foos, foo, "x/y");
      },
      /Operation cannot be fulfilled/,
    ],
    [
      "what is on its way out takes no finalizer",
      async ({ foo, editor }: World) => {
        const doomed = { ...foo, metadata: { ...foo.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
        await ensureFinalizer(editor, foos, doomed, "x/y");
      },
      /Foo shop\/f is being deleted and takes no finalizer/,
    ],
    [
      "an object to be made keeps the name it was asked for",
      async ({ editor }: World) => {
        await createOrUpdate(editor, configMaps, "shop/new", () => newConfigMap("other"));
      },
      /the change function must keep name and namespace/,
    ],
    [
      "an object that is there keeps its name",
      async ({ editor }: World) => {
        await createOrUpdate(editor, configMaps, "shop/a", () => newConfigMap("other"));
      },
      /an edit cannot change the name/,
    ],
    [
      "a second controller is refused",
      async ({ editor, foo, server }: World) => {
        const other = server.create(foos, newFoo("other"));
        server.update(configMaps, setControllerReference(newConfigMap("a"), other));
        await createOrUpdate(editor, configMaps, "shop/a", (draft) => setControllerReference(draft, foo));
      },
      /already owned by another Foo controller other/,
    ],
  ] as const) {
    test(fact, async () => {
      await expect(work(onServer())).rejects.toThrow(message);
    });
  }

  test("what the server makes into what it was, defaults filled in, is unchanged", async () => {
    const { editor, map } = onServer();
    const defaulting: Editor = { ...editor, perform: async () => map as never };
    const { result } = await createOrUpdate(defaulting, configMaps, "shop/a", (draft) => {
      draft.immutable = false;
    });
    expect(result).toBe("unchanged");
  });

  test("the copy is a copy", async () => {
    const { editor, map } = onServer();
    await createOrUpdate(editor, configMaps, "shop/a", (draft) => {
      if (draft.data !== undefined) draft.data["color"] = "blue";
    });
    expect(map.data).toEqual({ color: "red", size: "1" });
  });

  test("what a cache does not select is found when making it fails", async () => {
    const results: string[] = [];
    const controller = onFoos(
      async ({ key }, context) => {
        const { result } = await createOrUpdate(context, configMaps, key, (draft) => {
          draft.data = { color: "blue" };
        });
        results.push(result);
      },
      { owns: [owned(configMaps, { labelSelector: "app=web" })] },
    );
    await using stage = onStage(controller, {
      objects: [
        [foos, newFoo("a")],
        [configMaps, newConfigMap("a")],
      ],
    });
    await stage.clock.advance(60_000);
    expect(results).toEqual(["updated"]);
    expect(stage.get(configMaps, "shop/a")?.data).toEqual({ color: "blue" });
  });

  test("what is not cached at all is read live", async () => {
    const results: string[] = [];
    const controller = onFoos(
      async ({ key }, context) => {
        const { result } = await createOrUpdate(context, configMaps, key, (draft) => {
          draft.data = { color: "blue" };
        });
        results.push(result);
      },
      { owns: [], reads: [verbs(configMaps, "get")], writes: [verbs(configMaps, "create", "patch")] },
    );
    await using stage = onStage(controller);
    await stage.clock.advance(1000);
    stage.driver.wake("shop/a");
    await stage.clock.advance(1000);
    expect(results).toEqual(["created", "unchanged"]);
  });
});
