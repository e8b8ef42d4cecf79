import { describe, expect, test } from "vitest";
import { configMaps, secrets } from "../../api/generated/resources.ts";
import { FakeClock } from "../../base/index.ts";
import { ask, cached, create, itself, keyed, liveGet, nothing, plan, verbs } from "../../contract/index.ts";
import { createOrUpdate } from "../../runtime/index.ts";
import type { StageOptions } from "../contract/stage.fixture.ts";
import { foos, newChild, newConfigMap, newFoo, onFoos, onStage, type Reconcile } from "./foo.fixture.ts";
import { MemoryTracer } from "./memory-tracer.fixture.ts";

function traced(options: Partial<StageOptions> = {}) {
  const clock = new FakeClock();
  const tracer = new MemoryTracer(clock);
  return { tracer, options: { clock, driver: { tracer }, ...options } };
}

const makesOne: Reconcile = async ({ key }, context) => {
  const foo = context.reader.get(foos, key);
  if (foo === undefined) return;
  await context.client.resource(foos).get(key);
  await createOrUpdate(context, configMaps, key, (draft) => {
    draft.metadata.ownerReferences = newChild(foo).metadata.ownerReferences as never;
  });
};

describe("spans", () => {
  test("from the event through the queue to each request", async () => {
    const { tracer, options } = traced();
    await using stage = onStage(onFoos(makesOne), options);
    await stage.clock.advance(1000);
    const [event] = tracer.named("event foos");
    const [first] = tracer.named("reconcile foos");
    if (event === undefined || first === undefined) throw new Error("no spans");
    expect(event).toMatchObject({
      kind: 3,
      parentId: undefined,
      attributes: { "kubeloop.cause": "initial", "kubeloop.change": "add", "kubeloop.object": "shop/a" },
    });
    expect(first).toMatchObject({
      kind: 4,
      parentId: undefined,
      links: [event.id],
      attributes: { "kubeloop.controller": "foos", "kubeloop.queue": "foos", "kubeloop.key": "shop/a" },
    });
    expect(tracer.childrenOf(first)).toEqual(["queue", "ask get foos", "create configmaps"]);
    expect(tracer.spans.every(({ endMs }) => endMs !== undefined)).toBe(true);
  });

  test("a write leads to the event it causes, and that to the next look", async () => {
    const { tracer, options } = traced();
    await using stage = onStage(onFoos(makesOne), options);
    await stage.clock.advance(1000);
    const [write] = tracer.named("create configmaps");
    const [echo] = tracer.named("event configmaps");
    const [, second] = tracer.named("reconcile foos");
    expect(echo?.links).toEqual([write?.id]);
    expect(second?.links).toEqual([echo?.id]);
  });

  test("the time in the queue is that since the first wake", async () => {
    const { tracer, options } = traced();
    const controller = onFoos(async () => {}, { for: itself(foos, { afterMs: 5000 }) });
    await using stage = onStage(controller, { ...options, objects: [] });
    await stage.clock.advance(1000);
    const startMs = stage.clock.now();
    stage.server.server.create(foos, newFoo("a"));
    await stage.clock.advance(2000);
    stage.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { replicas: 1 } }));
    await stage.clock.advance(10_000);
    const [reconcile] = tracer.named("reconcile foos");
    const [queue] = tracer.named("queue");
    expect(reconcile?.links).toHaveLength(2);
    expect(queue?.startMs).toBe(startMs + 5000);
    expect(queue?.endMs).toBe(startMs + 5000);
  });

  test("a failure is marked, and leads to the next try", async () => {
    const { tracer, options } = traced();
    const controller = onFoos(async ({ failures }, { client }) => {
      if (failures === 0) await client.resource(configMaps).delete("shop/absent");
    });
    await using stage = onStage(controller, options);
    await stage.clock.advance(1000);
    const [first, second] = tracer.named("reconcile foos");
    expect(first?.error).toMatch('"absent" not found');
    expect(tracer.named("delete configmaps")[0]?.error).toMatch('"absent" not found');
    expect(second?.links).toEqual([first?.id]);
    expect(second?.error).toBeUndefined();
  });

  test("rules have the same spans, questions and actions of plans included", async () => {
    const { tracer, options } = traced();
    const controller = keyed<string>({
      name: "rules",
      primary: foos,
      watches: [cached(configMaps), cached(secrets)],
      writes: [verbs(configMaps, "create")],
      observe: (key) => key,
      decide(key, context) {
        const answer = context.answer(liveGet(configMaps, key));
        if (answer === undefined) return ask("there?", liveGet(configMaps, key));
        if (answer.ok && answer.value !== undefined) return nothing("there");
        return plan("makes one", [[create(configMaps, newConfigMap("a"))]]);
      },
    });
    await using stage = onStage(controller, options);
    await stage.clock.advance(1000);
    const [first] = tracer.named("reconcile rules");
    if (first === undefined) throw new Error("no span");
    expect(tracer.childrenOf(first)).toEqual(["queue", "ask get configmaps", "create configmaps"]);
  });

  test("of very many events the first sixteen are named", async () => {
    const { tracer, options } = traced();
    const controller = onFoos(async () => {}, { for: itself(foos, { afterMs: 60_000 }) });
    await using stage = onStage(controller, { ...options, objects: [[foos, newFoo("a")]] });
    for (let i = 0; i < 40; i++) {
      stage.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { replicas: i } }));
      await stage.clock.advance(10);
    }
    await stage.clock.advance(120_000);
    expect(tracer.named("reconcile foos")[0]?.links).toHaveLength(16);
  });
});
