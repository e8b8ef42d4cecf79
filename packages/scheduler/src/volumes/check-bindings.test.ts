import { expect, test } from "vitest";
import { type ClusterFacts, listersOf, node } from "../cluster.fixture.ts";
import type { VolumesToBind } from "../framework/volumes-to-bind.ts";
import { claim, volume } from "../storage.fixture.ts";
import { checkBindings } from "./check-bindings.ts";

const version = (name: string, resourceVersion: string) => ({ name, resourceVersion });
const promised = (facts: { readonly version?: string; readonly uid?: string; readonly zone?: string } = {}) => {
  const { zone, uid = "uid-of-c" } = facts;
  const made = volume("v", {
    metadata: version("v", facts.version ?? "5"),
    ...(zone === undefined ? {} : { near: ["zone", zone] as const }),
  });
  return { ...made, spec: { ...made.spec, ...(uid === "" ? {} : { claimRef: { name: "c", uid } }) } };
};
const bound = claim("c", { volume: "v" });
const provisioned = (
  annotations: Readonly<Record<string, string>> | undefined,
  facts: { readonly volume?: string } = {},
) =>
  claim("c", {
    ...facts,
    metadata: {
      ...version("c", "5"),
      namespace: "default",
      ...(annotations === undefined ? {} : { annotations }),
    },
  });
const selected = { "volume.kubernetes.io/selected-node": "n" };
const complete = { ...selected, "pv.kubernetes.io/bind-completed": "yes" };
const binding: VolumesToBind = { bindings: [{ volume: promised(), claim: bound }], provisions: [] };
const provision: VolumesToBind = { bindings: [], provisions: [provisioned(selected)] };

test.each<[string, VolumesToBind, Omit<ClusterFacts, "nodes">, string]>([
  ["volume and claim are bound", binding, { volumes: [promised()], claims: [bound] }, "bound"],
  ["the claim is not bound yet", binding, { volumes: [promised()], claims: [claim("c")] }, "waiting"],
  [
    "the cache has not seen what was written",
    binding,
    { volumes: [promised({ version: "4", uid: "" })], claims: [bound] },
    "waiting",
  ],
  ["the volume has gone", binding, { claims: [bound] }, 'failed to check binding: persistentvolumes "v" not found'],
  [
    "the claim has gone",
    binding,
    { volumes: [promised()] },
    'failed to check binding: persistentvolumeclaims "default/c" not found',
  ],
  [
    "the volume was given back",
    binding,
    { volumes: [promised({ uid: "" })], claims: [bound] },
    'ClaimRef got reset for pv "v"',
  ],
  [
    "the node has lost the label that the volume needs",
    binding,
    { volumes: [promised({ zone: "b" })], claims: [bound] },
    'pv "v" node affinity doesn\'t match node "n": no matching NodeSelectorTerms',
  ],
  ["the volume is not provisioned yet", provision, { claims: [provisioned(selected)] }, "waiting"],
  [
    "the volume is provisioned and bound",
    provision,
    { claims: [provisioned(complete, { volume: "v" })], volumes: [promised()] },
    "bound",
  ],
  [
    "the provisioned volume is not seen yet",
    provision,
    { claims: [provisioned(complete, { volume: "v" })] },
    "waiting",
  ],
  [
    "the provisioned volume is out of reach",
    provision,
    { claims: [provisioned(complete, { volume: "v" })], volumes: [promised({ zone: "b" })] },
    'pv "v" node affinity doesn\'t match node "n": no matching NodeSelectorTerms',
  ],
  ["the claim's node was taken away", provision, { claims: [provisioned({})] }, 'provisioning failed for PVC "c"'],
  [
    "all annotations were taken away",
    provision,
    { claims: [provisioned(undefined)] },
    'selectedNode annotation reset for PVC "c"',
  ],
  [
    "the claim has gone while it was provisioned",
    provision,
    {},
    'failed to check provisioning pvc: persistentvolumeclaims "default/c" not found',
  ],
])("%s", (_, written, facts, expected) => {
  const progress = checkBindings(written, node("n", { labels: { zone: "a" } }), listersOf(facts));
  expect(progress.at === "failed" ? progress.message : progress.at).toBe(expected);
});
