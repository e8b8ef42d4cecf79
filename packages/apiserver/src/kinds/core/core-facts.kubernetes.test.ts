// The facts that the rules of kinds are held to, asked again of a real kube-apiserver. With RECORD_FACTS=1 its answers are written
// down; without, they must be those that were.
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { type ApiRequest, type ApiResponse, printQuery, type Transport } from "@kubeloop/core/api";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askFact, factFiles, factUrl, leftOutPlugins, readFacts } from "./facts/facts.fixture.ts";

let cluster: RealCluster;
beforeAll(async () => {
  const plugins = `--disable-admission-plugins=${leftOutPlugins.join(",")}`;
  const extraFlags = { "kube-apiserver": [plugins, "--service-cluster-ip-range=10.0.0.0/16"] };
  cluster = await RealCluster.start({ extraFlags }, new AbortController().signal);
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

const transport: Transport = ({ method, path, query, headers, body }: ApiRequest) =>
  new Promise<ApiResponse>((resolve, reject) => {
    const text = query.length === 0 ? "" : `?${printQuery(query)}`;
    const options = {
      method,
      ca: cluster.caPem,
      headers: { ...headers, authorization: `Bearer ${cluster.adminToken}` } as Record<string, string>,
      agent: false as const,
    };
    const sent = request(`${cluster.url}${path}${text}`, options, (response) => {
      const answer: ApiResponse = {
        status: response.statusCode ?? 0,
        headers: { warning: response.headersDistinct["warning"] ?? [] },
        body: { kind: "bytes", bytes: response },
        async [Symbol.asyncDispose]() {
          response.destroy();
        },
      };
      resolve(answer);
    });
    sent.on("error", reject);
    sent.end(body.kind === "value" ? JSON.stringify(body.value) : undefined);
  });

const isRecording = process.env["RECORD_FACTS"] === "1";

describe.each(factFiles)("%s", (file) => {
  const facts = readFacts(file);
  if (isRecording) {
    test("is recorded", async () => {
      const recorded = [];
      for (const fact of facts) recorded.push({ ...fact, answer: await askFact(transport, fact) });
      writeFileSync(factUrl(file), `${JSON.stringify(recorded, null, 2)}\n`);
      expect(recorded).toHaveLength(facts.length);
    });
  } else {
    test.each(facts)("$it", async (fact) => {
      expect(await askFact(transport, fact)).toEqual(fact.answer);
    });
  }
});
