import { describe, expect, test } from "vitest";
import { newServiceUnavailable } from "../../api/index.ts";
import { FakeClock, noLog } from "../../base/index.ts";
import { failureOf } from "../../client/rest/scripted-server.fixture.ts";
import type { Transform } from "../store/store.ts";
import { detectInconsistency, InconsistencyError } from "./consistency-detector.ts";
import { customListWatch, type ListedObjects } from "./custom-list-watch.ts";
import type { ListRequest } from "./lister-watcher.ts";
import { RecordingStore } from "./recording-store.fixture.ts";
import { Reflector } from "./reflector.ts";
import { added, initialEnd, type Pod, pod } from "./scripted-source.fixture.ts";

const signal = new AbortController().signal;

function sourceOf(answers: readonly (ListedObjects<Pod> | Error)[], parts = [added("a", "1"), initialEnd("2")]) {
  const asked: Omit<ListRequest, "onRestart">[] = [];
  const source = customListWatch<Pod>({
    canWatchList: true,
    list: async ({ onRestart: _, ...request }) => {
      asked.push(request);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return answer ?? { items: [], resourceVersion: "2" };
    },
    async *watch() {
      yield* parts;
      await new Promise(() => {});
    },
  });
  return { source, asked };
}

const detect = async (
  answers: readonly (ListedObjects<Pod> | Error)[],
  objects: readonly Pod[],
  resourceVersion = "2",
  transform?: Transform<Pod>,
) => {
  const { source, asked } = sourceOf(answers);
  const clock = new FakeClock();
  const work = detectInconsistency(source, { objects, resourceVersion, transform }, { clock, log: noLog }, signal);
  const error = await failureOf(() => clock.drive(work));
  return { error, asked };
};
const listed = (...items: readonly Pod[]) => ({ items, resourceVersion: "2" });

describe("a streamed list compared with a list", () => {
  test("at the very version is right where both hold the same, in whatever order", async () => {
    const { error, asked } = await detect([listed(pod("b", "2"), pod("a", "1"))], [pod("a", "1"), pod("b", "2")]);
    expect(error).toBeUndefined();
    expect(asked).toEqual([{ resourceVersion: "2", resourceVersionMatch: "Exact", pageSize: 0 }]);
  });

  test("is right where both are empty", async () => {
    expect((await detect([listed()], [])).error).toBeUndefined();
  });

  test.each([
    ["misses an object", [pod("a", "1")], ["shop/b"]],
    ["has one too many", [pod("a", "1"), pod("b", "2"), pod("c", "3")], ["shop/c"]],
    ["has an object in another state", [pod("a", "9"), pod("b", "2")], ["shop/a"]],
  ])("is wrong where it %s, and says which", async (_, objects, keys) => {
    const { error } = await detect([listed(pod("a", "1"), pod("b", "2"))], objects);
    expect(error).toBeInstanceOf(InconsistencyError);
    expect((error as InconsistencyError).keys).toEqual(keys);
  });

  test("is compared as the store would have it", async () => {
    const transform: Transform<Pod> = (object) => ({ ...object, metadata: { ...object.metadata, labels: { x: "y" } } });
    const { error } = await detect([listed(pod("a", "1"))], [transform(pod("a", "1"))], "2", transform);
    expect(error).toBeUndefined();
  });

  test.each(["0", ""])('is not asked for at version "%s", of which there is no list', async (version) => {
    expect((await detect([listed(pod("a", "1"))], [], version)).asked).toEqual([]);
  });

  test("waits until the list succeeds", async () => {
    const { asked, error } = await detect([...Array(4).fill(newServiceUnavailable("no")), listed()], []);
    expect([asked.length, error]).toEqual([5, undefined]);
  });
});

describe("a reflector that compares", () => {
  const transforms: readonly (readonly [string, Transform<Pod> | undefined])[] = [
    ["without a transform", undefined],
    ["with one", (object) => ({ ...object, metadata: { ...object.metadata, labels: { transformed: "true" } } })],
  ];

  test.each(transforms)("goes on where all is well, %s", async (_, transform) => {
    const { source, asked } = sourceOf([listed(pod("a", "1"))]);
    const store = new RecordingStore(transform);
    const clock = new FakeClock();
    const stop = new AbortController();
    const running = new Reflector(source, store, { clock, log: noLog, detectInconsistency: true }).run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    expect([store.calls, asked.length]).toEqual([["replace [a@1] at 2"], 1]);
  });

  test("ends loudly where the stream was wrong, before the store hears of it", async () => {
    const { source } = sourceOf([listed(pod("a", "1"), pod("b", "2"))]);
    const store = new RecordingStore();
    const running = new Reflector(source, store, { clock: new FakeClock(), log: noLog, detectInconsistency: true }).run(
      signal,
    );
    await expect(running).rejects.toBeInstanceOf(InconsistencyError);
    expect(store.calls).toEqual([]);
  });
});
