import { describe, expect, test } from "vitest";
import {
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  volumeAttachments,
} from "../../api/generated/resources.ts";
import { type corev1, type KubernetesObject, type Resource, withFaults } from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import { attachDetachController, type UnwantedSince } from "./attach-detach.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const resources = [pods, nodes, persistentVolumes, persistentVolumeClaims, volumeAttachments];
const device = "kubernetes.io/csi/csi.example.com^handle";

function volume(accessMode: string): corev1.PersistentVolume {
  const csi = { driver: "csi.example.com", volumeHandle: "handle" };
  const spec = { csi, accessModes: [accessMode], claimRef: { namespace: "shop", name: "data" } };
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv" }, spec };
}
const claim: corev1.PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { namespace: "shop", name: "data" },
  spec: { volumeName: "pv" },
};
function node(name: string, more: Partial<corev1.Node> = {}): corev1.Node {
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: {}, status, ...more };
}
function pod(name: string, nodeName: string): corev1.Pod {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name },
    spec: { containers: [], nodeName, volumes },
  };
}

async function onStage(options: Partial<StageOptions> & { readonly accessMode?: string } = {}) {
  const { accessMode = "ReadWriteOnce", ...more } = options;
  const objects: [Resource, KubernetesObject][] = [
    [persistentVolumes, volume(accessMode)],
    [persistentVolumeClaims, claim],
    [nodes, node("n1")],
    [nodes, node("n2")],
  ];
  const stage = new Stage(attachDetachController, { resources, objects, ...more });
  await stage.clock.advance(1000);
  return stage;
}
type OnStage = Stage<UnwantedSince>;

/** Sets the attachment to attached, as the CSI driver does. */
async function becomesAttached(stage: OnStage, name: string) {
  stage.edit(volumeAttachments, name, (each) => ({ ...each, status: { attached: true } }));
  await stage.clock.advance(1000);
}
async function runs(stage: OnStage, name: string, nodeName: string) {
  stage.server.server.create(pods, pod(name, nodeName));
  await stage.clock.advance(1000);
}
async function isAttached(stage: OnStage, name: string, nodeName: string) {
  await runs(stage, name, nodeName);
  await becomesAttached(stage, `csi-pv-${nodeName}`);
}
async function stops(stage: OnStage, name: string) {
  stage.server.server.delete(pods, `shop/${name}`);
  await stage.clock.advance(1000);
}
function uses(stage: OnStage, nodeName: string, volumesInUse: readonly string[]) {
  stage.edit(nodes, nodeName, (each) => ({ ...each, status: { ...each.status, volumesInUse } }));
}
function isUnwell(stage: OnStage, nodeName: string) {
  stage.edit(nodes, nodeName, (each) => ({
    ...each,
    status: { ...each.status, conditions: [{ type: "Ready", status: "Unknown" }] },
  }));
}
const attachments = (stage: OnStage) => stage.list(volumeAttachments).map(({ metadata }) => metadata.name);
const told = (stage: OnStage, nodeName: string) =>
  (stage.get(nodes, nodeName)?.status?.volumesAttached ?? []).map(({ name }) => name);

