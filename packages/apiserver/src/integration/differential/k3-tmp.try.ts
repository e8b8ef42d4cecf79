import { readFileSync, writeFileSync } from "node:fs";
import { clusterConfig, HttpTransport, inlineCaBundle, tokenCredentials } from "@kubeloop/core/client";
import { test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { runScenes } from "./k3-run.ts";
import { differences, normalise } from "./request-script.contract.ts";

const never = new AbortController().signal;
test("k3", async () => {
  const names = (process.env["K3"] ?? "").split(",");
  const scenes = [];
  for (const n of names) {
    const m = await import(/* @vite-ignore */ `./${n}-scenes.contract.ts`);
    scenes.push(...(Object.values(m).filter(Array.isArray).flat() as never[]));
  }
  const only = process.env["ONLY"];
  const picked = only ? scenes.filter((s: any) => new RegExp(only).test(s.name)) : scenes;
  const c = JSON.parse(readFileSync("/tmp/k3-cluster.json", "utf8"));
  const config = clusterConfig({
    server: c.url,
    tls: { ca: inlineCaBundle(c.ca), isVerified: true },
    credentials: tokenCredentials(c.token),
  });
  const http = new HttpTransport(config);
  const transport = http.as({ credentials: config.credentials });
  const server = await ApiServer.open();
  const prefix = `d${Date.now()
    .toString(36)
    .replace(/[^a-z0-9]/g, "")}`;
  const theirs = await runScenes(transport, picked, never, prefix);
  const ours = await runScenes(server.transport, picked, never, prefix);
  let n = 0;
  const out: string[] = [];
  for (const [step, answer] of ours) {
    const other = theirs.get(step)!;
    const a = normalise(answer, answer.namespace),
      b = normalise(other, other.namespace);
    const lines = differences(a, b);
    n += lines.length;
    if (lines.length) out.push(`✗ ${step}`, ...lines.map((l) => `      ${l}`));
    if (process.env["ALL"])
      out.push(
        `= ${step} ${b.code}\n   ${(b.body as any)?.message ?? JSON.stringify(b.body, (k, v) => (k === "managedFields" ? undefined : v))} ${b.headers["warning"] ?? ""}`,
      );
  }
  writeFileSync("/tmp/k3/out.txt", out.join("\n") + `\n${ours.size} requests, ${n} differences\n`);
  await server[Symbol.asyncDispose]();
  await http[Symbol.asyncDispose]();
});
