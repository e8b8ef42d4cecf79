// pod-template-hash.facts.json holds templates as an API server of 1.36 serves them, with the hashes that upstream's ComputeHash gives them
// (tools/generate/go/template-hash.go printed it). pod-template-hash.go.kubernetes.test.ts compares five hundred others with Go itself.
import { readFileSync } from "node:fs";
import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { dumpForHash, goTypes } from "./go-dump.ts";
import { podTemplateHash } from "./pod-template-hash.ts";
import { drawTemplates } from "./pod-templates.fixture.ts";

interface Fact {
  readonly name: string;
  readonly hash: string;
  readonly collisionCount?: number;
  readonly isAsSent?: boolean;
  readonly template: corev1.PodTemplateSpec;
}
const facts: readonly Fact[] = JSON.parse(
  readFileSync(new URL("./pod-template-hash.facts.json", import.meta.url), "utf8"),
);

describe("the hash of a pod template is upstream's", () => {
  test.each(facts.map((fact) => [fact.name, fact] as const))("%s", (_name, fact) => {
    const { template, collisionCount, isAsSent, hash } = fact;
    expect(podTemplateHash(template, collisionCount, { isAsSent })).toBe(hash);
  });
});

test("what a server may leave out or print as null does not change the hash", () => {
  const [plain] = facts;
  if (plain === undefined) throw new Error("no facts");
  const { metadata, spec } = plain.template;
  const containers = spec?.containers.map((container) => ({ ...container, resources: {}, args: [], stdin: false }));
  const printed = {
    metadata: { ...metadata, creationTimestamp: null, annotations: {} },
    spec: { ...spec, containers, volumes: null, hostNetwork: false },
  };
  expect(podTemplateHash(printed as never, undefined)).toBe(plain.hash);
});

test("the drawn templates have every field that a template may have", () => {
  const text = JSON.stringify(drawTemplates("hash", 500));
  const fields = [...goTypes().structs.values()].flat();
  expect(fields.length).toBeGreaterThan(400);
  expect(fields.filter(({ json }) => json !== "" && !text.includes(`"${json}":`))).toEqual([]);
});

test("a type that the table does not have is an error", () => {
  expect(() => dumpForHash("v1.Unheard", {})).toThrow("the table of Go structs has no v1.Unheard");
});
