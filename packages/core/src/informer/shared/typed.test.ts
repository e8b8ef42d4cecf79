import { describe, expect, expectTypeOf, test } from "vitest";
import type { Pod } from "../../api/generated/types/core/v1.ts";
import type { KubernetesObject } from "../../api/index.ts";
import { FakeClock, seededRandom } from "../../base/index.ts";
import { filteringHandler, resourceEventHandlerFuncs } from "../handler/handler-funcs.ts";
import type { EventDetails, ResourceEventHandler } from "../handler/handlers.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import type { Indexers, ReadonlyIndexer } from "../store/store.ts";
import { type Deleted, type DeletedFinalStateUnknown, isFinalStateUnknown, lastStateOf } from "../tombstone.ts";
import { PodSource } from "./pod-source.fixture.ts";
import { SharedIndexInformer } from "./shared-index-informer.ts";

const podSource = () => {
  const source = new PodSource();
  return { source, typed: source as unknown as ListerWatcher<Pod> };
};

async function withRunningInformer(work: (informer: SharedIndexInformer<Pod>) => void | Promise<void>) {
  const clock = new FakeClock();
  const { source, typed } = podSource();
  source.put("a", { app: "web" });
  const informer = new SharedIndexInformer(typed, { clock, random: seededRandom(1) });
  const stopping = new AbortController();
  const running = informer.run(stopping.signal);
  await informer.whenSynced(stopping.signal);
  await work(informer);
  await clock.settle();
  stopping.abort();
  await running;
}

describe("the type of a resource's objects", () => {
  test("is what functions of a handler get", () => {
    const handler = resourceEventHandlerFuncs<Pod>({
      addFunc: (pod) => void expectTypeOf(pod).toEqualTypeOf<Pod>(),
      updateFunc: (before, after) => {
        expectTypeOf(before).toEqualTypeOf<Pod>();
        expectTypeOf(after).toEqualTypeOf<Pod>();
      },
      deleteFunc: (gone) => void expectTypeOf(gone).toEqualTypeOf<Deleted<Pod>>(),
    });
    expectTypeOf(handler).toEqualTypeOf<ResourceEventHandler<Pod>>();
    expect(Object.keys(handler)).toEqual(["onAdd", "onUpdate", "onDelete"]);
  });

  test("comes with details that say why", () => {
    const handler: ResourceEventHandler<Pod> = {
      onAdd: (_pod, details) => void expectTypeOf(details).toEqualTypeOf<EventDetails>(),
    };
    expectTypeOf<EventDetails["cause"]>().toEqualTypeOf<"initial" | "change" | "relist" | "resync">();
    expect(handler.onAdd).toBeDefined();
  });

  test("is what a filter sees, of tombstones too", () => {
    const handler = filteringHandler<Pod>({
      filter: (pod) => {
        expectTypeOf(pod).toEqualTypeOf<Pod>();
        return pod.spec?.nodeName !== undefined;
      },
      handler: {},
    });
    expectTypeOf(handler).toExtend<ResourceEventHandler<Pod>>();
    expect(handler.onDelete).toBeDefined();
  });

  test("is not asked for by a handler of any kind of object", () => {
    const anyKind: ResourceEventHandler<KubernetesObject> = {
      onAdd: (object) => void expectTypeOf(object).toEqualTypeOf<KubernetesObject>(),
    };
    expectTypeOf(anyKind).toExtend<ResourceEventHandler<Pod>>();
    expect(new SharedIndexInformer(podSource().typed).addEventHandler(anyKind).name).toBe("anonymous");
  });

  test("narrows what was deleted to an object or a tombstone", () => {
    const sortOut = (gone: Deleted<Pod>) => {
      if (isFinalStateUnknown(gone)) expectTypeOf(gone).toEqualTypeOf<DeletedFinalStateUnknown<Pod>>();
      expectTypeOf(lastStateOf(gone)).toEqualTypeOf<Pod | undefined>();
      return lastStateOf(gone);
    };
    const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] } };
    expect(sortOut(pod)).toBe(pod);
  });

  test("is what an informer's handlers hear of", async () => {
    const nodes: (string | undefined)[] = [];
    await withRunningInformer((informer) => {
      informer.addEventHandler({
        onAdd: (pod) => {
          expectTypeOf(pod).toEqualTypeOf<Pod>();
          nodes.push(pod.spec?.nodeName ?? "not placed");
        },
      });
    });
    expect(nodes).toEqual(["not placed"]);
  });

  test("is what an informer's index functions get", async () => {
    await withRunningInformer((informer) => {
      informer.addIndexers({
        node: (pod) => {
          expectTypeOf(pod).toEqualTypeOf<Pod>();
          return [pod.spec?.nodeName ?? ""];
        },
      });
      expect(informer.getIndexer().indexKeys("node", "")).toEqual(["shop/a"]);
    });
  });

  test("is what an informer's indexer gives", async () => {
    await withRunningInformer((informer) => {
      const indexer = informer.getIndexer();
      expectTypeOf(indexer).toEqualTypeOf<ReadonlyIndexer<Pod>>();
      expectTypeOf(indexer.list()).toEqualTypeOf<Pod[]>();
      expectTypeOf(indexer.getByKey("shop/a")).toEqualTypeOf<Pod | undefined>();
      expectTypeOf(indexer.byIndex).returns.toEqualTypeOf<readonly Pod[]>();
      expect(indexer.getByKey("shop/a")?.spec).toBeUndefined();
    });
  });

  test("is not asked for by index functions for any kind of object", async () => {
    const byApp: Indexers<KubernetesObject> = { app: ({ metadata }) => [metadata.labels?.["app"] ?? ""] };
    expectTypeOf(byApp).toExtend<Indexers<Pod>>();
    await withRunningInformer((informer) => {
      informer.addIndexers(byApp);
      expect(informer.getIndexer().indexKeys("app", "web")).toEqual(["shop/a"]);
    });
  });
});
