import { describe, expect, test } from "vitest";
import { decodeDeleteOptions, decodeDeleteOptionsValue } from "./delete-options.ts";

const decode = (text: string, format: "json" | "yaml" = "json") => decodeDeleteOptions(Buffer.from(text), format);
const scheme = 'in scheme "pkg/runtime/scheme.go:111"';

describe("options are taken", () => {
  for (const [fact, text, expected] of [
    ["without kind and version", '{"gracePeriodSeconds":0}', { gracePeriodSeconds: 0 }],
    ["of a group", '{"kind":"DeleteOptions","apiVersion":"batch/v1","dryRun":["All"]}', { dryRun: ["All"] }],
    ["of any group", '{"kind":"DeleteOptions","apiVersion":"foo/v1","dryRun":["All"]}', { dryRun: ["All"] }],
    [
      "with unknown and repeated fields",
      '{"foo":1,"orphanDependents":true,"orphanDependents":false}',
      { orphanDependents: false },
    ],
    ["that are null", "null", {}],
  ] as const) {
    test(fact, async () => expect(await decode(text)).toMatchObject(expected));
  }

  test("as a value", () => {
    const value = { kind: "DeleteOptions", apiVersion: "apps/v1", gracePeriodSeconds: 5 };
    expect(decodeDeleteOptionsValue(value)).toMatchObject({ gracePeriodSeconds: 5 });
  });

  test("in YAML", async () => {
    expect(await decode("propagationPolicy: Orphan\n", "yaml")).toEqual({ propagationPolicy: "Orphan" });
  });
});

describe("what is wrong with options is told bare:", () => {
  for (const [fact, text, message] of [
    [
      "syntax",
      "xx",
      "couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value",
    ],
    ["another kind", '{"kind":"Pod","apiVersion":"v1"}', `no kind "Pod" is registered for version "v1" ${scheme}`],
    [
      "other options",
      '{"kind":"CreateOptions","apiVersion":"v1"}',
      "converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion",
    ],
    [
      "options that are known to meta's own group only",
      '{"kind":"PatchOptions","apiVersion":"apps/v1"}',
      `no kind "PatchOptions" is registered for version "apps/v1" ${scheme}`,
    ],
    [
      "a view",
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1"}',
      "converting (v1beta1.PartialObjectMetadataList) to (v1.DeleteOptions): unknown conversion",
    ],
    [
      "a wrong type",
      '{"preconditions":{"uid":5}}',
      "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
    ],
  ] as const) {
    test(fact, async () => {
      await expect(decode(text)).rejects.toMatchObject({ message, code: 400, reason: "BadRequest" });
    });
  }
});
