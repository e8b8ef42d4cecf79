// For which pods and audiences a node gets a service account's token.
import { expect, test } from "vitest";
import { userOf } from "../../../authentication/users.ts";
import { askPlugin, resourceOf, type Told } from "../admission.fixture.ts";
import { nodeRestriction } from "./node-restriction.ts";

const user = userOf({ name: "system:node:n", groups: ["system:nodes"] });
const volumes = [
  {
    name: "token",
    projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: { path: "t", audience: "vault" } }] },
  },
  { name: "inline", csi: { driver: "inline.example.com" } },
  { name: "claimed", persistentVolumeClaim: { claimName: "claim" } },
  { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
  { name: "disk", gcePersistentDisk: { pdName: "d" } },
  { name: "folder", hostPath: { path: "/a" } },
];
const pod = (name: string, nodeName: string, more: object = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", uid: `uid-${name}` },
  spec: { nodeName, containers: [], ...more },
});
const driver = (name: string, ...audiences: readonly string[]) => ({
  metadata: { name },
  spec: { tokenRequests: audiences.map((audience) => ({ audience })) },
});
const claim = (name: string, volumeName?: string) => ({
  metadata: { name, namespace: "shop" },
  spec: volumeName === undefined ? {} : { volumeName },
});
const stored = {
  pods: [
    pod("plain", "n"),
    pod("full", "n", { volumes }),
    pod("foreign", "m"),
    pod("lost", "n", {
      volumes: [
        { name: "a", csi: { driver: "none" } },
        { name: "b", csi: { driver: "none" } },
        { name: "c", persistentVolumeClaim: { claimName: "none" } },
        { name: "d", persistentVolumeClaim: { claimName: "unbound" } },
        ...volumes.slice(0, 1),
      ],
    }),
  ],
  persistentvolumeclaims: [claim("claim", "pv"), claim("full-scratch", "old-pv"), claim("unbound")],
  persistentvolumes: [
    { metadata: { name: "pv" }, spec: { csi: { driver: "claimed.example.com" } } },
    { metadata: { name: "old-pv" }, spec: { awsElasticBlockStore: { volumeID: "v" } } },
  ],
  "storage.k8s.io/csidrivers": [
    driver("inline.example.com", "inline"),
    driver("claimed.example.com", "claimed", "both"),
    driver("ebs.csi.aws.com", "old"),
    driver("pd.csi.storage.gke.io", "disk"),
  ],
};

const refusalOf = async (boundObjectRef: object | undefined, audiences?: readonly string[], more: Told = {}) => {
  const spec = { ...(boundObjectRef && { boundObjectRef }), ...(audiences && { audiences }) };
  const object = { kind: "TokenRequest", metadata: {}, spec };
  const resource = resourceOf("serviceaccounts");
  const told: Told = { stored, user, resource, subresource: "token", name: "robot", object, ...more };
  return (await askPlugin(nodeRestriction, told)).refusal;
};
const boundTo = (name: string, uid: string | undefined = `uid-${name}`) => ({
  apiVersion: "v1",
  kind: "Pod",
  name,
  uid,
});
const forbidden = (why: string) => (why === "" ? "" : `serviceaccounts "robot" is forbidden: ${why}`);
const notBound = "node requested token not bound to a pod";

test.each([
  ["nothing", undefined, notBound],
  ["a secret", { ...boundTo("full"), kind: "Secret" }, notBound],
  ["a pod of another version", { ...boundTo("full"), apiVersion: "v2" }, notBound],
  ["a pod without a name", boundTo(""), notBound],
  ["a pod without a uid", boundTo("full", ""), "node requested token with a pod binding without a uid"],
  [
    "a pod that has been replaced",
    boundTo("full", "other"),
    "the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated",
  ],
  ["a pod of another node", boundTo("foreign"), "node requested token bound to a pod scheduled on a different node"],
])("a token that is bound to %s is refused", async (_, ref, why) => {
  expect(await refusalOf(ref, ["vault"])).toBe(forbidden(why));
});

test("a token that is bound to no pod there is gets 404", async () => {
  expect(await refusalOf(boundTo("none"), ["vault"])).toBe('pod "none" not found');
});

const notAsked = (audience: string) =>
  `audience "${audience}" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience`;

test.each([
  ["full", ["vault"], ""],
  ["full", ["inline"], ""],
  ["full", ["claimed"], ""],
  ["full", ["both"], ""],
  ["full", ["old"], ""],
  ["full", ["disk"], ""],
  ["full", ["other"], notAsked("other")],
  ["full", [], notAsked("")],
  ["plain", ["vault"], notAsked("vault")],
  ["full", ["vault", "inline"], "node may only request 0 or 1 audiences"],
  ["lost", ["vault"], ""],
  [
    "lost",
    ["other"],
    'error validating audience "other": [csidriver.storage.k8s.io "none" not found, persistentvolumeclaim "none" not found, persistentvolume "" not found]',
  ],
])("pod %s and audiences %j", async (name, audiences, why) => {
  expect(await refusalOf(boundTo(name), audiences)).toBe(forbidden(why));
});

test("whoever may request every audience is not asked for volumes", async () => {
  const master = userOf({ name: "system:node:n", groups: ["system:nodes", "system:masters"] });
  expect(await refusalOf(boundTo("plain"), ["other"], { user: master })).toBe("");
});

test("a request that says null is one that says nothing", async () => {
  const object = { kind: "TokenRequest", metadata: {}, spec: { boundObjectRef: null, audiences: null } };
  expect(await refusalOf(undefined, [], { object })).toBe(forbidden(notBound));
  const bound = { ...object, spec: { boundObjectRef: boundTo("full"), audiences: null } };
  expect(await refusalOf(undefined, [], { object: bound })).toBe(forbidden(notAsked("")));
});

test("the account itself is not restricted", async () => {
  expect(await refusalOf(undefined, [], { subresource: "" })).toBe("");
  expect(await refusalOf(undefined, [], { operation: "UPDATE" })).toBe("");
});
