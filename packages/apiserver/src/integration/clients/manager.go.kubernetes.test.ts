// An operator made with controller-runtime as a client of this server: leader election, caches, owned objects, events in both APIs,
// finalizers, status by patch and by update. What two replicas of it do, and what they leave behind, equals what they do and leave on a
// real server.
import { Cleanup } from "@kubeloop/core/base";
import { beforeAll, describe, expect, test } from "vitest";
import { GoClient, type Line } from "./go-client.contract.ts";
import { normalForm } from "./normal-form.contract.ts";
import { type ClientTarget, targets } from "./target.contract.ts";

const core = "/api/v1/namespaces/shop";
const apps = "/apis/apps/v1/namespaces/shop";
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "web:1" }] } },
  },
});

interface Told {
  /** What the replicas did, without repetitions and whatever the order in which they came to it. */
  readonly did: readonly string[];
  readonly left: Readonly<Record<string, unknown>>;
}

/** Two replicas; the first leads through most of the story, and then gives way. */
async function run(open: () => Promise<ClientTarget>): Promise<Told> {
  await using target = await open();
  const { send, kubeconfigPath } = target;
  await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await send("POST", `${apps}/deployments`, deployment("web"));
  await using started = new Cleanup();
  const start = async (identity: string) => {
    const args = ["manager", "--namespace", "shop", "--identity", identity];
    return started.use(await GoClient.start({ kubeconfigPath, args }));
  };
  const one = await start("one");
  await one.until(({ did }) => did === "lead");
  const two = await start("two");
  const reported = (generation: number) =>
    one.until((line) => line["did"] === "report" && line["name"] === "web" && line["generation"] === generation);
  await reported(1);

  await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 5 } });
  await reported(2);
  let said = one.lines.length;
  await send("PATCH", `${core}/configmaps/web-settings`, { data: { image: "not this" } });
  await one.until(({ did }) => did === "updated", said);
  said = one.lines.length;
  await send("DELETE", `${core}/configmaps/web-settings`);
  await one.until(({ did }) => did === "created", said);

  await send("POST", `${apps}/deployments`, deployment("brief"));
  await one.until((line) => line["did"] === "report" && line["name"] === "brief");
  await send("DELETE", `${apps}/deployments/brief`);
  await one.until((line) => line["did"] === "let go" && line["name"] === "brief");

  target.gate.cut(); // they come back, and the first still leads
  await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 1 } });
  await reported(3);

  await one.end();
  await two.until(({ did }) => did === "lead");
  await send("POST", `${apps}/deployments`, deployment("late"));
  await two.until((line) => line["did"] === "report" && line["name"] === "late");
  await two.end();

  const did = [
    ...one.lines.map((line) => ({ by: "one", ...line })),
    ...two.lines.map((line) => ({ by: "two", ...line })),
  ];
  return {
    did: [...new Set(did.map((line) => JSON.stringify(line)))].sort(),
    left: {
      deployments: await itemsOf(target, `${apps}/deployments`),
      configMaps: await itemsOf(target, `${core}/configmaps`),
      lease: await leaseOf(target),
      events: await eventsOf(target),
    },
  };
}

async function itemsOf({ send }: ClientTarget, path: string): Promise<readonly unknown[]> {
  const { items } = (await send("GET", path)) as { items: readonly unknown[] };
  return items.map((item) => plain(item));
}

/** Without the times that the operator wrote itself, and the uids that are keys of managed fields. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(normalForm(value));
  const withoutTimes = text.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"{time}"');
  return JSON.parse(withoutTimes.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{uid}"));
}

async function leaseOf({ send }: ClientTarget): Promise<unknown> {
  const lease = (await send("GET", "/apis/coordination.k8s.io/v1/namespaces/shop/leases/settings")) as {
    readonly spec: Readonly<Record<string, unknown>>;
  };
  return { ...lease.spec, acquireTime: "{time}", renewTime: "{time}" };
}

/** What was reported on what; how often and through which name is chance. */
async function eventsOf({ send }: ClientTarget): Promise<readonly string[]> {
  const { items } = (await send("GET", "/apis/events.k8s.io/v1/namespaces/shop/events")) as {
    readonly items: readonly Readonly<Record<string, unknown>>[];
  };
  const told = items.map(({ type, reason, note, action, reportingController, regarding, related }) => {
    const { kind, name } = regarding as { kind: string; name: string };
    const isAboutReplica = kind === "Lease"; // its note names the host
    return JSON.stringify({
      ...{ type, reason, action, kind, name },
      ...(isAboutReplica ? {} : { note, reportingController, related: (related as Line | undefined)?.["name"] }),
    });
  });
  return [...new Set(told)].sort();
}

describe("an operator made with controller-runtime", () => {
  let real: Told;
  let embedded: Told;
  beforeAll(async () => {
    real = await run(targets.real);
    embedded = await run(targets.embedded);
  }, 240_000);

  test("does what it does on a real server", () => {
    expect(embedded.did).toEqual(real.did);
    expect(embedded.did.filter((line) => line.includes('"did":"lead"'))).toHaveLength(2);
  });

  test("meets its conflicts", () => {
    const conflicts = embedded.did.filter((line) => line.includes('"did":"conflict"'));
    expect(conflicts).toHaveLength(3);
    for (const line of conflicts) expect(line).toContain('"isConflict":true');
  });

  for (const what of ["deployments", "configMaps", "lease", "events"]) {
    test(`leaves the same ${what}`, () => {
      expect(real.left[what]).toBeDefined();
      expect(embedded.left[what]).toEqual(real.left[what]);
    });
  }
});
