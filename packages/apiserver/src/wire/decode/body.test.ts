import { isBadRequest, printGroupVersion, StatusError, schemaOfKind } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { builtInCodec } from "../kind-codec.ts";
import { evictionKind } from "../meta-kinds.ts";
import { type BodyTarget, decodeJsonBody, decodeValueBody, decodeYamlBody } from "./index.ts";

function builtIn(group: string, version: string, kind: string): BodyTarget {
  const schemaName = schemaOfKind({ apiVersion: printGroupVersion({ group, version }), kind })?.name;
  return builtInCodec({ group, version, kind, schemaName });
}

const configMap = builtIn("", "v1", "ConfigMap");
const deployment = builtIn("apps", "v1", "Deployment");
const crd = builtIn("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
const event = builtIn("events.k8s.io", "v1", "Event");

const bytes = (text: string) => Buffer.from(text);

function faultOf(text: string, target: BodyTarget): string {
  try {
    decodeJsonBody(bytes(text), target);
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
    expect(isBadRequest(error)).toBe(true);
    return (error as StatusError).message;
  }
  return "none";
}

describe("a body is taken", () => {
  for (const [fact, text, target] of [
    ["without kind and version", '{"metadata":{"name":"a"}}', configMap],
    ["with both", '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}', configMap],
    ["with kind alone", '{"kind":"Deployment","metadata":{"name":"a"}}', deployment],
    ["with a group and no version", '{"apiVersion":"apps/","metadata":{"name":"a"}}', deployment],
    ["with a slash for a version", '{"apiVersion":"/","metadata":{"name":"a"}}', deployment],
    ["with nulls for both", '{"apiVersion":null,"kind":null,"metadata":{"name":"a"}}', deployment],
  ] as const) {
    test(fact, () => {
      const { object, warnings } = decodeJsonBody(bytes(text), target);
      expect(warnings).toEqual([]);
      expect(Object.keys(object).slice(0, 3)).toEqual(["kind", "apiVersion", "metadata"]);
      expect(object).toMatchObject({
        kind: target.kind,
        apiVersion: target === deployment ? "apps/v1" : "v1",
        metadata: { name: "a" },
      });
    });
  }

  test("that is null, as an object with nothing set", () => {
    expect(decodeJsonBody(bytes("null"), configMap).object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {},
    });
  });

  test("in a version that the path accepts as well", () => {
    const acceptsVersion = (apiVersion: string) => apiVersion === "policy/v1beta1";
    const eviction = { ...evictionKind, acceptsVersion };
    const text = '{"apiVersion":"policy/v1beta1","kind":"Eviction","metadata":{"name":"a"}}';
    expect(decodeJsonBody(bytes(text), eviction).object).toMatchObject({ apiVersion: "policy/v1", kind: "Eviction" });
  });
});

const anonymous =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const scheme = 'in scheme "pkg/runtime/scheme.go:111"';

// Each as a kube-apiserver 1.36 answered.
describe("a body that cannot be read is answered with", () => {
  const unrecognized = "the object provided is unrecognized (must be of type ConfigMap)";
  for (const [fact, text, message] of [
    ["what it is: nothing", "", "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [
      "its bytes",
      "xyz",
      "couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value (78797a)",
    ],
    [
      "its text, if it looks like JSON",
      '{"a":1} x',
      `couldn't get version/kind; json parse error: invalid character 'x' after top-level value ({"a":1} x)`,
    ],
    [
      "no more than thirty bytes of it",
      `{"a":"${"é".repeat(20)}`,
      `couldn't get version/kind; json parse error: unexpected end of JSON input ({"a":"${"é".repeat(12)} ...)`,
    ],
    [
      "no more than thirty bytes in hex",
      "x".repeat(31),
      `couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value (${"78".repeat(30)} ...)`,
    ],
    [
      "its type, if it is no object",
      "[]",
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${anonymous} (5b5d)`,
    ],
    [
      "its type, if it is a text",
      '"a"',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${anonymous} (226122)`,
    ],
    [
      "that its kind is no text",
      '{"kind":5}',
      `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
    [
      "that its version is no version",
      '{"apiVersion":"a/b/c"}',
      'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
  ] as const) {
    test(fact, () => expect(faultOf(text, configMap)).toBe(`${unrecognized}: ${message}`));
  }
});

describe("a body of another kind is answered with", () => {
  for (const [fact, text, target, message] of [
    [
      "that nobody knows the kind",
      '{"kind":"Foo"}',
      configMap,
      `Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" ${scheme}`,
    ],
    [
      "that nobody knows the group",
      '{"apiVersion":"foo/v1","kind":"Foo"}',
      configMap,
      `Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "foo/v1" ${scheme}`,
    ],
    [
      "that nobody knows the version",
      '{"apiVersion":"v2"}',
      configMap,
      `ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" ${scheme}`,
    ],
    [
      "that it is of another kind",
      '{"kind":"Secret","apiVersion":"v1"}',
      configMap,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is of another kind, spelled in any case",
      '{"Kind":"Secret"}',
      configMap,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is a list",
      '{"kind":"ConfigMapList","apiVersion":"v1","items":[]}',
      configMap,
      'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is a list of anything",
      '{"kind":"List","apiVersion":"v1"}',
      configMap,
      'List in version "v1" cannot be handled as a ConfigMap: converting (v1.List) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is options",
      '{"kind":"DeleteOptions","apiVersion":"v1"}',
      configMap,
      'DeleteOptions in version "v1" cannot be handled as a ConfigMap: converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is a Status",
      '{"kind":"Status","apiVersion":"v1"}',
      configMap,
      'Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that it is of another group",
      '{"kind":"Deployment","apiVersion":"apps/v1"}',
      configMap,
      'Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      "that the kind is not in that group",
      '{"kind":"Deployment","apiVersion":"v1"}',
      deployment,
      `Deployment in version "v1" cannot be handled as a Deployment: no kind "Deployment" is registered for version "v1" ${scheme}`,
    ],
    [
      "that it is of a retired version",
      '{"kind":"Deployment","apiVersion":"apps/v1beta1"}',
      deployment,
      "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)",
    ],
    [
      "that it is of a retired group",
      '{"kind":"Deployment","apiVersion":"extensions/v1beta1"}',
      deployment,
      "the API version in the data (extensions/v1beta1) does not match the expected API version (apps/v1)",
    ],
    [
      "that it is of the other group",
      '{"kind":"Event","apiVersion":"v1"}',
      event,
      "the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)",
    ],
    [
      "that it is of the other version",
      '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}',
      builtIn("autoscaling", "v2", "HorizontalPodAutoscaler"),
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
    ],
    [
      "its own faults first",
      '{"kind":"Secret","type":5}',
      configMap,
      'Secret in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType',
    ],
    [
      "that CRDs know no other kinds",
      '{"kind":"Secret","apiVersion":"v1"}',
      crd,
      `Secret in version "v1" cannot be handled as a CustomResourceDefinition: no kind "Secret" is registered for version "v1" ${scheme}`,
    ],
    [
      "that a group alone is no version",
      '{"kind":"Foo","apiVersion":"foo/"}',
      configMap,
      `Foo in version "" cannot be handled as a ConfigMap: Object 'apiVersion' is missing in '{"kind":"Foo","apiVersion":"foo/"}'`,
    ],
  ] as const) {
    test(fact, () => expect(faultOf(text, target)).toBe(message));
  }
});

