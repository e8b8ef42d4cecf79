import { describe, expect, test } from "vitest";
import { fnv128a, sortSlicePorts, sortSubsetPorts } from "./go-order.ts";

// What Go prints for `fnv.New128a()` over the dump of such a struct.
describe("the hash of a port is upstream's:", () => {
  for (const [dump, hash] of [
    [
      "(v1.EndpointPort){Name:(*string)http Protocol:(*v1.Protocol)TCP Port:(*int32)8080 AppProtocol:(*string)<nil>}",
      "0e874d5677090ee5c32afa85f637c347",
    ],
    [
      "(v1.EndpointPort){Name:(*string) Protocol:(*v1.Protocol)UDP Port:(*int32)53 AppProtocol:(*string)kubernetes.io/h2c}",
      "32d2507b122b36c0ad29913aefd4a37c",
    ],
    [
      "(v1.EndpointPort){Name:(string)http Port:(int32)8080 Protocol:(v1.Protocol)TCP AppProtocol:(*string)<nil>}",
      "25304a33da9e6ece350a4142a45f5b75",
    ],
  ] as const) {
    test(dump, () => expect(fnv128a(dump)).toBe(hash));
  }
});

const http = { name: "http", protocol: "TCP", port: 8080 };
const dns = { name: "", protocol: "UDP", port: 53, appProtocol: "kubernetes.io/h2c" };

test("the ports of a slice are in the order of their hashes", () => {
  expect(sortSlicePorts([dns, http])).toEqual([http, dns]);
  expect(sortSlicePorts([http, dns])).toEqual([http, dns]);
});

test("the ports of a subset are in the order of their hashes", () => {
  // 25304a… before ea9d9c…
  expect(sortSubsetPorts([dns, http])).toEqual([http, dns]);
});
