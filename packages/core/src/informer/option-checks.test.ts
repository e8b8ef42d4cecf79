import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { KubernetesObject } from "../api/index.ts";
import { FakeClock } from "../base/index.ts";
import { clientOf } from "../client/index.ts";
import { Controller } from "./controller/controller.ts";
import { newInformer } from "./controller/new-informer.ts";
import { SharedInformerFactory } from "./factory/shared-informer-factory.ts";
import { InOrderQueue } from "./queue/in-order-queue.ts";
import { Reflector } from "./reflector/reflector.ts";
import { PodSource } from "./shared/pod-source.fixture.ts";
import { SharedIndexInformer } from "./shared/shared-index-informer.ts";
import { newStore } from "./store/index.ts";
import { metaNamespaceKeyFunc as keyOf } from "./store/key-functions.ts";

const source = new PodSource();
const clock = new FakeClock();
const noServer = () => Promise.reject(new Error("nobody is asked"));
const informer = (options: object = {}) => new SharedIndexInformer(source, { clock, ...options });

describe.each([Number("10m"), Number.POSITIVE_INFINITY, -1, "10m" as unknown as number])("a period of %s", (ms) => {
  const rows: readonly [string, () => unknown][] = [
    ["an informer", () => informer({ resyncMs: ms })],
    ["a handler", () => informer({ resyncMs: 1000 }).addEventHandler({}, { resyncMs: ms })],
    ["a reflector", () => new Reflector(source, newStore(keyOf), { clock, resyncMs: ms })],
    [
      "a controller",
      () =>
        new Controller({
          listerWatcher: source,
          queue: new InOrderQueue<KubernetesObject>({ keyOf }),
          process: () => {},
          fullResyncPeriodMs: ms,
        }),
    ],
    ["newInformer", () => newInformer(source, {}, { resyncMs: ms })],
    ["a factory", () => new SharedInformerFactory(clientOf(noServer), { resyncMs: ms })],
    ["a factory for one resource", () => new SharedInformerFactory(clientOf(noServer), { customResync: [[pods, ms]] })],
  ];
  test.each(rows)("is refused by %s", (_who, give) => {
    expect(give).toThrow(`is ${ms}: it must be a number of milliseconds, 0 for never`);
  });
});

describe("a limit that is no number is refused", () => {
  const none = Number.NaN;
  const rows: readonly [string, () => unknown][] = [
    ["pageSize", () => informer({ pageSize: none })],
    ["watchListAnswerMs", () => informer({ watchListAnswerMs: none })],
    ["watchListSilenceMs", () => informer({ watchListSilenceMs: none })],
    ["watchListRetryMs", () => informer({ watchListRetryMs: none })],
    ["minWatchTimeoutMs", () => informer({ minWatchTimeoutMs: none })],
    ["maxInternalErrorRetryMs", () => informer({ maxInternalErrorRetryMs: none })],
    ["maxQueued", () => informer().addEventHandler({}, { maxQueued: none })],
    ["maxFailingMs", () => informer().checkHealth({ maxFailingMs: none })],
    ["maxSilenceMs", () => informer().checkHealth({ maxSilenceMs: none })],
  ];
  test.each(rows)("%s", (option, give) => {
    expect(give).toThrow(option);
  });
});

test("0 and what is not given are no resync, and Infinity is no limit", () => {
  expect(informer({ resyncMs: 0, watchListSilenceMs: Number.POSITIVE_INFINITY }).addEventHandler({}).resyncMs).toBe(0);
  expect(informer().addEventHandler({}, { maxQueued: Number.POSITIVE_INFINITY }).resyncMs).toBe(0);
});