describe("run by the driver", () => {
  test("a volume is attached where a pod wants it", async () => {
    await using stage = await onStage();
    await runs(stage, "web", "n1");
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    expect(told(stage, "n1")).toEqual([]);
  });

  test("the node and the pod are told once it is attached", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    expect(told(stage, "n1")).toEqual([device]);
    expect(stage.events).toEqual(['Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv"']);
  });

  test("before it is detached the node is told so", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    await stops(stage, "web");
    expect(attachments(stage)).toEqual([]);
    expect(told(stage, "n1")).toEqual([]);
    expect(stage.server.log.slice(-2)).toEqual(["patch nodes/status n1", "delete volumeattachments csi-pv-n1"]);
  });

  test("a second node is refused while the first has it, and gets it afterwards", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    await runs(stage, "other", "n2");
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    expect(stage.events.at(-1)).toMatch(/^Warning FailedAttachVolume: Multi-Attach error .* already attached to n1$/);
    await stops(stage, "web");
    await stage.clock.advance(5000);
    expect(attachments(stage)).toEqual(["csi-pv-n2"]);
  });

  test("of two nodes that want it at once, one gets it", async () => {
    await using stage = await onStage();
    stage.server.server.create(pods, pod("web", "n1"));
    stage.server.server.create(pods, pod("other", "n2"));
    await stage.clock.advance(1000);
    expect(attachments(stage)).toHaveLength(1);
  });

  test("a volume for many is attached to many", async () => {
    await using stage = await onStage({ accessMode: "ReadWriteMany" });
    await runs(stage, "web", "n1");
    await runs(stage, "other", "n2");
    expect(attachments(stage)).toEqual(["csi-pv-n1", "csi-pv-n2"]);
  });

  test("what a healthy node still uses is never taken away", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    uses(stage, "n1", [device]);
    await stops(stage, "web");
    await stage.clock.advance(3_600_000);
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    uses(stage, "n1", []);
    await stage.clock.advance(1000);
    expect(attachments(stage)).toEqual([]);
  });

  test("from a node that is unwell it is taken after six minutes", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    uses(stage, "n1", [device]);
    isUnwell(stage, "n1");
    await stops(stage, "web");
    await stage.clock.advance(358_000);
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    await stage.clock.advance(3000);
    expect(attachments(stage)).toEqual([]);
  });

  test("wanted again in between, the six minutes begin anew", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    uses(stage, "n1", [device]);
    isUnwell(stage, "n1");
    await stops(stage, "web");
    await stage.clock.advance(300_000);
    await runs(stage, "web", "n1");
    await stops(stage, "web");
    await stage.clock.advance(300_000);
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    await stage.clock.advance(61_000);
    expect(attachments(stage)).toEqual([]);
  });

  test("from a node out of service it is taken at once", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    uses(stage, "n1", [device]);
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    stage.edit(nodes, "n1", (each) => ({ ...each, spec: { ...each.spec, taints } }));
    await stops(stage, "web");
    expect(attachments(stage)).toEqual([]);
  });

  test("a node that is gone holds nothing up", async () => {
    await using stage = await onStage();
    await isAttached(stage, "web", "n1");
    stage.server.server.delete(nodes, "n1");
    await stops(stage, "web");
    expect(attachments(stage)).toEqual([]);
  });

  test("when it cannot be detached, the node is told that it still has it", async () => {
    let isRefused = false;
    await using stage = await onStage({
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "refused", fault: { kind: "status", code: 403 }, match: { verbs: ["delete"] } }],
          { clock, random: seededRandom(1), isActive: () => isRefused },
        ),
    });
    await isAttached(stage, "web", "n1");
    isRefused = true;
    await stops(stage, "web");
    expect(attachments(stage)).toEqual(["csi-pv-n1"]);
    expect(told(stage, "n1")).toEqual([device]);
    isRefused = false;
    await stage.clock.advance(300_000);
    expect(attachments(stage)).toEqual([]);
    expect(told(stage, "n1")).toEqual([]);
  });

  test("a node that was changed meanwhile is not overwritten, and nothing is detached before it knows", async () => {
    let conflicts = 0;
    await using stage = await onStage({
      wrap: (transport) => async (request, signal) => {
        if (request.method === "PATCH" && conflicts > 0) {
          conflicts--;
          stage.edit(nodes, "n1", (each) => ({
            ...each,
            metadata: { ...each.metadata, labels: { n: String(conflicts) } },
          }));
        }
        return await transport(request, signal);
      },
    });
    await isAttached(stage, "web", "n1");
    conflicts = 2;
    await stops(stage, "web");
    await stage.clock.advance(10_000);
    expect(stage.get(nodes, "n1")?.metadata.labels).toEqual({ n: "0" });
    expect(told(stage, "n1")).toEqual([]);
    expect(attachments(stage)).toEqual([]);
    expect(stage.server.log.filter((line) => line.startsWith("delete"))).toHaveLength(1);
  });
});
