import { expect, test } from "vitest";
import { startCluster } from "../cluster/start-cluster.ts";
import { runDemo } from "./demo.ts";

test("tells what happened to the shop, step by step, twice in a row", async () => {
  await using cluster = await startCluster({ nodes: 3, clock: "virtual" });
  const { client, clock, signal } = cluster;
  const run = async () => {
    const told: string[] = [];
    await clock.drive(runDemo({ client, clock, say: (text) => told.push(text) }, signal));
    return told;
  };
  const steps = [
    /^Namespace shop is there; the serviceaccount controller/,
    /^Deployment web: .* ReplicaSet web-[a-z0-9]+, the replicaset controller 3 pods, the scheduler put them on node-1, node-2, node-3, and they are ready after \d/,
    /^Service web: the endpointslice controller has found (10\.244\.\d+\.\d+(, )?){3}\.$/,
    /^Image shop\/web:2: .* never fewer than 3 were available\./,
    /^Deployment api wants 20 pods, and the quota holds at 12 \(12 are there\): ".*exceeded quota: shop"\.$/,
    /^Scaled back to 2:/,
    /^Node node-\d is drained: \d pods were evicted, .* and web runs on node-\d, node-\d\.$/,
    /^The shop stays:/,
  ];
  const matching = (expected: readonly RegExp[]) => expected.map((step) => expect.stringMatching(step));
  expect(await run()).toEqual(matching(steps));
  expect(await run()).toEqual(matching([/^The shop of the last demonstration is gone/, ...steps]));
});
