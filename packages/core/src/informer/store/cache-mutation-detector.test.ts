import { describe, expect, test } from "vitest";
import { loadProtobuf, objectKeyOf } from "../../api/index.ts";
import { type Clock, FakeClock } from "../../base/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import {
  CacheMutationDetector,
  type CacheMutationError,
  isMutationDetectionOn,
  newCacheMutationDetector,
  noMutationDetector,
} from "./cache-mutation-detector.ts";
import { pod } from "./objects.fixture.ts";

type Mutable = { metadata: { labels: Record<string, string> } };
const labelled = (name = "anything") => pod(name, { namespace: "shop", labels: { check: "foo" } });
const change = (object: unknown, label = "change") => {
  (object as Mutable).metadata.labels[label] = "true";
};

/** The clock as an object whose parts can be replaced, labelled or not. */
function clockOf(clock: FakeClock): Clock {
  const parts: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (...given) => clock.after(...given),
    sleep: (...given) => clock.sleep(...given),
    yield: () => clock.yield(),
    hold: (name) => clock.hold(name),
    labelled() {
      return this;
    },
  };
  return parts;
}

/** A detector that runs, and what it has found. */
async function watching() {
  const clock = new FakeClock();
  const found: CacheMutationError[] = [];
  const stop = new AbortController();
  const detector = new CacheMutationDetector("pods", { clock, onMutation: (error) => found.push(error) });
  const running = detector.run(stop.signal);
  await clock.settle();
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, detector, found, end };
}

describe("a mutation detector", () => {
  test("finds an object that somebody changed, within a second, and says what and where", async () => {
    const { clock, detector, found, end } = await watching();
    const object = labelled();
    detector.addObject(object);
    await clock.advance(5000);
    const before = found.length;
    change(object);
    await clock.advance(1000);
    expect([before, found.length]).toEqual([0, 1]);
    expect(found[0]).toMatchObject({
      name: "CacheMutationError",
      reason: "CacheMutated",
      cache: "pods",
      key: "shop/anything",
      message: 'object shop/anything of cache pods was altered\nmetadata.labels.change: was absent, is "true"',
      differences: [{ path: "metadata.labels.change", was: undefined, is: "true" }],
    });
    await end();
  });

  test("tells of a change once, and goes on with the others", async () => {
    const { clock, detector, found, end } = await watching();
    const [first, second] = [labelled("first"), labelled("second")];
    detector.addObject(first);
    detector.addObject(second);
    change(first);
    await clock.advance(3000);
    change(second);
    await clock.advance(3000);
    expect(found.map(({ key }) => key)).toEqual(["shop/first", "shop/second"]);
    await end();
  });

  test("says nothing while nobody changes anything", async () => {
    const { clock, detector, found, end } = await watching();
    for (let i = 0; i < 250; i++) detector.addObject(labelled(`pod-${i}`));
    await clock.advance(10_000);
    expect([found, detector.size]).toEqual([[], 250]);
    await end();
  });

  test("looks after an object for two minutes", async () => {
    const { clock, detector, found, end } = await watching();
    const object = labelled();
    detector.addObject(object);
    await clock.advance(120_000);
    const before = detector.size;
    await clock.advance(1000);
    change(object);
    await clock.advance(1000);
    expect([before, detector.size, found]).toEqual([1, 0, []]);
    await end();
  });

  test("lets others have a turn while it compares many, and loses none that come meanwhile", async () => {
    const clock = new FakeClock();
    const found: string[] = [];
    const turns: number[] = [];
    const late = labelled("late");
    const detector = new CacheMutationDetector("pods", {
      onMutation: ({ key }) => found.push(key),
      clock: {
        ...clockOf(clock),
        yield: async () => {
          turns.push(detector.size);
          if (turns.length === 1) detector.addObject(late);
        },
      },
    });
    for (let i = 0; i < 250; i++) detector.addObject(labelled(`pod-${i}`));
    const stop = new AbortController();
    const running = detector.run(stop.signal);
    await clock.settle();
    expect([turns, detector.size]).toEqual([[250, 251], 251]);
    change(late);
    await clock.advance(1000);
    expect([found, detector.size]).toEqual([["shop/late"], 250]);
    stop.abort();
    await running;
  });

  test("looks once more when it ends: many a test is shorter than a second", async () => {
    const { detector, found, end } = await watching();
    const object = labelled();
    detector.addObject(object);
    change(object);
    await end();
    expect(found).toHaveLength(1);
  });

  test("fails its run when nobody else wants to hear of it", async () => {
    const clock = new FakeClock();
    const detector = new CacheMutationDetector("pods", { clock });
    const object = labelled();
    detector.addObject(object);
    change(object);
    await expect(detector.run(new AbortController().signal)).rejects.toThrow("object shop/anything of cache pods");
  });

  test("names an object by its name before the change", async () => {
    const { detector, found, end } = await watching();
    const object = labelled();
    detector.addObject(object);
    (object as { metadata: { name?: string } }).metadata.name = "other";
    const nameless = { some: "thing" };
    detector.addObject(nameless);
    nameless.some = "other";
    await end();
    expect(found.map(({ key }) => key)).toEqual(["shop/anything", "without a name"]);
  });

  test("does not look after tombstones and what is no object", () => {
    const detector = new CacheMutationDetector("pods", { clock: new FakeClock() });
    for (const each of [new DeletedFinalStateUnknown(objectKeyOf("", "a"), labelled()), "text", undefined, null])
      detector.addObject(each);
    expect(detector.size).toBe(0);
  });
});

describe("KUBE_CACHE_MUTATION_DETECTOR", () => {
  test.each([
    ["true", true],
    ["1", true],
    ["T", true],
    ["false", false],
    ["0", false],
    ["yes", false],
    ["", false],
    [undefined, false],
  ])("%j switches it on: %s", (text, expected) => {
    const env = { KUBE_CACHE_MUTATION_DETECTOR: text };
    expect(isMutationDetectionOn(env)).toBe(expected);
    const detector = newCacheMutationDetector("pods", { clock: new FakeClock(), env });
    expect(detector instanceof CacheMutationDetector).toBe(expected);
  });

  test("switched off, there is nothing to run or to keep", async () => {
    noMutationDetector.addObject(labelled());
    await noMutationDetector.run(new AbortController().signal);
    expect(newCacheMutationDetector("pods", { clock: new FakeClock(), env: {} })).toBe(noMutationDetector);
  });
});

test("an object that is decoded when it is looked at is watched like others", async () => {
  const protobuf = await loadProtobuf();
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop" },
    status: { phase: "Pending" },
  };
  const object = protobuf.decodeLazily(protobuf.encodeRaw(pod), "k8s.io.api.core.v1.Pod", pod);
  const { clock, detector, found, end } = await watching();
  detector.addObject(object);
  await clock.advance(2000);
  expect(found).toEqual([]);
  (object["status"] as { phase: string }).phase = "Running";
  await clock.advance(2000);
  expect(found.map(({ differences }) => differences)).toEqual([
    [{ path: "status.phase", was: "Pending", is: "Running" }],
  ]);
  await end();
});

test("an object that is malformed is not watched, because it cannot be copied", async () => {
  const protobuf = await loadProtobuf();
  const pod = { apiVersion: "v1", kind: "Pod" };
  const object = protobuf.decodeLazily(Uint8Array.of(0x12, 2, 0x08, 1), "k8s.io.api.core.v1.Pod", pod);
  const { detector, end } = await watching();
  detector.addObject(object);
  expect(detector.size).toBe(0);
  await end();
});
