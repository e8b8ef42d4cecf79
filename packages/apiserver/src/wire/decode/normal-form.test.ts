import { readFileSync } from "node:fs";
import { type ObjectSchema, schemaNamed, schemaOfKind } from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { jsonSource } from "./body-source.ts";
import { toNormalForm } from "./normal-form.ts";
import { parseJson } from "./parse-json.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import { type JsonDraft, unsetValue } from "./unset-forms.ts";

interface Fact {
  readonly apiVersion: string;
  readonly kind: string;
  readonly body: string;
  readonly error?: string;
  /** As Go prints it: fields in order. */
  readonly normal?: string;
  readonly strict?: readonly string[];
}

function schema(apiVersion: string, kind: string): ObjectSchema {
  const found = schemaOfKind({ apiVersion, kind });
  if (found === undefined) throw new Error(`no schema for ${kind}`);
  return found;
}

function outcomeOf({ apiVersion, kind, body }: Fact) {
  try {
    const { object, strictFaults } = jsonSource(Buffer.from(body)).decode(schema(apiVersion, kind));
    return { normal: JSON.stringify(asStored(object)), ...(strictFaults.length === 0 ? {} : { strict: strictFaults }) };
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    return { error: error.message.replace("couldn't get version/kind; json parse error: ", "") };
  }
}

/** No managers at all is said to have them forgotten: nobody stores it. */
function asStored(object: JsonDraft): JsonDraft {
  const { managedFields, ...metadata } = (object["metadata"] ?? {}) as { readonly managedFields?: readonly unknown[] };
  return managedFields?.length === 0 ? { ...object, metadata } : object;
}

// What Kubernetes' own types make of random bodies: decoded strictly, stored as protobuf, printed.
describe("Go's outcome", () => {
  const facts = JSON.parse(readFileSync(new URL("./normal-form.facts.json", import.meta.url), "utf8")) as Fact[];
  test("is known for many bodies", () => expect(facts.length).toBeGreaterThan(250));
  for (const fact of facts) {
    const { apiVersion: _, kind, body, ...outcome } = fact;
    test(`of ${kind} ${body.replace(/\s+/g, " ").slice(0, 100)}`, () => expect(outcomeOf(fact)).toEqual(outcome));
  }
});

const normal = (apiVersion: string, kind: string, text: string) =>
  jsonSource(Buffer.from(text)).decode(schema(apiVersion, kind)).object;
const pod = (spec: string) => normal("v1", "Pod", `{"spec":${spec}}`)["spec"];
const configMap = (text: string) => normal("v1", "ConfigMap", text);

