// Devices and claims on them, as far as rules of their own go.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const group = "/apis/resource.k8s.io/v1";
const apiVersion = "resource.k8s.io/v1";
const devices = {
  requests: [
    { name: "a", exactly: { deviceClassName: "c" } },
    { name: "b", exactly: { deviceClassName: "c", allocationMode: "All" } },
    { name: "d", firstAvailable: [{ name: "e", deviceClassName: "c" }] },
  ],
};

export const resourceScenes: readonly Scene[] = [
  kindScene({
    name: "device classes",
    path: `${group}/deviceclasses`,
    object: { kind: "DeviceClass", apiVersion, metadata: { name: "{ns}-d" }, spec: { extendedResourceName: "a.b/c" } },
    changes: {
      "with metadata that is wrong": wrongMetadata,
      "with another name": { spec: { extendedResourceName: "a.b/d" } },
    },
  }),
  kindScene({
    name: "resource claims",
    path: `${group}/namespaces/{ns}/resourceclaims`,
    object: { kind: "ResourceClaim", apiVersion, metadata: { name: "c", generation: 3 }, spec: { devices } },
    changes: { "with metadata that is wrong": wrongMetadata, "with a label": { metadata: { labels: { c: "d" } } } },
  }),
  kindScene({
    name: "resource claim templates",
    path: `${group}/namespaces/{ns}/resourceclaimtemplates`,
    object: { kind: "ResourceClaimTemplate", apiVersion, metadata: { name: "t" }, spec: { spec: { devices } } },
    changes: { "with metadata that is wrong": wrongMetadata, "with a label": { metadata: { labels: { c: "d" } } } },
  }),
  kindScene({
    name: "resource slices",
    path: `${group}/resourceslices`,
    object: {
      kind: "ResourceSlice",
      apiVersion,
      metadata: { name: "{ns}-s" },
      spec: {
        driver: "a.b",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [
          {
            name: "d",
            taints: [{ key: "k", effect: "NoSchedule" }],
            attributes: { a: { string: "x", strings: ["y"] } },
            nodeAllocatableResourceMappings: { cpu: {} },
          },
        ],
      },
    },
    others: { "of a driver in capitals": { spec: { driver: "A.b" } } },
    changes: {
      "with metadata that is wrong": wrongMetadata,
      "of another driver": { spec: { driver: "c.d" } },
      "of another node": { spec: { nodeName: "m" } },
      "of another pool": { spec: { pool: { name: "q" } } },
      "without devices": { spec: { devices: null } },
    },
    steps: [
      {
        title: "by driver",
        path: `${group}/resourceslices`,
        query: { fieldSelector: "spec.driver=nobody,spec.nodeName=n" },
      },
      { title: "by namespace", path: `${group}/resourceslices`, query: { fieldSelector: "metadata.namespace=a" } },
    ],
  }),
];
