// Objects of six kinds, drawn at random, through a real kube-apiserver: what it answers in protobuf is decoded to what it answers in JSON, to the
// letter. Creates are dry runs. Servers drop the status of what is created, so it is drawn once more and sent to the status of an object that is there.
//
// A share of them, or as many as KUBELOOP_SEEDS says; 10,000 objects of each kind where KUBELOOP_SCENARIOS is "all", as in `npm run test:long`.
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  collectBytes,
  findResourceOfObject,
  headerValue,
  loadProtobuf,
  type metav1,
  type Resource,
  schemaOfKind,
} from "../../api/index.ts";
import { drawnObject } from "../../api/protobuf/drawn-object.fixture.ts";
import { noLog } from "../../base/index.ts";
import { type Client, openClient } from "../client.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { tokenCredentials } from "../credentials/credentials.ts";
import { clusterConfig } from "../kubeconfig/cluster-config.ts";
import { acceptedObject, type Draft } from "./accepted-object.fixture.ts";

const isAll = process.env["KUBELOOP_SCENARIOS"] === "all";
const objectsOfEachKind = isAll ? 10_000 : Number(process.env["KUBELOOP_SEEDS"] ?? 50);
const atOnce = 8;
const never = new AbortController().signal;
const protobuf = await loadProtobuf();
const protobufType = "application/vnd.kubernetes.protobuf";

/** Words that rules accept here and there, and words that are hard to encode and stand where everything is accepted. */
const words = [
  ...["a", "web", "x1", "kube-system", "main", "http", "10.0.0.1", "fd00::1", "example.com/a", "/var/log", "a=b"],
  ...[
    "TCP",
    "UDP",
    "Always",
    "Never",
    "OnFailure",
    "IfNotPresent",
    "Default",
    "ClusterFirst",
    "Exists",
    "In",
    "NoSchedule",
  ],
  ...[
    "IPv4",
    "True",
    "False",
    "Unknown",
    "RollingUpdate",
    "Recreate",
    "Cluster",
    "Local",
    "None",
    "NonIndexed",
    "File",
  ],
  ...["é 日本 😀", 'a"\\', "\n", "x".repeat(200)],
];

const numbers = [0, 1, 2, 80, 127, 300, 8080, 100_000, 2_147_483_647];

const labels = { app: "web" };
const podSpec = { containers: [{ name: "main", image: "none" }], restartPolicy: "Never" };
const template = { metadata: { labels }, spec: { ...podSpec, restartPolicy: "Always" } };
interface Known extends Draft {
  readonly apiVersion: string;
  readonly kind: string;
}
/** Objects that the server accepts: what is required, and nothing else. */
const knownObjects: readonly Known[] = [
  { apiVersion: "v1", kind: "Pod", spec: podSpec },
  { apiVersion: "apps/v1", kind: "Deployment", spec: { selector: { matchLabels: labels }, template } },
  { apiVersion: "v1", kind: "Service", spec: { ports: [{ name: "http", port: 80 }] } },
  { apiVersion: "v1", kind: "Node" },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
  },
  { apiVersion: "batch/v1", kind: "Job", spec: { template: { spec: podSpec } } },
];

let cluster: RealCluster;
let client: Client;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount,Priority,RuntimeClass"] };
  cluster = await RealCluster.start({ extraFlags });
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  const credentials = tokenCredentials(cluster.adminToken);
  client = openClient(clusterConfig({ server: cluster.url, tls, credentials }), { log: noLog });
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

interface Sent {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly isDryRun: boolean;
}

async function send({ method, path, isDryRun }: Sent, object: object, accept: string) {
  await using response = await client.transport(
    {
      method,
      path,
      query: isDryRun ? [["dryRun", "All"]] : [],
      headers: { accept, "content-type": "application/json" },
      body: { kind: "value", value: object },
      prefers: "bytes",
    },
    never,
  );
  if (response.body.kind !== "bytes") throw new Error("no bytes");
  const bytes = await collectBytes(response.body.bytes, { maxBytes: 2 ** 24 });
  return { status: response.status, type: headerValue(response.headers, "content-type") ?? "", bytes };
}

/** What the server complains about. */
async function complaintsAbout(sent: Sent, object: object): Promise<readonly string[] | "refused"> {
  const { status, bytes } = await send(sent, object, "application/json");
  if (status < 300) return [];
  const { details } = JSON.parse(Buffer.from(bytes).toString()) as metav1.Status;
  const fields = details?.causes?.flatMap(({ field }) => (field === undefined ? [] : [field])) ?? [];
  return fields.length === 0 ? "refused" : fields;
}

