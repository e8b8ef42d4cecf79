import { StatusError } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { loadProtobuf } from "./index.ts";
import { envelopeHex as envelope, field, fromHex, refusedBodies, text, toHex } from "./refused-bodies.fixture.ts";

const protobuf = await loadProtobuf();
const configMap = { apiVersion: "v1", kind: "ConfigMap" };

const named = (name: string) => field("0a", field("0a", text(name)));

describe("an object", () => {
  test("is wrapped as a real server wraps it", () => {
    const object = { ...configMap, metadata: { name: "a", creationTimestamp: null }, data: { k: "v" } };
    const raw = "0a11 0a0161 1200 1a00 2200 2a00 3200 3800 4200 1206 0a016b 120176";
    const bytes = `6b387300 0a0f 0a027631 1209${text("ConfigMap")} 121b ${raw} 1a00 2200`.replaceAll(" ", "");
    expect(toHex(protobuf.encodeEnvelope(object))).toBe(bytes);
    expect(toHex(protobuf.encodeRaw(object))).toBe(raw.replaceAll(" ", ""));
    expect(toHex(protobuf.wrapRaw(configMap, protobuf.encodeRaw(object)))).toBe(bytes);
  });

  test("of a kind without a message is an error of ours", () => {
    expect(() => protobuf.encodeEnvelope({ apiVersion: "example.com/v1", kind: "Widget" })).toThrow(
      "has no protobuf message",
    );
  });

  test("of discovery may say no version", () => {
    expect(toHex(protobuf.encodeEnvelope({ kind: "APIVersions", versions: ["v1"] }))).toBe(
      `6b3873000a0f0a00120b${text("APIVersions")}12040a0276311a002200`,
    );
  });

  // What a real kube-apiserver 1.36 answers to a GET of what is not there.
  test("a Status is what a real server sends", () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "nope" not found',
      reason: "NotFound",
      details: { name: "nope", kind: "configmaps" },
      code: 404,
    };
    const bytes =
      "6b3873000a0c0a027631120653746174757312550a060a0012001a0012074661696c7572651a1b636f6e6669676d61707320226e6f706522206e6f" +
      "7420666f756e6422084e6f74466f756e642a180a046e6f706512001a0a636f6e6669676d617073280032003094031a002200";
    expect(toHex(protobuf.encodeEnvelope(status))).toBe(bytes);
    expect(protobuf.decodeEnvelope(fromHex(bytes)).value).toMatchObject(status);
  });
});

describe("a body is read when", () => {
  const named2 = { metadata: { name: "a" } };
  for (const [fact, hex, kind] of [
    ["it says its kind", envelope("v1", "ConfigMap", named("a")), configMap],
    ["it says another kind than expected", envelope("v1", "Secret", named("a")), { apiVersion: "v1", kind: "Secret" }],
    ["it says no kind at all", `6b387300 ${field("12", named("a"))}`, configMap],
    ["it says an empty kind", envelope("", "", named("a")), configMap],
    ["it says its kind only", envelope("", "ConfigMap", named("a")), configMap],
    ["it says its version only", envelope("v1", "", named("a")), configMap],
    ["its version cannot be parsed", envelope("a/b/c", "ConfigMap", named("a")), configMap],
    ["its group is empty", envelope("/v1", "ConfigMap", named("a")), configMap],
    ["its group has no version", envelope("apps/", "ConfigMap", named("a")), configMap],
    ["it says content encoding and type", `${envelope("v1", "ConfigMap", named("a"))} 1a0467a69700 220161`, configMap],
    ["it has fields nobody knows", `${envelope("v1", "ConfigMap", `${named("a")}f80105`)} f80105`, configMap],
  ] as const) {
    test(fact, () => {
      const { value, ...said } = protobuf.decodeEnvelope(fromHex(hex), configMap);
      expect(said).toEqual(kind);
      expect(value).toEqual({ ...kind, ...named2 });
      expect(Object.keys(value)).toEqual(["kind", "apiVersion", "metadata"]);
    });
  }

  test("it holds no object: that is an empty one", () => {
    expect(protobuf.decodeEnvelope(fromHex("6b387300 1a00"), configMap).value).toEqual({ ...configMap, metadata: {} });
  });
});

describe("a body is refused with the real server's words when", () => {
  for (const { fact, hex, message } of refusedBodies) {
    test(fact, () => {
      expect(refusal(hex)).toMatchObject({ code: 400, reason: "BadRequest", message });
    });
  }

  function refusal(hex: string): StatusError {
    try {
      protobuf.decodeEnvelope(fromHex(hex), configMap);
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
    throw new Error("it was read");
  }
});

describe("without an expectation", () => {
  for (const [fact, hex, message] of [
    ["the fault alone is told", text("x"), /^provided data does not appear to be a protobuf message/],
    ["the fault within the object too", envelope("v1", "ConfigMap", "0801"), /^proto: wrong wireType = 0/],
    ["a kind must be said", envelope("v1", "", ""), /'Kind' is missing/],
    ["a version must be said", envelope("", "ConfigMap", ""), /'apiVersion' is missing/],
  ] as const) {
    test(fact, () => expect(() => protobuf.decodeEnvelope(fromHex(hex))).toThrow(message));
  }
});
