// What `describe` prints, against the real kubectl 1.36, byte for byte: rich objects of each kind, every kind that has no description of
// its own, the ways to ask, and what is said of what is not there. Ages, where they differ, are made equal.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BothKubectls, openBothKubectls } from "../both-kubectls.fixture.ts";
import {
  anyObjects,
  richData,
  richEvents,
  richNode,
  richNodeStatus,
  richPodStatus,
  richPods,
  richServices,
  richStorage,
  richWorkloads,
  rolled,
} from "./rich-objects.fixture.ts";

let both: BothKubectls;

beforeAll(async () => {
  both = await openBothKubectls(/\b(Age|lasts)\b/);
  await both.write("node.yaml", [richNode]);
  await both.write("pods.yaml", richPods);
  await both.write("others.yaml", [...richWorkloads, ...richServices, ...richStorage, ...richData]);
  await both.write("rolled.yaml", [rolled("shop/web:2", 3)]);
  await both.write("any.yaml", anyObjects);
  await both.write("missing.yaml", [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "missing" } }]);
  await theirs("create namespace rich");
  await theirs("apply -f node.yaml");
  await theirs("create -f pods.yaml -f others.yaml -n rich");
  await theirs("create -f any.yaml -n rich");
  await theirs("wait --for=condition=Available deployment/rolled -n rich --timeout=60s");
  await theirs("apply -f rolled.yaml -n rich");
  await theirs("wait --for=jsonpath={.status.updatedReplicas}=3 deployment/rolled -n rich --timeout=60s");
  await theirs("wait --for=condition=Ready pod/runs -n rich --timeout=60s");
  await patchStatus("pod/rich", richPodStatus);
  await patchStatus("node/rich", richNodeStatus);
  await theirs("delete pod leaving -n rich --wait=false");
  const uid = await theirs("get serviceaccount rich -n rich -o jsonpath={.metadata.uid}");
  await both.write("events.yaml", richEvents("rich", uid));
  await theirs("create -f events.yaml -n rich");
});

afterAll(async () => await both[Symbol.asyncDispose]());

/** Words are parted by spaces. What fails, fails the test. */
async function theirs(command: string): Promise<string> {
  const { code, out, err } = await both.theirs(command.split(" "));
  expect({ command, code, err: code === 0 ? "" : err }).toEqual({ command, code: 0, err: "" });
  return out;
}

async function patchStatus(object: string, patch: object): Promise<void> {
  const args = ["patch", object, "-n", "rich", "--subresource=status", "--type=merge", "-p", JSON.stringify(patch)];
  expect((await both.theirs(args)).err).not.toMatch(/error/i);
}

const names = (objects: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe("one object, with its events", () => {
  const kept = richServices.filter(({ kind }) => kind !== "EndpointSlice");
  const all = [...richPods, ...richWorkloads, ...kept, ...richStorage, ...richData, ...anyObjects];
  for (const name of [...names(all), "Node/rich", "Node/node-0", "Namespace/rich", "Namespace/default", "Lease/none"]) {
    test(name, async () => await both.expectSame(["describe", name, "-n", "rich"]));
  }
});

/** Kinds whose own description is not here yet. */
const otherwise = new Set<string>([
  "endpoints",
  "replicationcontrollers",
  "horizontalpodautoscalers.autoscaling",
  "certificatesigningrequests.certificates.k8s.io",
  "endpointslices.discovery.k8s.io",
  "ingressclasses.networking.k8s.io",
  "ingresses.networking.k8s.io",
  "networkpolicies.networking.k8s.io",
  "ipaddresses.networking.k8s.io",
  "servicecidrs.networking.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "priorityclasses.scheduling.k8s.io",
  "csinodes.storage.k8s.io",
  "storageclasses.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
]);

test("every kind that the server serves, in all namespaces", async () => {
  const kinds = (await theirs("api-resources -o name --verbs=list")).trim().split("\n");
  for (const kind of kinds.filter((one) => !otherwise.has(one))) await both.expectSame(["describe", kind, "-A"]);
});

describe("ways to ask", () => {
  for (const command of [
    "describe pods",
    "describe pods -l app=rich",
    "describe pods -l app=nothing",
    "describe pods -A -l app=nothing",
    "describe pods -A -l app=rich --show-events",
    "describe pod runs",
    "describe pod run",
    "describe pod run --show-events",
    "describe pod runs rich",
    "describe pod nothing",
    "describe pod nothing neither",
    "describe pod runs nothing",
    "describe pods,services nothing",
    "describe pods,services rich",
    "describe pod/runs",
    "describe pod/run",
    "describe pod/runs pod/nothing",
    "describe pod/runs svc/rolled sa/rich",
    "describe pod runs --show-events=false",
    "describe deploy,rs --chunk-size=1",
    "describe pods --chunk-size=0",
    "describe pods/a/b",
    "describe foo",
    "describe foo bar",
    "describe pods x -A",
    "describe pods x -l a=b",
    "describe pods -l (",
    "describe",
    "describe -f pods.yaml",
    "describe -f missing.yaml",
    "describe -f any.yaml -f missing.yaml",
    "describe -f nowhere.yaml",
    "describe pods -f pods.yaml",
    "describe node ri",
    "describe controllerrevision m",
  ]) {
    test(command, async () => await both.expectSame([...command.split(" "), "-n", "rich"]));
  }

  test("describe of a file that says its namespace wrongly", async () => {
    const stdin = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rich, namespace: other}\n";
    await both.expectSame(["describe", "-f", "-", "-n", "rich"], stdin);
  });
});
