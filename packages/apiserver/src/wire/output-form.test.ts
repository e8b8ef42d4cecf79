import { type ApiRequest, noBody } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { checkStreamed, outputFormOf } from "./output-form.ts";

const everything = { hasMetadata: true, hasTable: true, hasProtobuf: true };
const asking = (accept: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: "GET",
  path: "/",
  query: [],
  headers: accept === "" ? {} : { accept },
  body: noBody,
  prefers: "bytes",
  ...more,
});
const protobuf = "application/vnd.kubernetes.protobuf";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";

describe("what Accept asks for", () => {
  for (const [accept, media, view] of [
    ["", "json", "object"],
    ["*/*", "json", "object"],
    ["application/*,application/json", "json", "object"],
    ["application/yaml", "yaml", "object"],
    // The more exact goes before what was written first.
    ["*/*,application/yaml", "yaml", "object"],
    ["application/*,application/yaml", "yaml", "object"],
    [`*/*,${protobuf}`, "protobuf", "object"],
    [protobuf, "protobuf", "object"],
    [`${protobuf},application/json`, "protobuf", "object"],
    [`application/json;q=0.5,${protobuf};q=0.9`, "protobuf", "object"],
    ["text/html,application/json", "json", "object"],
    [table, "json", "table"],
    [`${protobuf};as=Table;g=meta.k8s.io;v=v1,application/json`, "json", "object"],
    ["application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json", "json", "object"],
    [`${table},application/json`, "json", "table"],
    [`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, "protobuf", "metadata"],
    ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1", "json", "metadata"],
  ] as const) {
    test(`${accept || "nothing"} gets ${media}, ${view}`, () => {
      expect(outputFormOf(asking(accept), everything)).toMatchObject({ media, view: { kind: view } });
    });
  }

  for (const [accept, message] of [
    ["text/html", "406: Not Acceptable"],
    ["application/*", "406: Not Acceptable"],
    ["*", "406: Not Acceptable"],
    [
      "application/json;as=Nonsense;g=meta.k8s.io;v=v1",
      "only the following media types are accepted: application/json",
    ],
    ["application/json;as=Table;g=meta.k8s.io;v=v2", "only the following media types are accepted"],
    ["application/json;stream=nonsense", "only the following media types are accepted"],
  ] as const) {
    test(`${accept} is refused`, () => expect(() => outputFormOf(asking(accept), everything)).toThrow(message));
  }

  test("what has no messages is not given in protobuf, and what is streamed not in YAML", () => {
    const accept = `${protobuf},application/json;q=0.1`;
    expect(outputFormOf(asking(accept), { ...everything, hasProtobuf: false }).media).toBe("json");
    const yaml = outputFormOf(asking("application/yaml,application/json"), everything);
    expect(() => checkStreamed(yaml)).toThrow("application/json;stream=watch");
  });
});

test("people get it indented: who asks for it, and browsers and curl", () => {
  const isPretty = (more: Partial<ApiRequest>) => outputFormOf(asking("", more), everything).isPretty;
  expect(isPretty({})).toBe(false);
  expect(isPretty({ query: [["pretty", "true"]] })).toBe(true);
  expect(isPretty({ headers: { "user-agent": "curl/8" } })).toBe(true);
  expect(isPretty({ headers: { "user-agent": "curl/8" }, query: [["pretty", "0"]] })).toBe(false);
});
