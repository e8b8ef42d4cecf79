import { loadProtobuf } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { podToWrite } from "./real-pods.ts";

test("what the server gives a pod is not written", () => {
  expect(Object.keys(podToWrite(3, 0).metadata)).toEqual([
    "name",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "ownerReferences",
  ]);
});

test("each update of a pod changes its status, and nothing else", () => {
  const [one, next] = [podToWrite(3, 1), podToWrite(3, 2)];
  expect(next.status).not.toEqual(one.status);
  expect({ ...next, status: one.status }).toEqual(one);
});

test("a pod survives protobuf", async () => {
  const protobuf = await loadProtobuf();
  const pod = podToWrite(3, 1);
  const identity = { kind: "Pod", apiVersion: "v1" };
  const decoded = protobuf.decodeEnvelope(protobuf.wrapRaw(identity, protobuf.encodeRaw(pod)));
  expect(decoded).toMatchObject({ ...identity, spec: pod.spec, metadata: { name: pod.metadata.name } });
});
