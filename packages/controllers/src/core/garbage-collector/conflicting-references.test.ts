// References that disagree about where an owner is, in the orders in which watches may show them.
import type { KubernetesObject } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { Collector, named, referenceTo } from "./collector.fixture.ts";

const owner2ns1 = named("v1", "Pod", "ns1/owner", { uid: "owner" });
const owner2ns2 = named("v1", "Pod", "ns2/owner", { uid: "owner" });
const node = named("v1", "Node", "node");
const pod = (key: string, ...owners: readonly KubernetesObject[]) => named("v1", "Pod", key, { owners });
const misplaced = (namespace: string) =>
  `ownerRef [v1/Pod, namespace: ${namespace}, name: owner, uid: owner] does not exist in namespace "${namespace}"`;

describe("a cluster-scoped owner of a namespaced child", () => {
  const child = pod("ns1/child", node);

  test("is looked for until a watch shows it, and then is looked for no more", () => {
    const collector = new Collector().store(node, child).show(child);
    expect(collector.nodes()).toEqual(["v1 Pod ns1/child", "virtual v1 Node ns1/node"]);
    expect([collector.step(), collector.takeRequests()]).toEqual(["has no owner", ["get nodes node"]]);
    expect(collector.queue).toEqual(["virtual node"]);
    collector.show(node);
    expect(collector.nodes()).toEqual(["v1 Pod ns1/child", "v1 Node /node"]);
    // The child named it otherwise than the watch has shown it, as far as its namespace goes, which is no fault.
    expect([collector.step(), collector.queue, collector.takeRequests()]).toEqual(["nothing to look at", [], []]);
  });

  test("that was never there takes the child with it", () => {
    const collector = new Collector().store(child).show(child);
    expect(collector.step()).toBe("is gone");
    expect(collector.nodes()).toEqual(["v1 Pod ns1/child"]);
    expect(collector.queue).toEqual(["ns1/child"]);
    expect(collector.step()).toBe("nobody owns it");
    expect(collector.takeRequests()).toEqual(["get nodes node", "delete pods ns1/child"]);
  });
});

describe("a child of an owner in another namespace", () => {
  const child = pod("ns1/child", owner2ns2);

  test("goes, and an event says why, if it was shown first", () => {
    const collector = new Collector().store(child, owner2ns2).show(child);
    expect(collector.nodes()).toEqual(["v1 Pod ns1/child", "virtual v1 Pod ns1/owner"]);
    collector.show(owner2ns2);
    expect(collector.queue).toEqual(["virtual owner", "ns1/child"]);
    expect(collector.step()).toBe("nothing to look at");
    expect(collector.step()).toBe("nobody owns it");
    expect(collector.takeRequests()).toEqual(["get pods ns1/child", "get pods ns1/owner", "delete pods ns1/child"]);
    expect(collector.takeEvents()).toEqual([misplaced("ns1")]);
    expect(collector.showDeleted(child).nodes()).toEqual(["v1 Pod ns2/owner"]);
    expect(collector.queue).toEqual([]);
  });

  test("goes, and an event says why, if its owner was shown first", () => {
    const collector = new Collector().store(child, owner2ns2).show(owner2ns2, child);
    expect(collector.queue).toEqual(["ns1/child"]);
    expect(collector.step()).toBe("nobody owns it");
    expect(collector.takeEvents()).toEqual([misplaced("ns1")]);
    expect(collector.takeRequests().at(-1)).toBe("delete pods ns1/child");
  });

  test("is told of once", () => {
    const collector = new Collector().store(child, owner2ns2).show(owner2ns2, child);
    collector.step(() => new Error("the server is down"));
    expect(collector.takeEvents()).toHaveLength(1);
    collector.step();
    expect(collector.takeEvents()).toEqual([]);
  });
});

describe("a cluster-scoped child of a namespaced owner", () => {
  const child = named("v1", "Node", "child", { owners: [owner2ns1] });

  test("stays, and an event says why, if it was shown first", () => {
    const collector = new Collector().store(child, owner2ns1).show(child);
    expect(collector.nodes()).toEqual(["v1 Node /child", "virtual v1 Pod /owner"]);
    // It cannot be looked for: that is not tried again.
    expect(collector.step()).toBe("cluster-scoped objects cannot refer to namespaced owners");
    expect([collector.queue, collector.takeRequests()]).toEqual([[], []]);
    collector.show(owner2ns1);
    expect(collector.queue).toEqual(["child"]);
    expect(collector.step()).toBe("cluster-scoped objects cannot refer to namespaced owners");
    expect([collector.queue, collector.takeRequests()]).toEqual([[], ["get nodes child"]]);
    expect(collector.takeEvents()).toEqual([misplaced("")]);
  });

  test("stays, and an event says why, if its owner was shown first", () => {
    const collector = new Collector().store(child, owner2ns1).show(owner2ns1, child);
    expect(collector.step()).toBe("cluster-scoped objects cannot refer to namespaced owners");
    expect(collector.takeEvents()).toEqual([misplaced("")]);
    expect(collector.takeRequests()).toEqual(["get nodes child"]);
  });

  test("does not keep a namespaced sibling of the same missing owner, whichever was shown first", () => {
    const sibling = pod("ns1/sibling", owner2ns1);
    for (const order of [[child, sibling] as const, [sibling, child] as const]) {
      const collector = new Collector().store(child, sibling).show(...order);
      for (let steps = 0; collector.queue.length > 0 && steps < 20; steps++) collector.step();
      const deletes = collector.takeRequests().filter((request) => request.startsWith("delete"));
      expect(deletes).toEqual(["delete pods ns1/sibling"]);
      expect(collector.showDeleted(sibling).nodes().toSorted()).toEqual(["v1 Node /child", "virtual v1 Pod /owner"]);
    }
  });

  test("does not harm a sibling whose owner is shown late", () => {
    const sibling = pod("ns1/sibling", owner2ns1);
    const collector = new Collector().store(child, sibling, owner2ns1).show(child, sibling);
    expect([collector.step(), collector.step()]).toEqual([
      "cluster-scoped objects cannot refer to namespaced owners",
      "is owned",
    ]);
    collector.show(owner2ns1);
    expect(collector.queue).toEqual(["child"]);
    collector.step();
    expect(collector.takeEvents()).toEqual([misplaced("")]);
    expect(collector.takeRequests().some((request) => request.startsWith("delete"))).toBe(false);
  });
});

