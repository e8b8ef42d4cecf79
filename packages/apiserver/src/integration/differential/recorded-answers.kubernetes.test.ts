// The stories of kinds told to a real kube-apiserver once more. With RECORD_ANSWERS=1 what it says is written down; without, it must be what
// was.
import { writeFileSync } from "node:fs";
import { clusterConfig, HttpTransport, inlineCaBundle, tokenCredentials } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printRecorded, readRecorded, recordedScenes, recordedUrl, shortAnswer } from "./recorded-answers.contract.ts";
import { runScenes } from "./run-script.contract.ts";

const never = new AbortController().signal;

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await RealCluster.start(
    { extraFlags: { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] } },
    never,
  );
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

test("a real server answers as it was recorded to", async () => {
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  const config = clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) });
  await using http = new HttpTransport(config);
  const answers = await runScenes(http.as({ credentials: config.credentials }), recordedScenes, never);
  const short = Object.fromEntries(
    [...answers].map(([step, answer]) => [step, shortAnswer(answer, answer.namespace)] as const),
  );
  if (process.env["RECORD_ANSWERS"] === "1") writeFileSync(recordedUrl, printRecorded(short));
  expect(short).toEqual(readRecorded());
});
