import { ApiServer } from "@kubeloop/apiserver";
import { FakeClock, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { leases, namespaces } from "@kubeloop/core/resources";
import { eventually } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { runAsLeader } from "./run-as-leader.ts";

const never = new AbortController().signal;

test("of two replicas one runs, and the other when it stops", async () => {
  const clock = new FakeClock();
  const random = seededRandom("leader");
  await using server = await ApiServer.open({ clock, random: random.fork("server") });
  const client = clientOf(server.transport, { clock });
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } }, never)
    .catch(() => {});
  const running: string[] = [];
  const replica = (identity: string) => {
    const stop = new AbortController();
    const scope = new TaskScope(stop.signal);
    const scheduler = {
      run: async (signal: AbortSignal) => {
        running.push(identity);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        running.splice(running.indexOf(identity), 1);
      },
    };
    const options = { client, identity, clock, random: random.fork(identity), log: noLog };
    const ended = scope.spawn((signal) => runAsLeader(scheduler, options, signal));
    return { stop, ended };
  };
  const until = (expected: readonly string[]) =>
    eventually(clock, async () => (String(running) === String(expected) ? true : undefined), {
      what: `${expected} runs`,
      withinMs: 60_000,
    });
  const first = replica("a");
  await until(["a"]);
  const second = replica("b");
  const lease = await client.resource(leases).in("kube-system").get("kube-scheduler", never);
  expect(lease.spec?.holderIdentity).toBe("a");
  first.stop.abort(new Error("stopped"));
  await until(["b"]);
  second.stop.abort(new Error("stopped"));
  await clock.runUntilIdle();
  await Promise.allSettled([first.ended, second.ended]);
  expect(running).toEqual([]);
});
