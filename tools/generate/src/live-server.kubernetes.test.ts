// The generator on a live server gives the checked-in sources: discovery as a default server tells it, OpenAPI as one that
// serves everything does. (OpenAPIEnums is off as it was for the kept inputs: closed unions would refuse a newer server's
// values.)
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RealCluster, type RealClusterOptions } from "@kubeloop/real-cluster";
import { expect, test } from "vitest";
import { generate } from "./generate.ts";
import { readInputs } from "./inputs.ts";
import { readServer } from "./server.ts";
import { differingFiles } from "./write-output.ts";

const checkedIn = fileURLToPath(new URL("../../../packages/core/src/api/generated", import.meta.url));
const everything = {
  featureGates: { AllAlpha: true, AllBeta: true, OpenAPIEnums: false },
  extraFlags: { "kube-apiserver": ["--runtime-config=api/all=true"] },
};

async function readLive(options: RealClusterOptions) {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-generate-"));
  try {
    await using cluster = await RealCluster.start(options, new AbortController().signal);
    writeFileSync(join(folder, "token"), cluster.adminToken);
    writeFileSync(join(folder, "ca.pem"), cluster.caPem);
    return await readServer(cluster.url, { tokenFile: join(folder, "token"), ca: join(folder, "ca.pem") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a real server's documents give the checked-in sources", async () => {
  const { protobuf, goFields } = await readInputs();
  const { openapi } = await readLive(everything);
  const { discovery } = await readLive({});
  expect(await differingFiles(checkedIn, generate({ openapi, discovery, protobuf, goFields }))).toEqual([]);
});
