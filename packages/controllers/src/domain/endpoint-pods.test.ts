import type { corev1 } from "@kubeloop/core/api";
import { newPod, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { endpointHostname, isEndpoint, isHeadless, podAddresses, targetPortOf } from "./endpoint-pods.ts";

const pod = (status: corev1.PodStatus, metadata: object = {}) => stored(newPod("shop/p", { metadata, status }));
const deleted = { deletionTimestamp: "2024-01-01T00:00:00Z" };
const address = { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] };

describe("an endpoint is", () => {
  for (const [what, given, countsTerminating, expected] of [
    ["a pod that runs and has an address", pod({ phase: "Running", ...address }), false, true],
    ["a pod that is pending and has an address", pod({ phase: "Pending", ...address }), false, true],
    ["a pod with podIPs only", pod({ phase: "Running", podIPs: [{ ip: "10.0.0.1" }] }), false, true],
    ["no pod without an address", pod({ phase: "Running" }), true, false],
    ["no pod whose addresses are empty", pod({ phase: "Running", podIP: "", podIPs: [] }), true, false],
    ["no pod that failed", pod({ phase: "Failed", ...address }), true, false],
    ["no pod that succeeded", pod({ phase: "Succeeded", ...address }), true, false],
    ["no pod that is being deleted", pod({ phase: "Running", ...address }, deleted), false, false],
    ["a pod that is being deleted, where such count", pod({ phase: "Running", ...address }, deleted), true, true],
  ] as const) {
    test(what, () => expect(isEndpoint(given, { countsTerminating })).toBe(expected));
  }
});

test("addresses are of one family, and in their shortest spelling", () => {
  const both = pod({
    podIPs: [{ ip: "010.0.0.1" }, { ip: "FD00:0::1" }, { ip: "nonsense" }, { ip: "::ffff:10.0.0.2" }],
  });
  expect(podAddresses(both, "IPv4")).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(podAddresses(both, "IPv6")).toEqual(["fd00::1"]);
});

describe("the hostname of an endpoint is", () => {
  const service: corev1.Service = { apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name: "web" } };
  const named = (spec: Partial<corev1.PodSpec>) => stored(newPod("shop/p", { spec }));
  for (const [what, given, expected] of [
    ["the pod's, if its subdomain is the Service", named({ hostname: "p", subdomain: "web" }), "p"],
    ["none, if its subdomain is another", named({ hostname: "p", subdomain: "other" }), undefined],
    ["none without a subdomain", named({ hostname: "p" }), undefined],
    ["none without a hostname", named({ subdomain: "web" }), undefined],
    ["none in another namespace", stored(newPod("bank/p", { spec: { hostname: "p", subdomain: "web" } })), undefined],
  ] as const) {
    test(what, () => expect(endpointHostname(given, service)).toBe(expected));
  }
});

describe("the port of a pod is", () => {
  const port = (name: string, containerPort: number, protocol?: string) => ({
    name,
    containerPort,
    ...(protocol === undefined ? {} : { protocol }),
  });
  const given = stored(
    newPod("shop/p", {
      spec: {
        containers: [
          { name: "a", ports: [port("dns", 53, "UDP"), port("http", 8080, "TCP")] },
          { name: "b", ports: [port("http", 9090, "TCP"), port("admin", 81)] },
        ],
        initContainers: [
          { name: "init", ports: [port("init", 1)] },
          { name: "sidecar", restartPolicy: "Always", ports: [port("side", 2)] },
        ],
      },
    }),
  );
  for (const [what, servicePort, expected] of [
    ["a number as it is", { port: 80, targetPort: 8000 }, 8000],
    ["the Service's own without a target", { port: 80 }, 80],
    ["the first of that name", { port: 80, targetPort: "http", protocol: "TCP" }, 8080],
    ["one of that protocol only", { port: 53, targetPort: "dns", protocol: "TCP" }, undefined],
    ["one of UDP", { port: 53, targetPort: "dns", protocol: "UDP" }, 53],
    ["TCP unless somebody says otherwise", { port: 80, targetPort: "admin" }, 81],
    ["one of a sidecar", { port: 80, targetPort: "side" }, 2],
    ["none of an init container that ends", { port: 80, targetPort: "init" }, undefined],
    ["none of a name that nobody has", { port: 80, targetPort: "none" }, undefined],
    ["a name, if a text looks like a number", { port: 80, targetPort: "8080" }, undefined],
  ] as const) {
    test(what, () => expect(targetPortOf(given, servicePort)).toBe(expected));
  }
});

test.each([
  ["None", true],
  ["", true],
  [undefined, true],
  ["10.0.0.1", false],
])("a Service with the cluster IP %s is headless: %s", (clusterIP, expected) => {
  const spec = clusterIP === undefined ? {} : { clusterIP };
  expect(isHeadless({ apiVersion: "v1", kind: "Service", metadata: {}, spec })).toBe(expected);
});
