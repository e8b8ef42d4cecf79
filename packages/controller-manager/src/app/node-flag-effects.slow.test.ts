// What the flags of the controllers of nodes change, each with two values, on the embedded server and in virtual time.
import { findCondition, printTime } from "@kubeloop/core/api";
import { events, nodes } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { type ManagedCluster, withManager } from "./manager-on-embedded-server.fixture.ts";

const secondMs = 1000;

/** Nodes of one zone; the kubelet of a node reports once. */
const nodeActions = ({ client, signal, clock }: ManagedCluster) => {
  const all = client.resource(nodes);
  const report = async (name: string, status: string) => {
    const now = printTime(clock.now());
    const conditions = [{ type: "Ready", status, lastHeartbeatTime: now, lastTransitionTime: now }];
    await all.subresource("status").patch(name, { type: "merge", body: { status: { conditions } } }, signal);
  };
  return {
    async create(name: string, ready?: string, zone = "z") {
      const labels = { "topology.kubernetes.io/zone": zone };
      await all.create({ apiVersion: "v1", kind: "Node", metadata: { name, labels } }, signal);
      if (ready !== undefined) await report(name, ready);
    },
    get: (name: string) => all.get(name, signal),
    readyStatus: async (name: string) =>
      findCondition((await all.get(name, signal)).status?.conditions, "Ready")?.status,
    async countTainted() {
      let count = 0;
      for await (const { spec } of all.list({}, signal)) {
        if (spec?.taints?.some(({ effect }) => effect === "NoExecute") === true) count++;
      }
      return count;
    },
  };
};

const lifecycle = "--controllers=node-lifecycle-controller";

test.each([
  ["20s", 20],
  ["2m", 120],
])(
  "--node-monitor-grace-period=%s: a node is unknown %i seconds after it was last heard of",
  async (period, seconds) => {
    await withManager(
      [lifecycle, `--node-monitor-grace-period=${period}`, "--node-monitor-period=1s"],
      async (cluster) => {
        const { create, readyStatus } = nodeActions(cluster);
        await create("n", "True");
        await cluster.clock.advance((seconds - 1) * secondMs);
        expect(await readyStatus("n")).toBe("True");
        await cluster.clock.advance(4 * secondMs);
        expect(await readyStatus("n")).toBe("Unknown");
      },
    );
  },
);

test.each([
  ["20s", 20],
  ["2m", 120],
])(
  "--node-startup-grace-period=%s: a node that never reported is unknown after %i seconds",
  async (period, seconds) => {
    await withManager(
      [lifecycle, `--node-startup-grace-period=${period}`, "--node-monitor-period=1s"],
      async (cluster) => {
        const { create, readyStatus } = nodeActions(cluster);
        await create("n");
        await cluster.clock.advance((seconds - 1) * secondMs);
        expect(await readyStatus("n")).toBeUndefined();
        await cluster.clock.advance(4 * secondMs);
        expect(await readyStatus("n")).toBe("Unknown");
      },
    );
  },
);

test.each([
  ["1s", 60],
  ["10s", 6],
])("--node-monitor-period=%s: in a minute all nodes are looked at %i times", async (period, times) => {
  await withManager([lifecycle, `--node-monitor-period=${period}`], async (cluster) => {
    const { client, signal, clock } = cluster;
    const { create } = nodeActions(cluster);
    await create("first", "True");
    await clock.advance(30 * secondMs);
    // A node that comes is registered by the next look.
    const registered = async () => {
      const names = new Set<string>();
      for await (const { reason, involvedObject } of client.resource(events).in("default").list({}, signal)) {
        if (reason === "RegisteredNode") names.add(involvedObject.name ?? "");
      }
      return names.size;
    };
    let looks = 0;
    for (let i = 0; i < 60; i++) {
      const before = await registered();
      await create(`n-${i}`);
      await clock.advance(secondMs);
      if ((await registered()) > before) looks++;
    }
    expect(looks).toBeGreaterThanOrEqual(times - 1);
    expect(looks).toBeLessThanOrEqual(times + 1);
  });
});

interface Tainting {
  readonly flags: readonly string[];
  readonly down: number;
  readonly up: number;
}

/** How many nodes of a zone are tainted within these seconds, while another zone is well. */
async function countTainted({ flags, down, up }: Tainting, seconds: number): Promise<number> {
  let count = 0;
  await withManager([lifecycle, "--node-monitor-grace-period=10h", ...flags], async (cluster) => {
    const nodesOf = nodeActions(cluster);
    await nodesOf.create("well", "True", "w");
    for (let i = 0; i < up; i++) await nodesOf.create(`up-${i}`, "True");
    for (let i = 0; i < down; i++) await nodesOf.create(`down-${i}`, "False");
    await cluster.clock.advance(seconds * secondMs);
    count = await nodesOf.countTainted();
  });
  return count;
}

