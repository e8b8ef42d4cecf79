import { describe, expect, test } from "vitest";
import { type KubernetesObject, loadProtobuf, newExpired } from "../../api/index.ts";
import { Channel, FakeClock, seededRandom } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { customListWatch } from "../reflector/custom-list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { EventCause, Notification } from "./handlers.ts";
import { isUnchanged } from "./is-unchanged.ts";

const thing = (uid: string, resourceVersion: string, color: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { namespace: "shop", name: "a", uid, resourceVersion, labels: { color } },
});

describe("an update", () => {
  const red = thing("u1", "7", "red");
  const rows: readonly [string, EventCause, KubernetesObject, KubernetesObject, boolean][] = [
    ["of a resync repeats the known", "resync", red, red, true],
    ["of a relist with the very same object repeats the known", "relist", red, thing("u1", "7", "red"), true],
    ["of a relist with another version is news", "relist", red, thing("u1", "8", "red"), false],
    ["of a relist with another uid under the same version is news", "relist", red, thing("u2", "7", "red"), false],
    ["of a relist with another state under the same version is news", "relist", red, thing("u1", "7", "blue"), false],
    ["of a watch with another state under the same version is news", "change", red, thing("u1", "7", "blue"), false],
    ["without a version is news", "relist", thing("u1", "", "red"), thing("u1", "", "red"), false],
  ];
  test.each(rows)("%s", (_what, cause, before, after, expected) => {
    const update: Notification<KubernetesObject> = {
      type: "update",
      before,
      after,
      details: { cause, isInInitialList: false },
    };
    expect(isUnchanged(update)).toBe(expected);
  });
});

test("an update of an object that is malformed is news", async () => {
  const protobuf = await loadProtobuf();
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", resourceVersion: "7" } };
  const message = "k8s.io.api.core.v1.Pod";
  const good = protobuf.encodeRaw({ ...pod, spec: { containers: null } });
  const bytes = Uint8Array.from([...protobuf.encodeRaw(pod), 0x12, 2, 0x08, 1]);
  const details = { cause: "relist", isInInitialList: false } as const;
  const before = protobuf.decodeLazily(bytes, message, pod) as unknown as KubernetesObject;
  const after = protobuf.decodeLazily(good, message, pod) as unknown as KubernetesObject;
  expect(isUnchanged({ type: "update", before, after, details })).toBe(false);
  expect(isUnchanged({ type: "update", before: after, after: before, details })).toBe(false);
});

describe.each(["in-order", "delta-fifo"] as const)("an informer with the %s queue", (queue) => {
  async function following() {
    const clock = new FakeClock();
    let items = [thing("u1", "1", "red")];
    let events = new Channel<WatchEvent<KubernetesObject>>(10);
    const source = customListWatch<KubernetesObject>({
      list: () => ({ items, resourceVersion: "1" }),
      watch: (_request, signal) => {
        const current = events;
        return (async function* () {
          for (let next = await current.receive(signal); next !== undefined; next = await current.receive(signal)) {
            yield next.value;
          }
          throw newExpired("too old resource version");
        })();
      },
    });
    const informer = new SharedIndexInformer(source, { clock, random: seededRandom(1), queue });
    const updates: string[] = [];
    const print = ({ metadata: { uid, labels } }: KubernetesObject) => `${uid} ${labels?.["color"]}`;
    informer.addEventHandler({
      onUpdate: (before, after) => void updates.push(`${print(before)} to ${print(after)}`),
    });
    const stopping = new AbortController();
    const running = informer.run(stopping.signal);
    await clock.settle();
    return {
      updates,
      async send(event: WatchEvent<KubernetesObject>) {
        events.trySend(event);
        await clock.settle();
      },
      async relist(...listed: KubernetesObject[]) {
        items = listed;
        const ended = events;
        events = new Channel(10);
        ended.close();
        await clock.advance(60_000);
      },
      async stop() {
        stopping.abort();
        await running;
      },
    };
  }

  test("reports the object that a relist found under the same name and version with another uid", async () => {
    const { relist, updates, stop } = await following();
    await relist(thing("u2", "1", "red"));
    await stop();
    expect(updates).toEqual(["u1 red to u2 red"]);
  });

  test("reports every change of a source that gives all states the same version", async () => {
    const { relist, send, updates, stop } = await following();
    await send({ type: "MODIFIED", object: thing("u1", "1", "blue") });
    await relist(thing("u1", "1", "green"));
    await relist(thing("u1", "1", "green"));
    await stop();
    expect(updates).toEqual(["u1 red to u1 blue", "u1 blue to u1 green"]);
  });
});
