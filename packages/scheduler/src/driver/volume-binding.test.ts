import type { Transport } from "@kubeloop/core/api";
import { persistentVolumeClaims, persistentVolumes, pods, storageClasses } from "@kubeloop/core/resources";
import type { PersistentVolume, PersistentVolumeClaim } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { node } from "../cluster.fixture.ts";
import { claim, storageClass, type VolumeFacts, volume } from "../storage.fixture.ts";
import { never, type Running, withScheduler } from "./running-scheduler.fixture.ts";

/** Writes and reads of storage, as users and the PersistentVolume controller do them. */
function storageOf({ client, until }: Running) {
  const claims = client.resource(persistentVolumeClaims).in("default");
  const volumes = client.resource(persistentVolumes);
  const getClaim = (name: string) => claims.get(name, never);
  const getVolume = (name: string) => volumes.get(name, never);
  return {
    getClaim,
    getVolume,
    addClass: (name: string, provisioner?: string) =>
      client
        .resource(storageClasses)
        .create(storageClass(name, provisioner === undefined ? {} : { provisioner }), never),
    addClaim: (name: string, className: string) => {
      const { metadata: _, status: __, ...made } = claim(name, { className });
      return claims.create({ ...made, metadata: { name, namespace: "default" } }, never);
    },
    addVolume: async (name: string, facts: VolumeFacts) => {
      const source = { local: { path: "/data" }, nodeAffinity: { required: anyNode } };
      const made = volume(name, { ...facts, spec: {} });
      const created = await volumes.create({ ...made, spec: { ...source, ...made.spec } }, never);
      await volumes.updateStatus({ ...created, status: { phase: "Available" } }, never);
    },
    promised: (name: string) =>
      until(`${name} is promised`, async () => ((await getVolume(name)).spec?.claimRef ? getVolume(name) : undefined)),
    selectedNode: (name: string) => until(`${name} has a node`, async () => selectedNodeOf(await getClaim(name))),
    complete: async (name: string, volumeName: string) => {
      const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
      await claims.patch(name, { type: "merge", body: { metadata: { annotations }, spec: { volumeName } } }, never);
    },
    annotate: (name: string, annotations: Readonly<Record<string, string | null>>) =>
      claims.patch(name, { type: "merge", body: { metadata: { annotations } } }, never),
  };
}

const anyNode = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "Exists" }] }],
};
const selectedNodeOf = ({ metadata }: PersistentVolumeClaim) =>
  metadata.annotations?.["volume.kubernetes.io/selected-node"];
const using = (...claims: readonly string[]) => ({
  spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});
const claimOf = ({ spec }: PersistentVolume) => spec?.claimRef?.name;

test("a volume is promised to the claim, the pod nominated, and bound when the binding is complete", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, get, nodeOf, until } = running;
    const { addClass, addClaim, addVolume, promised, complete, getClaim } = storageOf(running);
    await addNode(node("a"));
    await addClass("s");
    await addClaim("c", "s");
    await addVolume("v", { className: "s" });
    await create("p", using("c"));
    const { metadata, spec } = await promised("v");
    const { uid } = (await getClaim("c")).metadata;
    expect(metadata.annotations).toEqual({ "pv.kubernetes.io/bound-by-controller": "yes" });
    expect(spec?.claimRef).toMatchObject({ apiVersion: "v1", kind: "PersistentVolumeClaim", name: "c", uid });
    await until("a nomination", async () => (await get("p")).status?.nominatedNodeName);
    expect((await get("p")).spec.nodeName).toBeUndefined();
    await complete("c", "v");
    expect(await nodeOf("p")).toBe("a");
  });
});

