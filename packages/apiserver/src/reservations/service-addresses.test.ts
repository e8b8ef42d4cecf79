// Addresses and ports over the whole server: what a service is given, what it gives back, and that nobody else ever has it.
import { type ApiRequest, type corev1, type networkingv1, noBody } from "@kubeloop/core/api";
import { FakeClock, type Random, randomBelow, seededRandom } from "@kubeloop/core/base";
import { afterEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { heldAddresses, specOf } from "../kinds/core/services/service-traits.ts";
import { MemoryStorage, type Storage } from "../storage/index.ts";

const never = new AbortController().signal;
const path = "/api/v1/namespaces/default/services";
/** Everybody's first choice is the same. */
const lowest: Random = { next: () => 0 };

let server: ApiServer;
let storage: Storage;
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function open({ cidrs, random = seededRandom(1) }: { cidrs?: readonly string[]; random?: Random } = {}) {
  storage = new MemoryStorage();
  if (cidrs !== undefined) {
    await writeRange("kubernetes", { spec: { cidrs } });
  }
  server = await ApiServer.open({ clock: new FakeClock(), random, storage });
}

async function writeRange(name: string, parts: object): Promise<void> {
  const object = { kind: "ServiceCIDR", apiVersion: "networking.k8s.io/v1", metadata: { name }, ...parts };
  await storage.write([{ collection: "networking.k8s.io/servicecidrs", key: name, expected: 0, object }]);
}

interface Answered {
  readonly code: number;
  readonly service: corev1.Service;
  readonly message: string;
}

async function ask(method: string, to: string, value?: unknown, query: ApiRequest["query"] = []): Promise<Answered> {
  const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
  const request = { method, path: to, query, headers: {}, body, prefers: "values" } as const;
  const response = await server.transport(request, never);
  const answer = response.body.kind === "value" ? response.body.value : {};
  const { message = "" } = answer as { readonly message?: string };
  return { code: response.status, service: answer as corev1.Service, message };
}

const service = (name: string, spec: corev1.ServiceSpec = {}, metadata = {}) => ({
  metadata: { name, ...metadata },
  spec: { ports: [{ port: 80 }], ...spec },
});
const create = (name: string, spec?: corev1.ServiceSpec) => ask("POST", path, service(name, spec));
const update = (name: string, spec?: corev1.ServiceSpec) => ask("PUT", `${path}/${name}`, service(name, spec));
const remove = (name: string) => ask("DELETE", `${path}/${name}`);
const onNodes = (nodePort?: number): corev1.ServiceSpec => ({
  type: "NodePort",
  ports: [nodePort === undefined ? { port: 80 } : { port: 80, nodePort }],
});
const ipOf = ({ service: { spec } }: Answered) => spec?.clusterIP ?? "";
const portOf = ({ service: { spec } }: Answered) => spec?.ports?.[0]?.nodePort;

const keysIn = async (collection: string) => {
  const { objects } = await storage.list(collection, {});
  return objects.map(({ metadata }) => metadata.name ?? "");
};
const takenIps = () => keysIn("networking.k8s.io/ipaddresses");
const takenPorts = async () => (await keysIn("ranges/servicenodeports")).map(Number);

describe("a new service", () => {
  test("gets an address that is an object of its own", async () => {
    await open();
    const created = await create("a");
    const ip = ipOf(created);
    const storageKey = { collection: "networking.k8s.io/ipaddresses", key: ip };
    expect(await storage.get(storageKey)).toMatchObject({
      kind: "IPAddress",
      metadata: {
        name: ip,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
        managedFields: [{ manager: "kube-apiserver", operation: "Update", apiVersion: "networking.k8s.io/v1" }],
        // Written together with the service.
        resourceVersion: created.service.metadata.resourceVersion,
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
    });
  });

  test("gets an address under the name the server gives it", async () => {
    await open();
    const made = await ask("POST", path, { metadata: { generateName: "g-" }, spec: { ports: [{ port: 80 }] } });
    const storageKey = { collection: "networking.k8s.io/ipaddresses", key: ipOf(made) };
    const { spec } = (await storage.get(storageKey)) as networkingv1.IPAddress;
    expect(spec?.parentRef?.name).toBe(made.service.metadata.name);
  });

  test("gets a port of its own for each of its ports and its health check", async () => {
    await open({ random: lowest });
    const ports = [80, 81, 82].map((port) => ({ name: `p${port}`, port }));
    const { service: made } = await create("a", { type: "LoadBalancer", externalTrafficPolicy: "Local", ports });
    expect(made.spec?.ports?.map(({ nodePort }) => nodePort)).toEqual([30_086, 30_087, 30_088]);
    expect(made.spec?.healthCheckNodePort).toBe(30_089);
  });

  test("leaves nothing taken when it is refused after all", async () => {
    await open();
    const before = [await takenIps(), await takenPorts()];
    expect((await create("a", { ...onNodes(), sessionAffinity: "Odd" })).code).toBe(422);
    expect((await ask("POST", path, service("a", onNodes()), [["dryRun", "All"]])).code).toBe(201);
    expect([await takenIps(), await takenPorts()]).toEqual(before);
  });

  test("cannot have the port another one has", async () => {
    await open();
    await create("a", onNodes(30_500));
    const { code, message } = await create("b", onNodes(30_500));
    expect(code).toBe(422);
    expect(message).toBe(
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30500: provided port is already allocated',
    );
  });

  test("cannot have the port of another one's health check", async () => {
    await open();
    const local: corev1.ServiceSpec = {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30_501,
    };
    await create("a", local);
    expect((await create("b", onNodes(30_501))).code).toBe(422);
    expect(await create("c", local)).toMatchObject({
      code: 500,
      message:
        "Internal error occurred: failed to allocate requested HealthCheck NodePort 30501: provided port is already allocated",
    });
  });
});

describe("what a service no longer has", () => {
  for (const [what, spec] of [
    ["when it is a name only", { type: "ExternalName", externalName: "a.b" }],
    ["when it leaves the nodes", { type: "ClusterIP" }],
    ["when it names another port", onNodes(30_601)],
    ["when it has no ports on nodes", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }],
  ] as const) {
    test(`is free again ${what}`, async () => {
      await open();
      await create("a", { clusterIP: "10.0.0.77", ...onNodes(30_600) });
      const changed = await update("a", spec as corev1.ServiceSpec);
      expect(changed.code).toBe(200);
      const held = heldAddresses(specOf(changed.service));
      expect(await takenIps()).toEqual(["10.0.0.1", ...held.ips]);
      expect(await takenPorts()).toEqual(held.ports);
      expect(held.ports).not.toContain(spec.type === "LoadBalancer" ? 0 : 30_600);
    });
  }

  test("is free again when it is deleted, and its Endpoints are gone", async () => {
    await open();
    await create("a", { clusterIP: "10.0.0.77", ...onNodes(30_600) });
    await ask("POST", "/api/v1/namespaces/default/endpoints", { metadata: { name: "a" } });
    expect((await remove("a")).code).toBe(200);
    expect(await takenIps()).toEqual(["10.0.0.1"]);
    expect(await takenPorts()).toEqual([]);
    expect(await keysIn("endpoints")).toEqual([]);
    expect((await create("b", { clusterIP: "10.0.0.77", ...onNodes(30_600) })).code).toBe(201);
  });

  test("stays taken as long as somebody holds the service", async () => {
    await open();
    const held = service("a", { clusterIP: "10.0.0.77" }, { finalizers: ["example.com/hold"] });
    await ask("POST", path, held);
    await remove("a");
    expect(await takenIps()).toContain("10.0.0.77");
    const { service: current } = await ask("GET", `${path}/a`);
    const { finalizers: _gone, ...metadata } = current.metadata;
    // Whoever may write the status may let go.
    await ask("PUT", `${path}/a/status`, { ...current, metadata });
    expect((await ask("GET", `${path}/a`)).code).toBe(404);
    expect(await takenIps()).not.toContain("10.0.0.77");
  });

  test("is not missed when somebody has deleted its object", async () => {
    await open();
    const ip = ipOf(await create("a"));
    await ask("DELETE", `/apis/networking.k8s.io/v1/ipaddresses/${ip}`);
    expect((await remove("a")).code).toBe(200);
  });

  test("comes back with the state it was taken in", async () => {
    await open();
    await create("a", { clusterIP: "10.0.0.77", ...onNodes(30_600) });
    const snapshot = server.snapshot();
    await remove("a");
    await server.restore(snapshot);
    expect((await create("b", { clusterIP: "10.0.0.77" })).code).toBe(422);
    expect((await create("b", onNodes(30_600))).code).toBe(422);
  });
});

describe("of those who write at the same time", () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${i}`);

  test("each gets an address and a port of its own", async () => {
    await open({ random: lowest });
    const made = await Promise.all(names.map((name) => create(name, onNodes())));
    expect(made.map(({ code }) => code)).toEqual(names.map(() => 201));
    expect(new Set(made.map(ipOf)).size).toBe(names.length);
    expect(new Set(made.map(portOf)).size).toBe(names.length);
    expect((await takenIps()).length).toBe(names.length + 1);
  });

  test("only one gets the address all of them name", async () => {
    await open();
    const made = await Promise.all(names.map((name) => create(name, { clusterIP: "10.0.0.77" })));
    expect(made.filter(({ code }) => code === 201)).toHaveLength(1);
    for (const { code, message, service: refused } of made) {
      if (code === 201) continue;
      expect(code).toBe(422);
      expect(message).toContain("provided IP is already allocated");
      expect(refused.spec).toBeUndefined();
    }
  });

  test("only one gets the port all of them name", async () => {
    await open();
    const made = await Promise.all(names.map((name) => create(name, onNodes(30_700))));
    expect(made.filter(({ code }) => code === 201)).toHaveLength(1);
    expect(await takenPorts()).toEqual([30_700]);
  });
});

describe("a range that is full", () => {
  test("is told", async () => {
    await open({ cidrs: ["10.0.0.0/30"] });
    expect(ipOf(await create("a"))).toBe("10.0.0.2");
    expect(await create("b")).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to allocate a serviceIP for Service "b": range is full',
    });
    await remove("a");
    expect(ipOf(await create("b"))).toBe("10.0.0.2");
  });

  test("is helped by another one that is ready", async () => {
    await open({ cidrs: ["10.0.0.0/30"] });
    const add = (name: string, status: string) =>
      writeRange(name, { spec: { cidrs: ["10.7.0.0/30"] }, status: { conditions: [{ type: "Ready", status }] } });
    await create("a");
    await add("unready", "False");
    expect((await create("b")).code).toBe(500);
    await add("ready", "True");
    expect(ipOf(await create("b"))).toMatch(/^10\.7\.0\.[12]$/);
  });

  test("of ports on nodes is told", async () => {
    await open();
    const object = (port: number) => ({ kind: "RangeAllocation", apiVersion: "v1", metadata: { name: String(port) } });
    const all = Array.from({ length: 2768 }, (_, i) => 30_000 + i);
    await storage.write(
      all.map((port) => ({
        collection: "ranges/servicenodeports",
        key: String(port),
        expected: 0,
        object: object(port),
      })),
    );
    expect(await create("a", onNodes())).toMatchObject({
      code: 500,
      message: "Internal error occurred: failed to allocate a nodePort: range is full",
    });
  });
});

describe("in a cluster of both families a service", () => {
  const cidrs = ["10.0.0.0/24", "2001:db8::/112"];

  test("has one of the first unless it says otherwise", async () => {
    await open({ cidrs });
    expect((await create("a")).service.spec).toMatchObject({ ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
    expect(ipOf(await create("b", { ipFamilies: ["IPv6"] }))).toMatch(/^2001:db8::/);
  });

  test("has one of each when it prefers that", async () => {
    await open({ cidrs });
    const { service: made } = await create("a", { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] });
    expect(made.spec?.ipFamilies).toEqual(["IPv6", "IPv4"]);
    expect(made.spec?.clusterIPs).toEqual([expect.stringMatching(/^2001:db8::/), expect.stringMatching(/^10\.0\.0\./)]);
    expect((await takenIps()).toSorted()).toEqual(["10.0.0.1", ...(made.spec?.clusterIPs ?? [])].toSorted());
  });

  test("gets a second address, and gives it back", async () => {
    await open({ cidrs });
    const ip = ipOf(await create("a"));
    const { service: dual } = await update("a", { ipFamilyPolicy: "RequireDualStack" });
    expect(dual.spec?.clusterIPs).toEqual([ip, expect.stringMatching(/^2001:db8::/)]);
    const { service: single } = await update("a", { ipFamilyPolicy: "SingleStack" });
    expect(single.spec?.clusterIPs).toEqual([ip]);
    expect(await takenIps()).toEqual(["10.0.0.1", ip].toSorted());
  });

  test("does not lose its second address without a word", async () => {
    await open({ cidrs });
    const { service: dual } = await create("a", { ipFamilyPolicy: "RequireDualStack" });
    const [first = ""] = dual.spec?.clusterIPs ?? [];
    const { code, message } = await update("a", {
      clusterIP: first,
      clusterIPs: [first],
      ipFamilyPolicy: "PreferDualStack",
    });
    expect(code).toBe(422);
    expect(message).toBe(
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary cluster IP',
    );
  });

  test("takes an address in any spelling", async () => {
    await open({ cidrs });
    const made = await create("a", { clusterIP: "2001:DB8::0:5", ipFamilies: ["IPv6"] });
    expect(ipOf(made)).toBe("2001:DB8::0:5");
    expect(await takenIps()).toContain("2001:db8::5");
    expect((await create("b", { clusterIP: "2001:db8::5", ipFamilies: ["IPv6"] })).code).toBe(422);
  });
});

describe("whatever happens", () => {
  const specs: readonly corev1.ServiceSpec[] = [
    {},
    { clusterIP: "None" },
    { clusterIP: "10.0.0.5" },
    { clusterIP: "10.0.0.6", type: "NodePort" },
    onNodes(),
    onNodes(30_001),
    {
      type: "NodePort",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 80, protocol: "UDP" },
        { name: "c", port: 81 },
      ],
    },
    { type: "LoadBalancer", externalTrafficPolicy: "Local" },
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
    { type: "ExternalName", externalName: "a.b" },
    { type: "ExternalName", externalName: "a.b", ports: [{ port: 80, nodePort: 30_001 }] },
    { sessionAffinity: "Odd", ...onNodes() },
  ];

  for (const seed of [1, 2, 3]) {
    test(`what is taken is what services hold (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      await open({ random: seededRandom(`server ${seed}`) });
      for (let round = 0; round < 40; round++) {
        const some = Array.from({ length: 5 }, () => {
          const name = `s${randomBelow(random, 6)}`;
          const spec = specs[randomBelow(random, specs.length)];
          const acts = [create, create, update, update, remove] as const;
          return acts[randomBelow(random, acts.length)]?.(name, spec);
        });
        await Promise.all(some);
        const { objects } = await storage.list("services", {});
        const held = objects.map((object) => heldAddresses(specOf(object as corev1.Service)));
        const numbers = (list: readonly number[]) => list.toSorted((a, b) => a - b);
        expect((await takenIps()).toSorted()).toEqual(held.flatMap(({ ips }) => ips).toSorted());
        expect(numbers(await takenPorts())).toEqual(numbers(held.flatMap(({ ports }) => ports)));
      }
    });
  }
});
