import { pods } from "@kubeloop/core/resources";
import { FakeCluster, newPod } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { followPods } from "./follow-pods.ts";

const onNode = (key: string, nodeName: string) => newPod(key, { spec: { nodeName } });

test("says what is there, and then what changes, deletions that nobody watched included", async () => {
  const lines: string[] = [];
  await using cluster = new FakeCluster({
    resources: [pods],
    objects: [
      [pods, onNode("shop/a", "n1")],
      [pods, onNode("shop/b", "n1")],
      [pods, newPod("bank/c")],
    ],
  });
  const options = { ...cluster.parts, print: (line: string) => lines.push(line) };
  cluster.run((signal) => followPods(cluster.client, options, signal));
  await cluster.eventually(() => lines.length);
  expect(lines.splice(0)).toEqual(["3 in all (n1: 2, no node: 1)"]);

  cluster.create(pods, newPod("shop/d"));
  cluster.edit(pods, "shop/a", (pod) => ({ ...pod, status: { phase: "Running" } }));
  cluster.edit(pods, "shop/a", (pod) => ({ ...pod, status: { phase: "Running", message: "well" } }));
  await cluster.clock.advance(1000);
  expect(lines.splice(0)).toEqual(["+ shop/d", "~ shop/a is Running"]);

  cluster.server.endWatches("reset");
  cluster.delete(pods, "shop/b");
  cluster.server.compact();
  await cluster.eventually(() => lines.length);
  expect(lines).toEqual(["- shop/b"]);
});

test("a namespace that is asked for is the only one", async () => {
  const lines: string[] = [];
  await using cluster = new FakeCluster({
    resources: [pods],
    objects: [
      [pods, onNode("shop/a", "n1")],
      [pods, newPod("bank/c")],
    ],
  });
  const options = { ...cluster.parts, namespace: "bank", print: (line: string) => lines.push(line) };
  cluster.run((signal) => followPods(cluster.client, options, signal));
  await cluster.eventually(() => lines.length);
  expect(lines).toEqual(["1 in all (no node: 1)"]);
});
