// API services.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const path = "/apis/apiregistration.k8s.io/v1/apiservices";
const named = { metadata: { name: "v1.{ns}.example.com" } };
const service = { namespace: "n", name: "s" };

export const apiregistrationScenes: readonly Scene[] = [
  kindScene({
    name: "API services",
    path,
    object: {
      kind: "APIService",
      apiVersion: "apiregistration.k8s.io/v1",
      metadata: { name: "v1.{ns}.example.com" },
      spec: { group: "{ns}.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 },
    },
    others: {
      "from a prefix": { metadata: { name: "v1.{ns}.example.com", generateName: "v1" } },
      "badly labelled and more": { metadata: { name: "a", labels: { "a b": "c" } }, spec: { version: "1" } },
      "under another name": {},
      "without anything": { metadata: { name: "." }, spec: undefined },
      "of no group": { metadata: { name: "v2." }, spec: { group: undefined, version: "v2" } },
      "of a bad group": { metadata: { name: "v1.A_b" }, spec: { group: "A_b" } },
      "of a bad version": { metadata: { name: "1.{ns}.example.com" }, spec: { version: "1" } },
      "of high priorities": { ...named, spec: { groupPriorityMinimum: 20001, versionPriority: 1001 } },
      "of low priorities": { ...named, spec: { groupPriorityMinimum: 0, versionPriority: -1 } },
      "local with a bundle": { ...named, spec: { caBundle: "YWJj", insecureSkipTLSVerify: true } },
      "of a service of nothing": { ...named, spec: { service: {} } },
      "of a bad port": { ...named, spec: { service: { ...service, port: 70000 } } },
      "insecure with a bundle": { ...named, spec: { service, caBundle: "YWJj", insecureSkipTLSVerify: true } },
      "of a service": {
        metadata: { name: "v2.{ns}.example.com" },
        spec: { version: "v2", service, insecureSkipTLSVerify: true },
      },
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "of another version": { spec: { version: "v2" } },
      "of another priority": { spec: { versionPriority: 20 } },
    },
    throughSubresources: {
      "status: badly told": { status: { conditions: [{ type: "Available", status: "X" }] } },
      "status: being deleted": { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } },
    },
    badName: "a%b",
  }),
];
