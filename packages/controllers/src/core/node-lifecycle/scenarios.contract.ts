// What users see of node-lifecycle. Scenarios have a node that is well, in a zone of its own: if no node of the cluster were ready, nothing would be
// tainted. Their nodes stay when they end; on a real server those of later scenarios are in other zones.
import { type corev1, findCondition } from "@kubeloop/core/api";
import { expect } from "vitest";
import { newFleet } from "../../scenarios/fleet.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";

const registration: corev1.Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const ofUser: corev1.Taint = { key: "example.com/gpu", value: "yes", effect: "NoSchedule" };
const secondMs = 1000;
const minuteMs = 60 * secondMs;

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

export const nodeLifecycleScenarios: readonly Scenario[] = [
  {
    name: "a new node loses the taint not-ready when it is ready, and others stay",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("new", { zone: "z", taints: [registration, ofUser], ready: "False" });
      await fleet.until("the taint stays while it is not ready", async () => {
        const { taints = [] } = (await fleet.get("new")).spec ?? {};
        return taints.some(({ key, effect }) => key === registration.key && effect === registration.effect);
      });
      await fleet.report("new", "True");
      await fleet.untilTaints("new", ["example.com/gpu:NoSchedule"]);
      const name = fleet.nameOf("new");
      await fleet.untilNodeEvent("new", "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      expect((await fleet.get("new")).spec?.taints).toEqual([ofUser]);
    },
  },
  {
    name: "a node under pressure is tainted for as long as it is",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("n", { zone: "z", ready: "True" });
      await fleet.report("n", "True", { MemoryPressure: "True", PIDPressure: "True", NetworkUnavailable: "True" });
      const effect = "NoSchedule";
      await fleet.untilTaints("n", [
        `memory-pressure:${effect}`,
        `pid-pressure:${effect}`,
        `network-unavailable:${effect}`,
      ]);
      for (const taint of (await fleet.get("n")).spec?.taints ?? []) expect(taint.timeAdded).toBeDefined();
      await fleet.report("n", "True", { DiskPressure: "True", MemoryPressure: "Unknown", NetworkUnavailable: "False" });
      await fleet.untilTaints("n", [`disk-pressure:${effect}`]);
      await fleet.report("n", "True");
      await fleet.untilTaints("n", []);
    },
  },
  {
    name: "a node that is cordoned is tainted as unschedulable until it is not",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("n", { zone: "z", ready: "True", taints: [ofUser] });
      await fleet.patch("n", { spec: { unschedulable: true } });
      await fleet.untilTaints("n", ["example.com/gpu:NoSchedule", "unschedulable:NoSchedule"]);
      await fleet.patch("n", { spec: { unschedulable: null } });
      await fleet.untilTaints("n", ["example.com/gpu:NoSchedule"]);
    },
  },
  {
    name: "a node that reports to be not ready loses its pods in its turn; when it is ready again, not any more",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("bad", { zone: "z", ready: "True" });
      await fleet.createPod("web", "bad");
      await fleet.report("bad", "False");
      await fleet.untilTaints("bad", ["not-ready:NoSchedule", "not-ready:NoExecute"]);
      // Its kubelet lives, and takes care of its pods itself. But a controller that hears late of a pod marks it.
      if (!cluster.isDisturbed) await fleet.untilPodReady("web", "True");
      await fleet.report("bad", "True");
      await fleet.untilTaints("bad", []);
      await fleet.untilTaints("well", []);
    },
  },
  {
    name: "a pod that comes to a node that is not ready is marked so",
    // The embedded server has no bindings.
    needsRealServer: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("bad", { zone: "z", ready: "True" });
      await fleet.untilTaints("bad", []);
      await fleet.report("bad", "False");
      await fleet.untilTaints("bad", ["not-ready:NoSchedule", "not-ready:NoExecute"]);
      await fleet.bindPod("web", "bad");
      await fleet.bindPod("fine", "well");
      await fleet.untilPodReady("web", "False");
      await fleet.untilPodReady("fine", "True");
    },
  },
  {
    name: "the beta labels of system and architecture follow the stable ones",
    async run(cluster) {
      const fleet = newFleet(cluster);
      const labels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64" };
      await fleet.create("n", { zone: "z", ready: "True", labels });
      await fleet.until("the beta labels", async () => {
        const { labels: now } = (await fleet.get("n")).metadata;
        return now?.["beta.kubernetes.io/os"] === "linux" && now["beta.kubernetes.io/arch"] === "arm64";
      });
      await fleet.patch("n", {
        metadata: { labels: { "beta.kubernetes.io/os": null, "kubernetes.io/arch": "s390x" } },
      });
      await fleet.until("the beta labels again", async () => {
        const { labels: now } = (await fleet.get("n")).metadata;
        return now?.["beta.kubernetes.io/os"] === "linux" && now["beta.kubernetes.io/arch"] === "s390x";
      });
    },
  },
  {
    name: "a node that is deleted is said to be removed",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("n", { zone: "z", ready: "True" });
      const name = fleet.nameOf("n");
      await fleet.untilNodeEvent("n", "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      await fleet.remove("n");
      await fleet.untilNodeEvent("n", "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    },
  },
  {
    name: "a node that falls silent is unknown and so are its pods; when it comes back all is well",
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("never", { zone: "x" });
      await fleet.create("lost", { zone: "z", ready: "True", lives: false });
      await fleet.createPod("web", "lost");
      await fleet.createPod("starting", "lost", { isReady: false });
      await fleet.createPod("fine", "well");

      await fleet.untilReady("lost", "Unknown");
      const { status } = await fleet.get("lost");
      for (const type of ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]) {
        expect(findCondition(status?.conditions, type)).toMatchObject({
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
        });
      }
      await fleet.untilTaints("lost", ["unreachable:NoSchedule", "unreachable:NoExecute"]);
      await fleet.untilPodReady("web", "False");
      await fleet.untilPodReady("starting", "False");
      await fleet.untilPodReady("fine", "True");
      await fleet.untilNodeEvent("lost", "NodeNotReady", `Node ${fleet.nameOf("lost")} status is now: NodeNotReady`);

      expect(await fleet.untilReady("never", "Unknown")).toMatchObject({
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: (await fleet.get("never")).metadata.creationTimestamp,
      });
      await fleet.untilTaints("never", ["unreachable:NoSchedule", "unreachable:NoExecute"]);

      await fleet.revive("lost");
      await fleet.untilTaints("lost", []);
      await fleet.untilTaints("well", []);
    },
  },
  {
    name: "a node that is not ready and falls silent is unreachable, at once and not in its turn",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("bad", { zone: "z", ready: "True" });
      await fleet.create("worse", { zone: "z", ready: "True" });
      await fleet.create("other", { zone: "z", ready: "True" });
      await fleet.report("bad", "False");
      await fleet.untilTaints("bad", ["not-ready:NoSchedule", "not-ready:NoExecute"]);
      await fleet.report("worse", "False");
      await fleet.untilTaints("worse", ["not-ready:NoSchedule", "not-ready:NoExecute"]);
      fleet.kill("bad");
      fleet.kill("worse");
      await fleet.pass(45 * secondMs);
      const gone = ["unreachable:NoSchedule", "unreachable:NoExecute"];
      await fleet.untilTaints("bad", gone);
      // The second one does not wait ten seconds for its turn: it has a taint already.
      if (!cluster.isDisturbed) await fleet.pass(5 * secondMs);
      await fleet.untilTaints("worse", gone);
      await fleet.revive("bad");
      await fleet.report("bad", "False");
      await fleet.untilTaints("bad", ["not-ready:NoSchedule", "not-ready:NoExecute"]);
    },
  },
  {
    name: "a lease that is renewed is a sign of life, for ten minutes without a status",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("n", { zone: "z", ready: "True" });
      await fleet.pass(10 * minuteMs);
      expect(findCondition((await fleet.get("n")).status?.conditions, "Ready")?.status).toBe("True");
      fleet.kill("n");
      await fleet.untilReady("n", "Unknown");
    },
  },
  {
    name: "a status that is reported is a sign of life, for ten minutes without a lease",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      await fleet.create("n", { zone: "z", ready: "True", lives: false });
      for (let i = 0; i < 20; i++) {
        await fleet.pass(30 * secondMs);
        await fleet.report("n", "True");
      }
      expect(findCondition((await fleet.get("n")).status?.conditions, "Ready")?.status).toBe("True");
      await fleet.untilReady("n", "Unknown");
    },
  },
  {
    name: "a zone that is fully down loses its nodes one by one, every ten seconds",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      const zone = names(4, "z");
      await fleet.create("well", { zone: "w", ready: "True" });
      for (const name of zone) await fleet.create(name, { zone: "z", ready: "True" });
      const tainted = async () => {
        const all = await Promise.all(zone.map((name) => fleet.taintsOf(name)));
        return all.filter((taints) => taints.includes("unreachable:NoExecute")).length;
      };
      for (const name of zone) fleet.kill(name);
      await fleet.pass(45 * secondMs);
      await fleet.until("the first is tainted", async () => (await tainted()) > 0);
      if (!cluster.isDisturbed) {
        const counts = [await tainted()];
        for (let i = 0; i < 3; i++) {
          await fleet.pass(10 * secondMs);
          counts.push(await tainted());
        }
        expect(counts).toEqual([1, 2, 3, 4]);
      }
      await fleet.until("all are tainted", async () => (await tainted()) === 4);
      await fleet.untilTaints("well", []);
    },
  },
  {
    name: "while no node of the cluster is ready, no node loses its pods; the first that comes back gives the others time",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      const all = ["a0", "a1", "b0"];
      await fleet.create("a0", { zone: "a", ready: "True", lives: false });
      await fleet.create("a1", { zone: "a", ready: "True" });
      await fleet.create("b0", { zone: "b", ready: "True" });
      await fleet.pass(45 * secondMs);
      await fleet.untilTaints("a0", ["unreachable:NoSchedule", "unreachable:NoExecute"]);
      fleet.kill("a1");
      fleet.kill("b0");
      await fleet.pass(45 * secondMs);
      for (const name of all) await fleet.untilReady(name, "Unknown");
      // What was tainted before is not any more.
      for (const name of all) await fleet.untilTaints(name, ["unreachable:NoSchedule"]);
      await fleet.pass(10 * minuteMs);
      for (const name of all) await fleet.untilTaints(name, ["unreachable:NoSchedule"]);
      await fleet.revive("b0");
      await fleet.untilTaints("b0", []);
      for (const name of ["a0", "a1"]) {
        await fleet.untilTaints(name, ["unreachable:NoSchedule", "unreachable:NoExecute"]);
      }
    },
  },
  {
    name: "in a small zone of which most is down, no node loses its pods",
    needsVirtualTime: true,
    async run(cluster) {
      // After a restart a controller does not know which nodes were heard of when.
      if (cluster.isDisturbed) return;
      const fleet = newFleet(cluster);
      const down = names(3, "down");
      await fleet.create("well", { zone: "w", ready: "True" });
      await fleet.create("up", { zone: "z", ready: "True" });
      for (const name of down) await fleet.create(name, { zone: "z", ready: "True", lives: false });
      for (const name of down) await fleet.untilReady(name, "Unknown");
      await fleet.pass(10 * minuteMs);
      for (const name of down) await fleet.untilTaints(name, ["unreachable:NoSchedule"]);
      // Two of four are fewer than the threshold.
      await fleet.revive("down0");
      await fleet.untilTaints("down0", []);
      for (const name of ["down1", "down2"]) {
        await fleet.untilTaints(name, ["unreachable:NoSchedule", "unreachable:NoExecute"]);
      }
    },
  },
  {
    name: "in a large zone of which most is down, a node loses its pods every hundred seconds",
    needsVirtualTime: true,
    async run(cluster) {
      if (cluster.isDisturbed) return;
      const fleet = newFleet(cluster);
      await fleet.create("well", { zone: "w", ready: "True" });
      for (const name of names(22, "up")) await fleet.create(name, { zone: "z", ready: "True" });
      const down = names(29, "down");
      for (const name of down) await fleet.create(name, { zone: "z", ready: "True", lives: false });
      for (const name of down) await fleet.untilReady(name, "Unknown");
      const tainted = async () => {
        const all = await Promise.all(down.map((name) => fleet.taintsOf(name)));
        return all.filter((taints) => taints.includes("unreachable:NoExecute")).length;
      };
      await fleet.pass(10 * secondMs);
      const first = await tainted();
      await fleet.pass(300 * secondMs);
      expect((await tainted()) - first).toBe(3);
    },
  },
  {
    name: "a node that is excluded from disruption does not count in its zone",
    needsVirtualTime: true,
    async run(cluster) {
      const fleet = newFleet(cluster);
      const labels = { "node.kubernetes.io/exclude-disruption": "" };
      await fleet.create("excluded", { zone: "w", ready: "True", labels });
      await fleet.create("lost", { zone: "z", ready: "True", lives: false });
      // The only node that counts is down: the whole cluster is.
      await fleet.untilReady("lost", "Unknown");
      await fleet.pass(5 * minuteMs);
      await fleet.untilTaints("lost", ["unreachable:NoSchedule"]);
      await fleet.patch("excluded", { metadata: { labels: { "node.kubernetes.io/exclude-disruption": null } } });
      await fleet.untilTaints("lost", ["unreachable:NoSchedule", "unreachable:NoExecute"]);
    },
  },
];