test.each([
  ["0.5", 6],
  ["0.05", 2],
])("--node-eviction-rate=%s: of a zone that is down, %i nodes are tainted in 28 seconds", async (rate, expected) => {
  expect(await countTainted({ flags: [`--node-eviction-rate=${rate}`], down: 6, up: 0 }, 28)).toBe(expected);
});

test.each([
  ["0.1", 4],
  ["0.01", 1],
])(
  "--secondary-node-eviction-rate=%s: of a large zone mostly down, %i nodes are tainted in 38 seconds",
  async (rate, expected) => {
    const flags = [`--secondary-node-eviction-rate=${rate}`, "--large-cluster-size-threshold=3"];
    expect(await countTainted({ flags, down: 6, up: 1 }, 38)).toBe(expected);
  },
);

test.each([
  [6, 3],
  [7, 0],
])(
  "--large-cluster-size-threshold=%i: of seven nodes, mostly down, %i are tainted in half a minute",
  async (size, expected) => {
    const flags = ["--secondary-node-eviction-rate=0.1", `--large-cluster-size-threshold=${size}`];
    expect(await countTainted({ flags, down: 6, up: 1 }, 28)).toBe(expected);
  },
);

test.each([
  ["0.7", 0],
  ["0.8", 3],
])(
  "--unhealthy-zone-threshold=%s: of four nodes, three of them down, %i are tainted in half a minute",
  async (share, expected) => {
    expect(await countTainted({ flags: [`--unhealthy-zone-threshold=${share}`], down: 3, up: 1 }, 28)).toBe(expected);
  },
);

/** The networks of two nodes, one after the other, with these flags; none if the controller does not run. */
async function networksWith(...flags: readonly string[]): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = [];
  await withManager(["--controllers=node-ipam-controller", ...flags], async (cluster) => {
    const { create, get } = nodeActions(cluster);
    for (const name of ["a", "b"]) {
      await create(name);
      await cluster.clock.advance(30 * secondMs);
      found.push((await get(name)).spec?.podCIDRs?.join(" "));
    }
  });
  return found;
}

const allocate = "--allocate-node-cidrs=true";

test.each([
  [true, ["10.0.0.0/24", "10.0.1.0/24"]],
  [false, [undefined, undefined]],
])("--allocate-node-cidrs=%s: nodes have the networks %j", async (isOn, expected) => {
  expect(await networksWith(`--allocate-node-cidrs=${isOn}`, "--cluster-cidr=10.0.0.0/16")).toEqual(expected);
});

test.each([
  ["10.9.0.0/16", ["10.9.0.0/24", "10.9.1.0/24"]],
  ["10.9.0.0/16,fd00::/48", ["10.9.0.0/24 fd00::/64", "10.9.1.0/24 fd00:0:0:1::/64"]],
])("--cluster-cidr=%s: nodes have the networks %j", async (cidr, expected) => {
  expect(await networksWith(allocate, `--cluster-cidr=${cidr}`)).toEqual(expected);
});

test.each([
  [26, ["10.0.0.0/26", "10.0.0.64/26"]],
  [20, ["10.0.0.0/20", "10.0.16.0/20"]],
])("--node-cidr-mask-size=%i: nodes have the networks %j", async (size, expected) => {
  expect(await networksWith(allocate, "--cluster-cidr=10.0.0.0/16", `--node-cidr-mask-size=${size}`)).toEqual(expected);
});

test.each([
  [26, 60, ["10.0.0.0/26 fd00::/60", "10.0.0.64/26 fd00:0:0:10::/60"]],
  [20, 56, ["10.0.0.0/20 fd00::/56", "10.0.16.0/20 fd00:0:0:100::/56"]],
])(
  "--node-cidr-mask-size-ipv4=%i and --node-cidr-mask-size-ipv6=%i: nodes have the networks %j",
  async (v4, v6, expected) => {
    const sizes = [`--node-cidr-mask-size-ipv4=${v4}`, `--node-cidr-mask-size-ipv6=${v6}`];
    expect(await networksWith(allocate, "--cluster-cidr=10.0.0.0/16,fd00::/48", ...sizes)).toEqual(expected);
  },
);

test.each([
  ["10.0.0.0/24", ["10.0.1.0/24", "10.0.2.0/24"]],
  ["10.96.0.0/12", ["10.0.0.0/24", "10.0.1.0/24"]],
])("--service-cluster-ip-range=%s: nodes have the networks %j", async (services, expected) => {
  const flags = ["--cluster-cidr=10.0.0.0/16", `--service-cluster-ip-range=${services}`];
  expect(await networksWith(allocate, ...flags)).toEqual(expected);
});

test.each([
  ["RangeAllocator", undefined],
  ["CloudAllocator", "but cloud provider is not configured"],
])("--cidr-allocator-type=%s: the complaint is %s", async (type, complaint) => {
  const running = networksWith(allocate, "--cluster-cidr=10.0.0.0/16", `--cidr-allocator-type=${type}`);
  if (complaint === undefined) expect(await running).toEqual(["10.0.0.0/24", "10.0.1.0/24"]);
  else await expect(running).rejects.toThrow(complaint);
});