describe("an owner that is named in another version", () => {
  const owner = named("autoscaling/v2", "HorizontalPodAutoscaler", "ns1/owner", { uid: "owner" });
  const old = { ...owner, apiVersion: "autoscaling/v1" };

  test("that is served, is the same owner", () => {
    const child = pod("ns1/child", old);
    const collector = new Collector().store(owner, child).show(child, owner);
    expect(collector.queue).toEqual(["virtual owner", "ns1/child"]);
    expect([collector.step(), collector.step()]).toEqual(["nothing to look at", "is owned"]);
    collector.erase(owner).showDeleted(owner);
    expect(collector.step()).toBe("nobody owns it");
  });

  const deployment = named("apps/v1", "Deployment", "ns1/web", { uid: "web" });
  const unserved = { ...deployment, apiVersion: "extensions/v1beta1" };
  const child = pod("ns1/child", unserved);
  const cannotMap = "unable to get REST mapping for extensions/v1beta1/Deployment.";

  test.each([["child", [child, deployment]] as const, ["owner", [deployment, child]] as const])(
    "that is not served, is neither there nor absent: the child is tried again for ever (%s first)",
    (_, order) => {
      const collector = new Collector().store(deployment, child).show(...order);
      collector.queue.splice(0, collector.queue.length, "ns1/child");
      expect([collector.step(), collector.queue]).toEqual([cannotMap, ["ns1/child"]]);
      collector.erase(deployment).showDeleted(deployment);
      expect([collector.step(), collector.queue]).toEqual([cannotMap, ["ns1/child"]]);
      expect(collector.takeRequests()).toEqual(["get pods ns1/child", "get pods ns1/child"]);
    },
  );

  test("that is not served, does not keep children that name it rightly when it is gone", () => {
    const good = pod("ns1/good", deployment);
    for (const order of [[child, good] as const, [good, child] as const]) {
      const collector = new Collector().store(child, good).show(...order);
      for (let steps = 0; steps < 10; steps++) collector.step();
      expect(collector.takeRequests().filter((request) => request.startsWith("delete"))).toEqual([
        "delete pods ns1/good",
      ]);
      collector.showDeleted(good);
      expect(collector.nodes()).toContain("virtual extensions/v1beta1 Deployment ns1/web");
      expect(collector.queue.toSorted().at(-1)).toBe("virtual web");
    }
  });
});

describe("a child that names its owner as another kind", () => {
  const owner = named("apps/v1", "Deployment", "ns1/web", { uid: "web" });
  const wrong = named("v1", "ConfigMap", "ns1/web-config", { uid: "web" });
  const good = pod("ns1/good", owner);
  const bad = pod("ns1/bad", wrong);

  test.each([
    ["bad, good, then the owner", [bad, good, owner]],
    ["good, bad, then the owner", [good, bad, owner]],
    ["the owner, good, bad", [owner, good, bad]],
    ["bad, the owner, good", [bad, owner, good]],
  ])("goes, and a good sibling stays: %s", (_, order) => {
    const collector = new Collector().store(owner, good, bad);
    for (const each of order) {
      collector.show(each);
      if (collector.queue.length > 0) collector.step();
    }
    for (let steps = 0; collector.queue.length > 0 && steps < 20; steps++) collector.step();
    const deletes = collector.takeRequests().filter((request) => request.startsWith("delete"));
    expect(new Set(deletes)).toEqual(new Set(["delete pods ns1/bad"]));
    collector.showDeleted(bad);
    expect(collector.nodes().toSorted()).toEqual(["apps/v1 Deployment ns1/web", "v1 Pod ns1/good"]);
  });
});

test("an owner that is known to be absent is not asked for again", () => {
  const owner = named("v1", "Pod", "ns1/owner", { uid: "owner" });
  const children = ["ns1/a", "ns1/b", "ns1/c"].map((key) => pod(key, owner));
  const collector = new Collector().store(...children).show(...children);
  while (collector.queue.length > 0) collector.step();
  const requests = collector.takeRequests();
  // Once for the virtual node; after that the children know.
  expect(requests.filter((request) => request === "get pods ns1/owner")).toHaveLength(1);
  expect(requests.filter((request) => request.startsWith("delete"))).toHaveLength(3);
});

test("the namespace in which an owner is absent counts", () => {
  const collector = new Collector().store(pod("ns1/a", owner2ns1)).show(pod("ns1/a", owner2ns1));
  collector.step();
  collector.step();
  collector.takeRequests();
  const elsewhere = pod("ns2/b", owner2ns2);
  collector.store(owner2ns2, elsewhere).show(elsewhere);
  while (collector.queue.includes("ns2/b")) collector.step();
  expect(collector.takeRequests().some((request) => request.startsWith("delete"))).toBe(false);
  expect(referenceTo(owner2ns1)).toEqual(referenceTo(owner2ns2));
});
