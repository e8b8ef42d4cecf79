import { describe, expect, test } from "vitest";
import { type AddressPlan, findRepeatedNodePort, planAddresses, setIp, setPort } from "./plan-addresses.ts";
import type { Spec } from "./service-traits.ts";

const ip: Spec = { type: "ClusterIP", clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"], ipFamilies: ["IPv4"] };
const port = (number: number, nodePort?: number, protocol = "TCP") => ({
  port: number,
  protocol,
  ...(nodePort === undefined ? {} : { nodePort }),
});
const onNodes = (...ports: ReturnType<typeof port>[]): Spec => ({ ...ip, type: "NodePort", ports });
const local = { type: "LoadBalancer", externalTrafficPolicy: "Local" };

describe("asks for addresses", () => {
  for (const [what, spec, old, expected] of [
    ["any, when it is new and names none", { ipFamilies: ["IPv4"] }, undefined, [[0, "IPv4", undefined]]],
    ["the one it names", ip, undefined, [[0, "IPv4", "10.0.0.9"]]],
    [
      "one of each family",
      { ...ip, ipFamilies: ["IPv4", "IPv6"] },
      undefined,
      [
        [0, "IPv4", "10.0.0.9"],
        [1, "IPv6", undefined],
      ],
    ],
    ["none, when it is headless", { clusterIPs: ["None"], ipFamilies: ["IPv4"] }, undefined, []],
    ["none, when it is a name", { type: "ExternalName" }, undefined, []],
    ["none, when it has one", ip, ip, []],
    ["any, when it was a name", { ipFamilies: ["IPv4"] }, { type: "ExternalName" }, [[0, "IPv4", undefined]]],
    ["a second one, when it wants both", { ...ip, ipFamilies: ["IPv4", "IPv6"] }, ip, [[1, "IPv6", undefined]]],
    ["none, when it lets the second go", ip, { ...ip, ipFamilies: ["IPv4", "IPv6"] }, []],
    ["none, when it was headless", ip, { clusterIPs: ["None"], ipFamilies: ["IPv4"] }, []],
  ] as const satisfies readonly (readonly [string, Spec, Spec | undefined, readonly unknown[]])[]) {
    test(what, () => {
      const { ips } = planAddresses(spec, old);
      expect(ips.map(({ index, family, asked }) => [index, family, asked])).toEqual(expected);
    });
  }
});

describe("asks for ports", () => {
  for (const [what, spec, old, expected] of [
    ["none, when it is not on nodes", { ...ip, ports: [port(80)] }, undefined, []],
    [
      "any for each",
      onNodes(port(80), port(81)),
      undefined,
      [
        [[0], undefined],
        [[1], undefined],
      ],
    ],
    [
      "one for all protocols of a port",
      onNodes(port(53), port(53, undefined, "UDP")),
      undefined,
      [[[0, 1], undefined]],
    ],
    ["the one that another protocol names", onNodes(port(53), port(53, 30_053, "UDP")), undefined, [[[0, 1], 30_053]]],
    [
      "the one another protocol does not share",
      onNodes(port(53, 30_053), port(53, 30_054, "UDP")),
      undefined,
      [
        [[0], 30_053],
        [[1], 30_054],
      ],
    ],
    [
      "only those it names, when it gets none",
      { ...onNodes(port(80), port(81, 30_081)), type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
      undefined,
      [[[1], 30_081]],
    ],
    [
      "a port for its health check",
      { ...ip, ...local, ports: [port(80, 30_080)] },
      undefined,
      [
        [[0], 30_080],
        [[], undefined],
      ],
    ],
    ["the port its health check names", { ...ip, ...local, healthCheckNodePort: 30_090 }, undefined, [[[], 30_090]]],
    ["none that it has", onNodes(port(80, 30_080)), onNodes(port(80, 30_080)), []],
    [
      "any for each that is new, whatever the port",
      onNodes(port(53), port(53, undefined, "UDP")),
      onNodes(),
      [
        [[0], undefined],
        [[1], undefined],
      ],
    ],
    ["each that is new once", onNodes(port(80, 30_080), port(80, 30_080, "UDP")), ip, [[[0], 30_080]]],
    ["none for a health check that it has", { ...ip, ...local, healthCheckNodePort: 30_090 }, { ...ip, ...local }, []],
  ] as const satisfies readonly (readonly [string, Spec, Spec | undefined, readonly unknown[]])[]) {
    test(what, () => {
      const { ports } = planAddresses(spec, old);
      expect(ports.map((claim) => [claim.ports, claim.asked])).toEqual(expected);
    });
  }
});

test("what was found is put where it was asked for", () => {
  const spec = structuredClone(onNodes(port(53), port(53, undefined, "UDP"))) as never;
  const plan: AddressPlan = planAddresses(spec, undefined);
  for (const claim of plan.ports) setPort(spec, claim, 30_053);
  setPort(spec, { ports: [], asked: undefined }, 30_099);
  setIp(spec, { index: 1, family: "IPv6", asked: undefined }, "2001:db8::1");
  setIp(spec, { index: 0, family: "IPv4", asked: undefined }, "10.0.0.10");
  expect(spec).toMatchObject({
    clusterIP: "10.0.0.10",
    clusterIPs: ["10.0.0.10", "2001:db8::1"],
    ports: [{ nodePort: 30_053 }, { nodePort: 30_053 }],
    healthCheckNodePort: 30_099,
  });
});

test("a number under two protocols is no repetition", () => {
  expect(findRepeatedNodePort(onNodes(port(80, 30_080), port(80, 30_080, "UDP")))).toBeUndefined();
  expect(findRepeatedNodePort(onNodes(port(80), port(81)))).toBeUndefined();
  expect(findRepeatedNodePort(onNodes(port(80, 30_080), port(81, 30_080)))).toBe("{TCP 30080}");
});