describe("the normal form", () => {
  for (const [fact, actual, expected] of [
    [
      "has structs that Go always prints",
      normal("v1", "Service", "{}"),
      { metadata: {}, spec: {}, status: { loadBalancer: {} } },
    ],
    [
      "has null for lists that Go always prints",
      normal("rbac.authorization.k8s.io/v1", "Role", '{"rules":[]}'),
      { metadata: {}, rules: null },
    ],
    [
      "has no empty lists and maps otherwise",
      pod('{"containers":null,"volumes":[],"nodeSelector":{}}'),
      { containers: null },
    ],
    [
      "keeps zeros held by pointer",
      pod('{"automountServiceAccountToken":false,"priority":0,"securityContext":{}}'),
      { containers: null, automountServiceAccountToken: false, securityContext: {}, priority: 0 },
    ],
    ["drops zeros held by value", pod('{"hostNetwork":false,"nodeName":"","restartPolicy":""}'), { containers: null }],
    [
      "drops nulls",
      pod('{"priority":null,"securityContext":null,"hostNetwork":null,"nodeSelector":null}'),
      { containers: null },
    ],
    [
      "has zeros where lists and maps have nulls",
      pod('{"containers":[null],"nodeSelector":{"a":null}}'),
      { containers: [{ name: "", resources: {} }], nodeSelector: { a: "" } },
    ],
    [
      "has one spelling of quantities",
      pod('{"overhead":{"a":"0.5","b":0.5,"c":1024,"d":"1024Mi","e":null,"f":" 1 ","g":1e3,"h":100000}}'),
      {
        containers: null,
        overhead: { a: "500m", b: "500m", c: "1024", d: "1Gi", e: "0", f: "1", g: "1e3", h: "100k" },
      },
    ],
    [
      "has times in UTC, cut to seconds",
      configMap('{"metadata":{"deletionTimestamp":"2024-01-01T01:02:03.9+02:00"}}'),
      { metadata: { deletionTimestamp: "2023-12-31T23:02:03Z" } },
    ],
    [
      "has bytes without breaks and spare bits",
      configMap('{"binaryData":{"a":"Y\\nQ==","b":"YR==","c":[97,98],"d":null,"e":""}}'),
      { metadata: {}, binaryData: { a: "YQ==", b: "YQ==", c: "YWI=", d: "", e: "" } },
    ],
    [
      "merges what came twice, as Go does",
      configMap('{"metadata":{"name":"a"},"data":{"a":"1","b":"2"},"metadata":{"namespace":"n"},"data":{"b":"3"}}'),
      { metadata: { name: "a", namespace: "n" }, data: { a: "1", b: "3" } },
    ],
    [
      "takes a value from an earlier field where a later one is null",
      configMap('{"metadata":{"name":"a","name":null,"labels":{"a":"b"},"labels":null}}'),
      { metadata: { name: "a" } },
    ],
    [
      "has the fields of nothing for null",
      normal("v1", "Pod", "null"),
      { metadata: {}, spec: { containers: null }, status: {} },
    ],
  ] as const) {
    test(fact, () => expect(actual).toEqual(expected));
  }

  test("has fields in Go's order, and maps in that of their keys", () => {
    const text =
      '{"status":{},"spec":{"ports":[{"port":80,"name":"b"}],"type":"NodePort","selector":{"z":"1","a":"2"}},"metadata":{"name":"x"}}';
    expect(JSON.stringify(normal("v1", "Service", text))).toBe(
      '{"metadata":{"name":"x"},"spec":{"ports":[{"name":"b","port":80,"targetPort":0}],"selector":{"a":"2","z":"1"},"type":"NodePort"},"status":{"loadBalancer":{}}}',
    );
  });

  test("has keys of its own, whatever they are called", () => {
    const { data } = configMap('{"data":{"__proto__":"x","constructor":"y"},"__proto__":{"kind":"z"}}');
    expect(Object.entries(data as object)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  test("shares nothing with the value it was made of", () => {
    const value = deepFreeze({
      metadata: { name: "a", labels: { a: "b" }, finalizers: ["f"], managedFields: [{ fieldsV1: { a: {} } }] },
    });
    const { object } = toNormalForm(value, schema("v1", "ConfigMap"));
    const metadata = object["metadata"] as {
      labels: Record<string, string>;
      finalizers: string[];
      managedFields: { fieldsV1: object }[];
    };
    metadata.labels["new"] = "label";
    metadata.finalizers.push("new");
    Object.assign(metadata.managedFields[0]?.fieldsV1 ?? {}, { b: {} });
    expect(value).toEqual({
      metadata: { name: "a", labels: { a: "b" }, finalizers: ["f"], managedFields: [{ fieldsV1: { a: {} } }] },
    });
  });

  test("leaves out what a value made in this process says is undefined", () => {
    const { object } = toNormalForm(
      { metadata: { name: "a", labels: undefined }, data: undefined },
      schema("v1", "ConfigMap"),
    );
    expect(object).toEqual({ metadata: { name: "a" } });
  });
});

describe("numbers", () => {
  for (const [fact, text, message] of [
    [
      "an integer beyond 2^53 that a double does not hold is refused",
      '{"metadata":{"generation":9007199254740993}}',
      "number 9007199254740993 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "an integer beyond int64 is refused",
      '{"metadata":{"generation":9223372036854775808}}',
      "number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "a fraction is refused, even of nothing",
      '{"metadata":{"generation":2.0}}',
      "number 2.0 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      "in any JSON, an integer that a double does not hold is refused",
      '{"metadata":{"managedFields":[{"fieldsV1":{"a":[9007199254740993]}}]}}',
      "number 9007199254740993 cannot be kept exactly",
    ],
  ] as const) {
    test(fact, () => expect(() => configMap(text)).toThrow(message));
  }

  test("an integer that a double holds is kept", () => {
    expect(configMap('{"metadata":{"generation":9007199254740994}}')).toEqual({
      metadata: { generation: 9_007_199_254_740_994 },
    });
  });
});

describe("schemas in schemas", () => {
  const crd = (text: string) => {
    const found = schemaNamed("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    return jsonSource(Buffer.from(text)).decode(found as ObjectSchema);
  };
  for (const [fact, text, expected] of [
    [
      "are read without strictness",
      '{"items":{"type":"string","foo":1,"nullable":false}}',
      { items: { type: "string" } },
    ],
    ["may be lists", '{"items":[{"type":"string","foo":1},null]}', { items: [{ type: "string" }, {}] }],
    ["may be neither, which is null", '{"items":5}', { items: null }],
    ["may be booleans", '{"additionalProperties":false}', { additionalProperties: false }],
    [
      "may be names",
      '{"dependencies":{"a":["b"],"c":{"type":"object","foo":1},"d":[]}}',
      { dependencies: { a: ["b"], c: { type: "object" }, d: null } },
    ],
    ["keep any JSON", '{"default":{"a":1.0},"enum":[1,null,"x"]}', { default: { a: 1 }, enum: [1, null, "x"] }],
  ] as const) {
    test(fact, () => expect(crd(text)).toMatchObject({ object: expected, strictFaults: [] }));
  }

  test("tell the way to their faults", () => {
    expect(() => crd('{"properties":{"a":{"items":{"externalDocs":{"url":5}}}}}')).toThrow(
      "json: cannot unmarshal number into Go struct field JSONSchemaProps.properties.items.externalDocs.url of type string",
    );
    expect(() => crd('{"properties":{"a":{"properties":5}}}')).toThrow(
      "json: cannot unmarshal number into Go struct field JSONSchemaProps.properties.properties of type map[string]v1.JSONSchemaProps",
    );
    expect(() => crd('{"type":5,"additionalProperties":"x"}')).toThrow("boolean or JSON schema expected");
  });

  test("may not be endless", () => {
    const text = `${'{"properties":{"a":'.repeat(3000)}{}${"}}".repeat(3000)}`;
    expect(() => crd(text)).toThrow("exceeded max depth of 500");
  });
});

describe("strict faults", () => {
  for (const [fact, text, faults] of [
    [
      "name lists and maps on their way",
      '{"metadata":{"ownerReferences":[{},{"y":{"a":1,"a":2}}]}}',
      ['unknown field "metadata.ownerReferences[1].y"'],
    ],
    [
      "are in the order of the body",
      '{"b":1,"0":2,"metadata":{"x":1}}',
      ['unknown field "b"', 'unknown field "0"', 'unknown field "metadata.x"'],
    ],
    [
      "are told once each",
      '{"x":1,"x":2,"data":{"a":"1","a":"2","a":"3"}}',
      ['unknown field "x"', 'duplicate field "data.a"'],
    ],
    ["tell letters apart by their case", '{"Data":{}}', ['unknown field "Data"']],
    ["are quoted as Go does", '{"b\\"\\u0001é":1}', [String.raw`unknown field "b\"\x01é"`]],
  ] as const) {
    test(fact, () =>
      expect(jsonSource(Buffer.from(text)).decode(schema("v1", "ConfigMap")).strictFaults).toEqual(faults),
    );
  }

  test("are a hundred at most", () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1])));
    expect(jsonSource(Buffer.from(text)).decode(schema("v1", "ConfigMap")).strictFaults).toHaveLength(100);
  });
});

test("the quick way and the exact way agree", () => {
  const facts = JSON.parse(readFileSync(new URL("./normal-form.facts.json", import.meta.url), "utf8")) as Fact[];
  const good = facts.filter(({ normal }) => normal !== undefined);
  for (const { apiVersion, kind, normal = "" } of good) {
    const parsed = parseJson(Buffer.from(normal));
    const [quick, exact] = [parsed.value, parsed.exact()].map((value) => toNormalForm(value, schema(apiVersion, kind)));
    expect(JSON.stringify(quick)).toBe(JSON.stringify(exact));
  }
});

test("an unset field has its printed form", () => {
  expect(unsetValue(schema("v1", "Service"), "status")).toEqual({ loadBalancer: {} });
  expect(unsetValue(schema("v1", "Service"), "nothing")).toBeUndefined();
  expect(unsetValue(schema("v1", "ConfigMap"), "data")).toBeUndefined();
});
