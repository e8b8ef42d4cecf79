import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { LocalServer, makeCertificates, type TestCertificates } from "./local-servers.fixture.ts";

// A process of its own runs what was built, as a user's would.
const built = join(import.meta.dirname, "../../../dist/esm/client");
const run = promisify(execFile);
let certificates: TestCertificates;
beforeAll(async () => {
  certificates = await makeCertificates();
});

async function runScript(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  if (!existsSync(built)) throw new Error("build first: tsc -b packages/core");
  const load = (file: string) => JSON.stringify(pathToFileURL(join(built, file)).href);
  const source = script
    .replaceAll("$transport", load("http/http-transport.js"))
    .replaceAll("$config", load("kubeconfig/cluster-config.js"))
    .replaceAll("$ca", load("credentials/ca-bundle.js"));
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", source], {
    env: { ...process.env, ...env },
    // Longer than any of it takes, shorter than the timers that would keep it alive.
    timeout: 15_000,
  });
  return stdout.trim();
}

test("nothing is loaded before the first request", async () => {
  const loaded = await runScript(`
    const { HttpTransport } = await import($transport);
    const { clusterConfig } = await import($config);
    const transport = new HttpTransport(clusterConfig({ server: "https://127.0.0.1:1" }));
    transport.as();
    const { createRequire } = await import("node:module");
    const require = createRequire(import.meta.url);
    const isOurs = (name) => /^NativeModule (http2|internal\\/http2|_http_client|zlib)/.test(name);
    console.log(JSON.stringify([
      Object.keys(require.cache).filter((path) => path.includes("undici")),
      process.moduleLoadList.filter(isOurs),
    ]));
  `);
  expect(JSON.parse(loaded)).toEqual([[], []]);
});

const ask = `
  const { HttpTransport } = await import($transport);
  const { clusterConfig } = await import($config);
  const { inlineCaBundle } = await import($ca);
  const { URL: server, CA: pem } = process.env;
  const tls = pem ? { tls: { ca: inlineCaBundle(pem), isVerified: true } } : {};
  const transport = new HttpTransport(clusterConfig({ server, ...tls }));
  const send = transport.as();
  const request = { method: "GET", path: "/", query: [], headers: {}, body: { kind: "none" }, prefers: "bytes" };
`;

describe.each(["plain", "h1", "h2"] as const)("a process that spoke %s", (speaks) => {
  const start = () =>
    LocalServer.start({ speaks, certificates, answer: (_request, response) => void response.end("ok") });

  for (const [name, script] of [
    [
      "ends by itself after its last answer",
      `const response = await send(request, new AbortController().signal);
       for await (const chunk of response.body.bytes) console.log(String(chunk));`,
    ],
    [
      "ends by itself after a request that was aborted while it connected",
      `const controller = new AbortController();
       const sending = send(request, controller.signal).catch(() => console.log("ok"));
       controller.abort();
       await sending;`,
    ],
    [
      "waits for an answer that is under way",
      `void send(request, new AbortController().signal).then(async (response) => {
         for await (const chunk of response.body.bytes) console.log(String(chunk));
       });`,
    ],
  ] as const) {
    test(name, async () => {
      await using server = await start();
      expect(await runScript(`${ask}${script}`, { URL: server.url, CA: certificates.caPem })).toBe("ok");
    });
  }
});