/** What differs from answer to answer: identity, and addresses and ports that the server draws. */
const drawnByServer = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  /(?<="(?:clusterIP|nodePort|healthCheckNodePort)":)[^,}]*/g,
  /(?<="clusterIPs":)\[[^\]]*\]/g,
  /(?<="generateName":"[^"]*","name":|^\{"kind":"[^"]*","apiVersion":"[^"]*","metadata":\{"name":)"[^"]*"/g,
];
/** As text. The server's own times are those of the day on which it says that the object was created. */
function comparable(object: object): string {
  const text = JSON.stringify(object);
  const today = /"creationTimestamp":"(\d{4}-\d\d-\d\d)T/.exec(text)?.[1] ?? "never";
  const times = new RegExp(`"${today}T[^"]*"`, "g");
  return [...drawnByServer, times].reduce((left, drawn) => left.replaceAll(drawn, '"?"'), text);
}

/** Throws if the two answers differ. Returns the size of the answer. */
async function compareAnswers(sent: Sent, object: object): Promise<number> {
  const inJson = await send(sent, object, "application/json");
  const inProtobuf = await send(sent, object, protobufType);
  expect([inJson.status, inJson.type]).toEqual([sent.method === "POST" ? 201 : 200, "application/json"]);
  expect(inProtobuf.type).toBe(protobufType);
  const expected = comparable(JSON.parse(Buffer.from(inJson.bytes).toString()) as object);
  expect(comparable(protobuf.decodeEnvelope(inProtobuf.bytes))).toBe(expected);
  const { typeMeta, raw } = protobuf.openEnvelope(inProtobuf.bytes);
  const message = protobuf.messageOfKind(typeMeta) ?? "";
  expect(comparable(protobuf.decodeLazily(raw, message, typeMeta))).toBe(expected);
  return expected.length;
}

function collectionPath({ group, apiVersion, namespaced, plural }: Resource): string {
  return `${group === "" ? "/api/v1" : `/apis/${apiVersion}`}${namespaced ? "/namespaces/default" : ""}/${plural}`;
}

/** The fields of metadata that a new object must not have, or that say where it is. */
const notForNew = ["name", "namespace", "resourceVersion", "uid", "managedFields", "generation", "creationTimestamp"];

describe.each(knownObjects)("$kind", (known) => {
  const resource = findResourceOfObject(known);
  const schema = schemaOfKind(known);
  if (resource === undefined || schema === undefined) throw new Error(`${known.kind} is not known`);
  const path = collectionPath(resource);
  const draw = (seed: number, name: string): Draft => {
    const drawn: Draft = { ...drawnObject(schema, seed, { words, numbers, minDensity: 0.3 }) };
    const metadata = Object.entries((drawn["metadata"] ?? {}) as Draft).filter(([field]) => !notForNew.includes(field));
    return {
      ...drawn,
      apiVersion: known.apiVersion,
      kind: known.kind,
      metadata: { ...Object.fromEntries(metadata), name },
    };
  };

  /** Compares the answers for each seed. Returns for how many of them the server accepted nothing that was drawn. */
  async function compareAll(
    sent: Sent,
    known: Draft,
    objectOf: (seed: number) => Draft,
  ): Promise<{ bare: number; bytes: number }> {
    let [next, bare, bytes] = [0, 0, 0];
    const work = async () => {
      while (next < objectsOfEachKind) {
        const seed = next++;
        const object = await acceptedObject(objectOf(seed), known, (draft) => complaintsAbout(sent, draft));
        if (object === known) bare++;
        const size = await compareAnswers(sent, object);
        bytes += size;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return { bare, bytes };
  }

  test(`${objectsOfEachKind} drawn ones are the same in both encodings`, async () => {
    const base = { ...known, metadata: { name: "drawn" } };
    const { bare, bytes } = await compareAll({ method: "POST", path, isDryRun: true }, base, (seed) =>
      draw(seed, "drawn"),
    );
    console.log(
      `${known.kind}: ${objectsOfEachKind} objects of ${Math.round(bytes / objectsOfEachKind)} bytes, ${bare} bare`,
    );
    expect(bare).toBeLessThan(objectsOfEachKind / 4);
  });

  if (!schema.fields.has("status")) return;

  test(`${objectsOfEachKind} drawn statuses are the same in both encodings`, async () => {
    const there = await send(
      { method: "POST", path, isDryRun: false },
      { ...known, metadata: { name: "there" } },
      "application/json",
    );
    expect(there.status).toBe(201);
    const created = JSON.parse(Buffer.from(there.bytes).toString()) as Draft;
    const base = {
      ...created,
      metadata: { ...(created["metadata"] as Draft), resourceVersion: undefined },
      status: {},
    };
    const statusPath = `${path}/there/status`;
    const { bare, bytes } = await compareAll({ method: "PUT", path: statusPath, isDryRun: true }, base, (seed) => ({
      ...base,
      status: draw(seed, "there")["status"] ?? {},
    }));
    console.log(
      `${known.kind}: ${objectsOfEachKind} statuses, objects of ${Math.round(bytes / objectsOfEachKind)} bytes, ${bare} bare`,
    );
    expect(bare).toBeLessThan(objectsOfEachKind / 4);
  });
});
