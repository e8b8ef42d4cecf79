// One manager makes objects, is stopped, and another takes over on the same server, through the same lease: it rewrites nothing, and works on what
// changes from then on. From upstream's to ours, and back.
import { namespaces } from "@kubeloop/core/resources";
import { type ManagerProgram, RealCluster } from "@kubeloop/real-cluster";
import { allScenarios } from "@kubeloop/scenarios";
import { describe, expect, test } from "vitest";
import { finishDeletions } from "./finish-deletions.contract.ts";
import { handedOver } from "./handed-over.contract.ts";
import { removeNodes, startKubelets } from "./kubelets.contract.ts";
import { managerFlags, writtenControllers as written } from "./manager-flags.contract.ts";
import { ourManager } from "./our-manager.contract.ts";
import {
  adminClient,
  dualStackFlags,
  realScenarioCluster,
  runOnRealCluster,
  untilSettled,
} from "./scenario-on-real-cluster.contract.ts";
import { rewritten, storedVersions } from "./stored-versions.contract.ts";
import { AuditLog, type WriteRequest } from "./write-requests.contract.ts";

const { signal } = new AbortController();

/** A stopped upstream does not give its lease back: the next one waits for it to run out. */
const flags = [
  ...managerFlags,
  "--leader-elect=true",
  "--leader-elect-lease-duration=3s",
  "--leader-elect-renew-deadline=2s",
  "--leader-elect-retry-period=500ms",
];

/** Waits for up to a minute by design, in each of its scenarios, and leaves nothing behind. */
const slowController = "pod-garbage-collector-controller";
const areAll = process.env["KUBELOOP_SCENARIOS"] === "all";

/** Without those that are about failures: they are tried again for ever, by any manager. */
const scenariosOf = (controller: string) =>
  (allScenarios[controller] ?? [])
    .filter(({ needsVirtualTime, repeatedEvents }) => needsVirtualTime !== true && repeatedEvents === undefined)
    .slice(0, areAll ? undefined : 2);

const directions: Readonly<Record<string, readonly [from: true | ManagerProgram, to: true | ManagerProgram]>> = {
  "from upstream's manager to ours": [true, ourManager],
  "from our manager to upstream's": [ourManager, true],
};

describe("hand-over", () => {
  test("there is a row for each written controller", () => {
    expect([...Object.keys(handedOver), slowController].sort()).toEqual([...written].sort());
  });

  describe.each(Object.entries(directions))("%s", (_, [from, to]) => {
    test("nothing is rewritten, and changes are worked on", async () => {
      await using audit = await AuditLog.open();
      const extraFlags = { "kube-apiserver": [...audit.flags, ...dualStackFlags] };
      await using cluster = await RealCluster.start({ extraFlags }, signal);
      await using client = adminClient(cluster);
      const versions = () => storedVersions(client, signal);
      const eachRow = async (prefix: string, step: "prepare" | "change") => {
        for (const [index, row] of Object.values(handedOver).entries())
          await row[step](realScenarioCluster({ client, namespace: `${prefix}-${index}` }, signal));
      };
      const prepare = async (prefix: string) => {
        for (const index of Object.keys(handedOver).keys()) {
          const metadata = { name: `${prefix}-${index}` };
          await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata }, signal);
        }
        await eachRow(prefix, "prepare");
      };

      await cluster.runManager(from, flags, signal);
      let count = 0;
      const runScenarios = async (controller: string) => {
        for (const scenario of scenariosOf(controller))
          await runOnRealCluster(scenario, { client, namespace: `scenario-${++count}` }, signal);
      };
      // The ttl controller counts all nodes: its scenarios want to be alone.
      await runScenarios("ttl-controller");
      const others = written.filter((controller) => controller !== "ttl-controller");
      await Promise.all(others.filter((controller) => areAll || controller !== slowController).map(runScenarios));
      await removeNodes(client, signal);
      await finishDeletions(client, signal);
      await using _kubelets = startKubelets(client, signal);
      await prepare("changed");
      const before = await untilSettled(versions, signal);
      expect(Object.keys(before).length).toBeGreaterThan(100);
      await cluster.stop("kube-controller-manager");
      expect(rewritten(before, await versions())).toEqual([]);
      const writesBefore = (await audit.read()).length;
      const writes = async () => (await audit.read()).slice(writesBefore);

      await cluster.runManager(to, flags, signal);
      // Each of its controllers has worked on something new, and so has been through what was there before.
      await prepare("probe");
      const after = await untilSettled(versions, signal);
      expect(rewritten(before, after)).toEqual([]);
      expect((await writes()).filter(isOfManager).filter(({ resource }) => resource === "leases")).not.toEqual([]);
      expect((await writes()).filter(isOfManager).filter((request) => !isExpected(request, ["probe"]))).toEqual([]);

      await eachRow("changed", "change");
      const unchanged = Object.fromEntries(Object.entries(after).filter(([what]) => !what.includes("changed-")));
      expect(rewritten(unchanged, await untilSettled(versions, signal))).toEqual([]);
      const unexpected = (await writes()).filter(isOfManager);
      expect(unexpected.filter((request) => !isExpected(request, ["probe", "changed"]))).toEqual([]);
    }, 1_800_000);
  });
});

const isOfManager = ({ user }: WriteRequest) =>
  user === "system:kube-controller-manager" || user.startsWith("system:serviceaccount:kube-system:");

/** Of the process itself: its lease and the event of it, its credentials, and reviews of who asks its endpoints. */
const own = new Set(["leases", "events", "serviceaccounts", "serviceaccounts/token"]);
const reviews = new Set(["tokenreviews", "subjectaccessreviews"]);

function isExpected({ resource, namespace, name }: WriteRequest, prefixes: readonly string[]): boolean {
  if (reviews.has(resource) || (namespace === "kube-system" && own.has(resource))) return true;
  // Events of nodes: whoever takes over registers all that there are.
  if (resource === "events" && namespace === "default") return true;
  return prefixes.some((prefix) => `${namespace}/${name}`.includes(`${prefix}-`));
}
