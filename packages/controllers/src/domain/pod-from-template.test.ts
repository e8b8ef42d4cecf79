import { newControllerReference } from "@kubeloop/core/api";
import { newReplicaSet, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { podFromTemplate } from "./pod-from-template.ts";

const owner = stored(newReplicaSet("shop/web"));

test("a pod has the template's labels, annotations, finalizers and spec, and the owner as its controller", () => {
  const metadata = { labels: { app: "web" }, annotations: { a: "1" }, finalizers: ["example.com/f"], name: "ignored" };
  const spec = { containers: [{ name: "c", image: "i" }] };
  expect(podFromTemplate({ metadata, spec }, owner)).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "shop",
      generateName: "web-",
      labels: { app: "web" },
      annotations: { a: "1" },
      finalizers: ["example.com/f"],
      ownerReferences: [newControllerReference(owner)],
    },
    spec,
  });
});

test.each([
  ["web", "web-"],
  ["w".repeat(253), `${"w".repeat(253)}-`],
  ["w".repeat(254), "w".repeat(254)],
])("the dash is left out where the prefix would not be a name: %#", (name, expected) => {
  const named = { ...owner, metadata: { ...owner.metadata, name } };
  expect(podFromTemplate(undefined, named).metadata.generateName).toBe(expected);
});
