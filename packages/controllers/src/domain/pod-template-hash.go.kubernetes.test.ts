// Our hash of a pod template, against upstream's function itself: a small Go program hashes the same templates, after they have gone
// through protobuf as on the way from an API server to a manager.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dumpForHash } from "./go-dump.ts";
import { podTemplateHash } from "./pod-template-hash.ts";
import { type DrawnTemplate, drawTemplates } from "./pod-templates.fixture.ts";

const at = (path: string) => fileURLToPath(new URL(`../../../../tools/${path}`, import.meta.url));

interface Hashed extends DrawnTemplate {
  readonly hash: string;
  readonly dump: string;
}

function hashWithGo(templates: readonly DrawnTemplate[]): readonly Hashed[] {
  const answer = spawnSync("go", ["run", at("generate/go/template-hash.go"), "dump"], {
    cwd: at("real-cluster/manifests/kubernetes"),
    env: { ...process.env, TZ: "UTC" },
    input: templates.map((each) => JSON.stringify(each)).join("\n"),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (answer.status !== 0) throw new Error(`go run failed: ${answer.error?.message ?? answer.stderr}`);
  return answer.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("500 drawn templates have upstream's hashes", () => {
  const hashed = hashWithGo(drawTemplates("hash", 500));
  expect(hashed).toHaveLength(500);
  for (const { template, collisionCount, isAsSent, hash, dump } of hashed) {
    // The text first: it says where they differ.
    expect(dumpForHash("v1.PodTemplateSpec", template, { isAsSent })).toBe(dump);
    expect(podTemplateHash(template, collisionCount, { isAsSent })).toBe(hash);
  }
});
