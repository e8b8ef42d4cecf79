import { expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import type { ListAnswer, ListerWatcher } from "../reflector/lister-watcher.ts";
import { onRequest } from "./on-request.ts";

const nothing: ListerWatcher = {
  description: "nothing",
  objectKind: "unchecked",
  list: () => ({}) as ListAnswer<KubernetesObject>,
  watch: () => ({}) as ReturnType<ListerWatcher["watch"]>,
};
const { signal } = new AbortController();
const listRequest = { resourceVersion: "0", pageSize: 0, onRestart: () => {} };
const watchRequest = { resourceVersion: "1", sendInitialEvents: false, timeoutSeconds: 300 };

for (const [fact, calls, expected] of [
  ["a list and the watch after it are one", ["list", "watch"], ["list"]],
  ["a watch that begins with the list is one", ["watch"], ["watch"]],
  ["each later watch is one of its own", ["list", "watch", "watch", "watch"], ["list", "watch", "watch"]],
  ["each list that is tried again is one", ["list", "list", "watch"], ["list", "list"]],
] as const) {
  test(fact, () => {
    const announced: string[] = [];
    let current = "";
    const source = onRequest(nothing, () => void announced.push(current));
    for (const call of calls) {
      current = call;
      if (call === "list") source.list(listRequest, signal);
      else source.watch(watchRequest, signal);
    }
    expect(announced).toEqual(expected);
  });
}

test("says of itself what the source does", () => {
  expect(onRequest(nothing, () => {})).toMatchObject({
    description: "nothing",
    objectKind: "unchecked",
    canWatchList: true,
  });
  expect(onRequest({ ...nothing, canWatchList: false }, () => {}).canWatchList).toBe(false);
});
