import { ApiServer } from "@kubeloop/apiserver";
import { type FaultRule, withFaults } from "@kubeloop/core/api";
import { FakeClock, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { namespaces, pods } from "@kubeloop/core/resources";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { bindPod } from "./bind-pod.ts";
import { RequestSlots } from "./request-slots.ts";

const slots = new RequestSlots(1);
const never = new AbortController().signal;

const on = (nth: readonly number[], fault: FaultRule["fault"], verb = "create"): FaultRule => ({
  name: `${verb} ${nth}`,
  fault,
  match: { verbs: [verb] },
  nth,
});
const lost = { kind: "reset", when: "after" } as const;
const refused = { kind: "status", code: 503 } as const;
const timedOut = { kind: "status", code: 504 } as const;

const rows: readonly {
  readonly name: string;
  readonly faults: readonly FaultRule[];
  /** Where somebody else has bound the pod before. */
  readonly boundTo?: string;
  readonly isGone?: boolean;
  /** How the call ends, and where the pod is then. */
  readonly ends: "bound" | "refused";
  readonly node?: string;
  readonly requests: number;
}[] = [
  { name: "binds", faults: [], ends: "bound", node: "a", requests: 1 },
  { name: "a refusal is certain", faults: [on([1], refused)], ends: "refused", requests: 1 },
  { name: "a lost answer is asked for again", faults: [on([1], lost)], ends: "bound", node: "a", requests: 3 },
  {
    name: "a refusal after a lost answer tells nothing about the first",
    faults: [on([1], lost), on([2], refused)],
    ends: "bound",
    node: "a",
    requests: 3,
  },
  {
    name: "while the pod cannot be read, it is tried again",
    faults: [on([1], lost), on([1], refused, "get")],
    ends: "bound",
    node: "a",
    requests: 5,
  },
  { name: "a timeout of the server is no answer", faults: [on([1], timedOut)], ends: "bound", node: "a", requests: 2 },
  {
    name: "another node after a lost answer",
    faults: [on([1], lost)],
    boundTo: "b",
    ends: "refused",
    node: "b",
    requests: 3,
  },
  {
    name: "a pod that has gone after a lost answer is looked for no further",
    faults: [on([1], lost)],
    isGone: true,
    ends: "refused",
    requests: 2,
  },
];

test.each(rows)("$name", async ({ faults, boundTo, isGone, ends, node, requests }) => {
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: seededRandom("server") });
  const admin = clientOf(server.transport, { clock });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } } as const;
  await admin
    .resource(namespaces)
    .create(namespace, never)
    .catch(() => {});
  const target = admin.resource(pods).in("default");
  const made: Pod = await target.create(
    { apiVersion: "v1", kind: "Pod", metadata: { name: "pod" }, spec: { containers: [{ name: "app", image: "app" }] } },
    never,
  );
  if (boundTo !== undefined) await bindPod(made, boundTo, { client: admin, clock, slots }, never);
  if (isGone === true) await target.delete("pod", { gracePeriodSeconds: 0 }, never);
  let sent = 0;
  const counted = withFaults(server.transport, faults, { clock, random: seededRandom("faults") });
  const client = clientOf(
    (request, signal) => {
      sent++;
      return counted(request, signal);
    },
    { clock, log: noLog },
  );
  await using scope = new TaskScope(never);
  const ended = scope.spawn(async (signal) =>
    bindPod(made, "a", { client, clock, slots }, signal).then(
      () => "bound",
      () => "refused",
    ),
  );
  await clock.runUntilIdle();
  expect(await ended).toBe(ends);
  const found = isGone === true ? undefined : await target.get("pod", never);
  expect({ node: found?.spec.nodeName, sent }).toEqual({ node, sent: requests });
});

test("when it is told to stop, it does not try again", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let sent = 0;
  const client = clientOf(
    async () => {
      sent++;
      stop.abort(new Error("stopped"));
      throw stop.signal.reason;
    },
    { clock, log: noLog },
  );
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod", namespace: "default" },
    spec: { containers: [] },
  };
  await expect(bindPod(pod, "a", { client, clock, slots }, stop.signal)).rejects.toThrow("stopped");
  expect(sent).toBe(1);
});
