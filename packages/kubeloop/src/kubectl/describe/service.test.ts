import type { discoveryv1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { printEndpoints } from "./service.ts";

const slice = (
  addresses: readonly string[],
  ports: readonly { readonly name?: string; readonly port: number }[] = [{ name: "a", port: 1 }],
  notReady: readonly string[] = [],
): discoveryv1.EndpointSlice => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: {}, addressType: "IPv4", ports },
  endpoints: addresses.map((one) => ({ addresses: [one], conditions: { ready: !notReady.includes(one) } })),
});

for (const [what, slices, text] of [
  ["without slices are none", [], "<none>"],
  ["without addresses are an empty text", [slice([])], ""],
  ["have their port", [slice(["1.1.1.1", "::1"])], "1.1.1.1:1,[::1]:1"],
  ["of another port do not count", [slice(["1.1.1.1"], [{ name: "b", port: 1 }])], ""],
  ["of slices without ports have none", [slice(["1.1.1.1"], [])], "1.1.1.1"],
  ["that are not ready do not count", [slice(["1.1.1.1", "1.1.1.2"], undefined, ["1.1.1.1"])], "1.1.1.2:1"],
  ["are three at most", [slice(["1", "2", "3"]), slice(["4", "5"])], "1:1,2:1,3:1 + 2 more..."],
  ["that are not ready are more, but none", [slice(["1", "2", "3", "4"], undefined, ["4"])], "1:1,2:1,3:1 + 0 more..."],
] as const) {
  test(`endpoints ${what}`, () => expect(printEndpoints(slices, "a")).toBe(text));
}
