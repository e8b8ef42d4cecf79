// client-go's informers as clients of this server: typed in JSON and in protobuf, dynamic, of metadata only; by WatchList and by list and
// watch; through a network that breaks and a history that is forgotten. What their handlers are told and what their caches hold equals
// what they get from a real server.
import { Cleanup } from "@kubeloop/core/base";
import { beforeAll, describe, expect, test } from "vitest";
import { GoClient, type Line } from "./go-client.contract.ts";
import { normalForm } from "./normal-form.contract.ts";
import { type ClientTarget, targets } from "./target.contract.ts";

/** By default typed clients of this age speak protobuf. */
const contents = ["default", "json", "dynamic", "metadata"] as const;
const ways = { "by WatchList": "true", "by list and watch": "false" } as const;
const informers = contents.flatMap((content) =>
  Object.entries(ways).map(([way, watchList]) => ({ name: `${content} ${way}`, content, watchList })),
);

const core = "/api/v1/namespaces/shop";
const apps = "/apis/apps/v1/namespaces/shop";
const configMap = (name: string, data: object) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "busybox" }] } };
const pod = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: template.spec });
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template },
};

/** One story, told to all informers at once. */
async function tell({ send, gate, forgetHistory }: ClientTarget, clients: readonly GoClient[]): Promise<void> {
  const told = async (isWanted: (line: Line) => boolean) => {
    await Promise.all(clients.map((client) => client.until(isWanted)));
  };
  /** Of each resource the last change of a chapter, so that all of it has been seen. */
  const chapterEnds = async (chapter: string) => {
    const name = `${chapter}-ends`;
    await send("POST", `${core}/configmaps`, configMap(name, {}));
    await send("POST", `${core}/pods`, pod(name));
    await send("POST", `${apps}/deployments`, { ...deployment, metadata: { name } });
    for (const resource of ["configmaps", "pods", "deployments"]) {
      await told((line) => line["resource"] === resource && nameIn(line) === name);
    }
  };
  await told(({ did }) => did === "sync");

  await send("POST", `${core}/configmaps`, configMap("b", { letter: "b", empty: "" }));
  await send("PUT", `${core}/configmaps/b`, configMap("b", { letter: "B" }));
  await send("PUT", `${core}/configmaps/b`, configMap("b", { letter: "B" })); // changes nothing
  await send("PATCH", `${core}/configmaps/b`, { metadata: { labels: { seen: "yes" } }, binaryData: { x: "AAEC" } });
  await send("DELETE", `${core}/configmaps/b`);
  await send("PATCH", `${core}/pods/one/status`, { status: { phase: "Running", podIP: "10.1.2.3" } });
  await send("PATCH", `${core}/pods/one`, { metadata: { finalizers: ["example.com/wait"] } });
  await send("DELETE", `${core}/pods/one?gracePeriodSeconds=0`);
  await send("PATCH", `${core}/pods/one`, { metadata: { finalizers: null } });
  await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 3 } });
  await send("PATCH", `${apps}/deployments/web/status`, { status: { observedGeneration: 2, replicas: 3 } });
  await chapterEnds("all-is-well");

  gate.cut();
  await chapterEnds("cut");

  await gate.shut();
  await send("DELETE", `${core}/configmaps/a`);
  await send("POST", `${core}/configmaps`, configMap("c", { letter: "c" }));
  await send("PATCH", `${core}/configmaps/c`, { data: { letter: "C" } });
  await send("PATCH", `${apps}/deployments/web`, { spec: { replicas: 1 } });
  await send("PATCH", `${apps}/deployments/web`, { spec: { replicas: 0 } });
  await send("DELETE", `${core}/pods/all-is-well-ends?gracePeriodSeconds=0`);
  await forgetHistory();
  await gate.reopen();
  // Each resource is listed anew in its own time.
  await told((line) => line["saw"] === "delete" && nameIn(line) === "a");
  await told((line) => line["saw"] === "delete" && nameIn(line) === "all-is-well-ends");
  await told((line) => line["resource"] === "deployments" && metadataIn(line)["generation"] === 4);
  await chapterEnds("forgotten");
}

const metadataIn = ({ object }: Line): Line => (object as { readonly metadata: Line } | undefined)?.metadata ?? {};
const nameIn = (line: Line): unknown => metadataIn(line)["name"];

/** By informer, what it said. */
type Told = Readonly<Record<string, readonly Line[]>>;

async function run(open: () => Promise<ClientTarget>): Promise<Told> {
  await using target = await open();
  const { send, kubeconfigPath } = target;
  await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await send("POST", `${core}/configmaps`, configMap("a", { letter: "a" }));
  await send("POST", `${core}/pods`, pod("one"));
  await send("POST", `${apps}/deployments`, deployment);
  await using started = new Cleanup();
  const clients = new Map<string, GoClient>();
  for (const { name, content, watchList } of informers) {
    const args = ["informer", "--namespace", "shop", "--content", content];
    const env = { KUBE_FEATURE_WatchListClient: watchList };
    clients.set(name, started.use(await GoClient.start({ kubeconfigPath, args, env })));
  }
  await tell(target, [...clients.values()]);
  for (const client of clients.values()) {
    client.ask("list");
    await client.until(({ did, resource }) => did === "list" && resource === "deployments");
    await client.end();
  }
  return Object.fromEntries([...clients].map(([name, { lines }]) => [name, lines]));
}

/** Handlers are told of each resource in order; between two resources there is none. */
function story(lines: readonly Line[], resource: string): readonly unknown[] {
  return lines.filter((line) => line["resource"] === resource).map(normalForm);
}

describe("client-go's informers", () => {
  let real: Told;
  let embedded: Told;
  beforeAll(async () => {
    real = await run(targets.real);
    embedded = await run(targets.embedded);
  }, 240_000);

  for (const { name } of informers) {
    for (const resource of ["configmaps", "pods", "deployments"]) {
      test(`${name}: ${resource} are told as a real server tells them`, () => {
        const theirs = story(real[name] ?? [], resource);
        expect(theirs.length).toBeGreaterThan(5);
        expect(story(embedded[name] ?? [], resource)).toEqual(theirs);
      });
    }
    test(`${name}: what was deleted and forgotten is found missing`, () => {
      const lines = embedded[name] ?? [];
      const gone = lines.filter((line) => line["saw"] === "delete" && nameIn(line) === "a");
      expect(gone.map(({ isTombstone }) => isTombstone)).toEqual([true]);
    });
  }
});
