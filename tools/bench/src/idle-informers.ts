// Fifty informers of fifty resources that have synced and hear nothing more: what a process holds beyond a bare Node, with one
// HTTP/2 connection under all of them. The server is here, and counts the connections; each measured process is its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { builtInResources } from "@kubeloop/core/resources";
import { createAuthority } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import type { IdleCost } from "./idle-informers-run.ts";
import { siblingOf } from "./raw-floor.ts";

const rounds = 5;
const informerCount = 50;
const objectsEach = 10;

const bareProgram = "gc(); console.log(JSON.stringify({ rssMb: process.memoryUsage().rss / 2 ** 20 }))";

interface Identity {
  readonly kind: string;
  readonly apiVersion: string;
}

const identityByPath: ReadonlyMap<string, Identity> = new Map(
  builtInResources.map(({ group, apiVersion, plural, kind }) => [
    `/${group === "" ? "api" : "apis"}/${apiVersion}/${plural}`,
    { kind, apiVersion },
  ]),
);

export async function measureIdleInformers(): Promise<readonly Measurement[]> {
  const authority = await createAuthority("bench authority");
  const { certPem: cert, keyPem: key } = await authority.issueServer({ commonName: "server", names: ["127.0.0.1"] });
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ cert, key });
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream, headers) => answer(stream, new URL(headers[":path"] ?? "", "https://server")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const idle: IdleCost[] = [];
  const bare: IdleCost[] = [];
  for (let round = 0; round < rounds; round++) {
    const program = [siblingOf("idle-informers-run.js"), address, String(informerCount)];
    idle.push(await run(program, authority.pair.certPem));
    bare.push(await run(["--eval", bareProgram], ""));
  }
  for (const session of sessions) session.destroy();
  server.close();
  const [held, floor] = [idle, bare].map((costs) => median(costs.map(({ rssMb }) => rssMb))) as [number, number];
  return [
    {
      what: `${informerCount} idle informers over one connection, memory over bare Node`,
      measured: held - floor,
      limit: 40,
      bound: "at most",
      unit: " MB",
      detail: `${held.toFixed(1)} MB, bare Node ${floor.toFixed(1)} MB, median of ${rounds}, ${objectsEach} objects each`,
    },
    {
      what: `connections under ${informerCount} informers`,
      measured: sessions.size / rounds,
      limit: 1,
      bound: "at most",
      unit: "",
      detail: `HTTP/2, ${sessions.size} in ${rounds} processes`,
    },
  ];
}

/** What there is comes by watch, as servers send it today; then the watch stays open. */
function answer(stream: ServerHttp2Stream, { pathname, searchParams }: URL): void {
  // The other side ends without a word.
  stream.on("error", () => {});
  const identity = identityByPath.get(pathname);
  if (identity === undefined || searchParams.get("sendInitialEvents") !== "true") {
    stream.respond({ ":status": 404 }, { endStream: true });
    return;
  }
  stream.respond({ ":status": 200, "content-type": "application/json" });
  for (let index = 0; index < objectsEach; index++) {
    const metadata = { name: `object-${index}`, uid: `uid-${index}`, resourceVersion: String(index + 1) };
    stream.write(printEvent("ADDED", { ...identity, metadata }));
  }
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = { resourceVersion: String(objectsEach), annotations };
  stream.write(printEvent("BOOKMARK", { ...identity, metadata }));
}

function printEvent(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

async function run(program: readonly string[], input: string): Promise<IdleCost> {
  const child = spawn(process.execPath, ["--expose-gc", ...program], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  let printed = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) printed += chunk;
  if (printed === "") throw new Error("a measured process printed nothing");
  return JSON.parse(printed) as IdleCost;
}