test("a claim without a volume gets its node, and the pod waits for the provisioner", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, get, nodeOf } = running;
    const { addClass, addClaim, addVolume, selectedNode, complete } = storageOf(running);
    await addNode(node("a"));
    await addClass("s", "csi.example.com");
    await addClaim("c", "s");
    await create("p", using("c"));
    expect(await selectedNode("c")).toBe("a");
    expect((await get("p")).spec.nodeName).toBeUndefined();
    await addVolume("made", { className: "other" });
    await complete("c", "made");
    expect(await nodeOf("p")).toBe("a");
  });
});

test("two pods do not get the same volume", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, messageOf } = running;
    const { addClass, addClaim, addVolume, promised } = storageOf(running);
    await addNode(node("a"));
    await addClass("s");
    await addClaim("c", "s");
    await addClaim("d", "s");
    await addVolume("v", { className: "s" });
    await Promise.all([create("p", using("c")), create("q", using("d"))]);
    const winner = claimOf(await promised("v")) === "c" ? "p" : "q";
    expect(await messageOf(winner === "p" ? "q" : "p")).toContain(
      "1 node(s) didn't find available persistent volumes to bind.",
    );
  });
});

test("a provisioner that gives the claim back is an error, and the pod is tried again", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, messageOf, get } = running;
    const { addClass, addClaim, selectedNode, annotate } = storageOf(running);
    await addNode(node("a"));
    await addClass("s", "csi.example.com");
    await addClaim("c", "s");
    await annotate("c", { other: "left" });
    await create("p", using("c"));
    await selectedNode("c");
    await annotate("c", { "volume.kubernetes.io/selected-node": null });
    expect(await messageOf("p")).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "c"',
    );
    const condition = (await get("p")).status?.conditions?.find(({ type }) => type === "PodScheduled");
    expect(condition?.reason).toBe("SchedulerError");
    expect(await selectedNode("c")).toBe("a");
  });
});

test("bindings that take longer than ten minutes are an error", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, messageOf, clock } = running;
    const { addClass, addClaim, selectedNode } = storageOf(running);
    await addNode(node("a"));
    await addClass("s", "csi.example.com");
    await addClaim("c", "s");
    await create("p", using("c"));
    await selectedNode("c");
    await clock.advance(600_000);
    expect(await messageOf("p")).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
  });
});

test("a volume that could not be written is free for another pod", async () => {
  let refusals = 1;
  const wrap =
    (transport: Transport): Transport =>
    async (request, signal) => {
      if (request.method === "PATCH" && request.path.includes("/persistentvolumes/") && refusals-- > 0) {
        throw new Error("the wire is cut");
      }
      return await transport(request, signal);
    };
  await withScheduler(
    async (running) => {
      const { addNode, create, messageOf, client } = running;
      const { addClass, addClaim, addVolume, promised } = storageOf(running);
      await addNode(node("a"));
      await addClass("s");
      await addClaim("c", "s");
      await addClaim("d", "s");
      await addVolume("v", { className: "s" });
      await create("p", using("c"));
      expect(await messageOf("p")).toMatch(/^running PreBind plugin "VolumeBinding": .*the wire is cut/);
      await client.resource(pods).in("default").delete("p", { gracePeriodSeconds: 0 }, never);
      await create("q", using("d"));
      expect(claimOf(await promised("v"))).toBe("d");
    },
    { wrap },
  );
});

test("a pod that waits for its claim is tried when the claim comes, and when it is bound", async () => {
  await withScheduler(async (running) => {
    const { addNode, create, get, messageOf, nodeOf, until } = running;
    const { addClaim, addVolume, complete } = storageOf(running);
    await addNode(node("a"));
    await create("p", using("c"));
    expect(await messageOf("p")).toBe('0/1 nodes are available: persistentvolumeclaim "c" not found. not found');
    await addClaim("c", "");
    const immediate = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found";
    await until("the next refusal", async () => {
      const messages = (await get("p")).status?.conditions?.map(({ message }) => message);
      return messages?.includes(immediate) === true ? true : undefined;
    });
    await addVolume("v", {});
    await complete("c", "v");
    expect(await nodeOf("p")).toBe("a");
  });
});