test("a value of the wrong type is told with its place", () => {
  const text = '{"spec":{"template":{"spec":{"containers":[{"imagePullPolicy":true}]}}}}';
  expect(faultOf(text, deployment)).toBe(
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal bool into Go struct field Container.spec.template.spec.containers.imagePullPolicy of type v1.PullPolicy',
  );
});

describe("faults that only strictness minds", () => {
  const text = '{"metadata":{"name":"a","x":1},"data":{"a":"1","a":"2"},"y":{}}';
  const faults = ['unknown field "metadata.x"', 'duplicate field "data.a"', 'unknown field "y"'];
  for (const [fact, fieldValidation, warnings] of [
    ["are warnings", "Warn", faults],
    ["are warnings unless told otherwise", undefined, faults],
    ["may be ignored", "Ignore", []],
  ] as const) {
    test(fact, () => {
      const options = fieldValidation === undefined ? {} : { fieldValidation };
      const decoded = decodeJsonBody(bytes(text), configMap, options);
      expect(decoded.warnings).toEqual(warnings);
      expect(decoded.object).toMatchObject({ data: { a: "2" } });
    });
  }

  test("may be an error", () => {
    expect(() => decodeJsonBody(bytes(text), configMap, { fieldValidation: "Strict" })).toThrow(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${faults.join(", ")}`,
    );
  });

  const yaml = "metadata:\n  name: a\ndata:\n  a: b\n  a: c\n  b: x\n  b: z\nfoo: 1\n";
  test("of YAML are a warning for each line", async () => {
    const { warnings } = await decodeYamlBody(bytes(yaml), configMap);
    expect(warnings).toEqual([
      'line 5: key "a" already set in map',
      'line 7: key "b" already set in map',
      'unknown field "foo"',
    ]);
  });

  test("of YAML are one error", async () => {
    await expect(decodeYamlBody(bytes(yaml), configMap, { fieldValidation: "Strict" })).rejects.toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 5: key "a" already set in map\n  line 7: key "b" already set in map, unknown field "foo"',
    );
  });
});

describe("YAML", () => {
  test("is an object like any other", async () => {
    const { object } = await decodeYamlBody(bytes("spec: {replicas: 2.0}\nmetadata:\n  name: a\n"), deployment);
    expect(object).toMatchObject({ kind: "Deployment", metadata: { name: "a" }, spec: { replicas: 2 } });
  });

  test("that holds nothing is an object with nothing set", async () => {
    expect((await decodeYamlBody(bytes(""), configMap)).object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {},
    });
  });

  for (const [fact, text, message] of [
    ["faults of syntax", "a: b: c", "yaml: mapping values are not allowed in this context (613a20623a2063)"],
    [
      "another type",
      "- a",
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${anonymous} (2d2061)`,
    ],
  ] as const) {
    test(`is told its ${fact}`, async () => {
      await expect(decodeYamlBody(bytes(text), configMap)).rejects.toThrow(
        `the object provided is unrecognized (must be of type ConfigMap): ${message}`,
      );
    });
  }
});

test("a value sent inside the process is not kept", () => {
  const value = { metadata: { name: "a", labels: { a: "b" } }, foo: 1 };
  const { object, warnings } = decodeValueBody(value, configMap);
  expect(warnings).toEqual(['unknown field "foo"']);
  expect(object.metadata.labels).toEqual({ a: "b" });
  expect(object.metadata.labels).not.toBe(value.metadata.labels);
});
