import { expect, test } from "vitest";
import { type corev1, isResourceExpired } from "../api/index.ts";
import { FakeClock } from "../base/index.ts";
import { FakeControllerSource } from "./fake-controller-source.ts";

const never = new AbortController().signal;
const pod = (name: string): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name },
  spec: { containers: [] },
});

async function listed(source: FakeControllerSource<corev1.Pod>): Promise<string> {
  const answer = source.list({ resourceVersion: "0", pageSize: 0, onRestart: () => {} }, never);
  const names: string[] = [];
  for await (const { metadata } of answer) names.push(`${metadata.name}@${metadata.resourceVersion}`);
  return `${names.join(" ")} as of ${answer.resourceVersion}`;
}

function follow(source: FakeControllerSource<corev1.Pod>, resourceVersion: string) {
  const stop = new AbortController();
  const heard: string[] = [];
  const reading = (async () => {
    const watch = source.watch({ resourceVersion, sendInitialEvents: false, timeoutSeconds: 300 }, stop.signal);
    for await (const { type, object } of watch) {
      if (type !== "ERROR") heard.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
    }
  })();
  const ended = reading.then(
    () => "ended",
    (error: unknown) => error,
  );
  return { heard, ended, stop: () => stop.abort("enough") };
}

test("lists what is there, with the version of the last change", async () => {
  const source = new FakeControllerSource<corev1.Pod>();
  expect(await listed(source)).toBe(" as of 0");
  source.add(pod("a"));
  source.add(pod("b"));
  source.modify(pod("a"));
  source.delete(pod("b"));
  expect(await listed(source)).toBe("a@3 as of 4");
});

test("a watch hears what happened since and what happens, each once", async () => {
  const clock = new FakeClock();
  const source = new FakeControllerSource<corev1.Pod>();
  source.add(pod("a"));
  source.add(pod("b"));
  const watch = follow(source, "1");
  await clock.settle();
  source.modify(pod("a"));
  source.delete(pod("b"));
  await clock.settle();
  expect(watch.heard).toEqual(["ADDED b@2", "MODIFIED a@3", "DELETED b@4"]);
  expect(source.openWatches).toBe(1);
  watch.stop();
  expect(await watch.ended).toBe("enough");
  expect(source.openWatches).toBe(0);
});

test("a dropped change is in the list and in later watches, but in no open one", async () => {
  const clock = new FakeClock();
  const source = new FakeControllerSource<corev1.Pod>();
  const open = follow(source, "0");
  await clock.settle();
  source.addDropWatch(pod("a"));
  source.addDropWatch(pod("b"));
  source.modifyDropWatch(pod("a"));
  source.deleteDropWatch(pod("b"));
  await clock.settle();
  expect(open.heard).toEqual([]);
  expect(await listed(source)).toBe("a@3 as of 4");
  const later = follow(source, "2");
  await clock.settle();
  expect(later.heard).toEqual(["MODIFIED a@3", "DELETED b@4"]);
});

for (const [keepHistory, expected] of [
  [false, "expired"],
  [true, ["ADDED b@2"]],
] as const) {
  test(`a reset ends all watches; with history ${keepHistory ? "kept" : "dropped"}, who comes back gets ${expected}`, async () => {
    const clock = new FakeClock();
    const source = new FakeControllerSource<corev1.Pod>();
    source.add(pod("a"));
    const watch = follow(source, "1");
    await clock.settle();
    source.addDropWatch(pod("b"));
    source.resetWatch({ keepHistory });
    expect(await watch.ended).toBe("ended");
    const again = follow(source, "1");
    await clock.settle();
    expect(keepHistory ? again.heard : isResourceExpired(await again.ended) && "expired").toEqual(expected);
  });
}

test("a list fails as it is told to", async () => {
  const source = new FakeControllerSource<corev1.Pod>();
  source.listError = new Error("boom");
  await expect(listed(source)).rejects.toThrow("boom");
});

test("after a shutdown watches have ended and nothing is answered", async () => {
  const clock = new FakeClock();
  const source = new FakeControllerSource<corev1.Pod>();
  const watch = follow(source, "0");
  await clock.settle();
  source.shutdown();
  expect(await watch.ended).toBe("ended");
  await expect(listed(source)).rejects.toThrow("shut down");
  expect(() => source.add(pod("a"))).toThrow("shut down");
});

test("hands out frozen copies", () => {
  const source = new FakeControllerSource<corev1.Pod>();
  const mine = pod("a");
  const stored = source.add(mine);
  expect([Object.isFrozen(stored.metadata), Object.isFrozen(mine.metadata)]).toEqual([true, false]);
});

test("says that it cannot stream a list", () => {
  expect(new FakeControllerSource<corev1.Pod>().canWatchList).toBe(false);
});
