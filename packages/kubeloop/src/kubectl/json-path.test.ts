import { describe, expect, test } from "vitest";
import { findJsonPath, parseJsonPath } from "./json-path.ts";
import { isMet, parseCondition } from "./wait/condition.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", generation: 2, labels: { "app.kubernetes.io/name": "shop" } },
  spec: { containers: [{ name: "a", ports: [{ port: 80 }] }, { name: "b" }] },
  status: {
    phase: "Running",
    observedGeneration: 2,
    conditions: [
      { type: "Ready", status: "True", observedGeneration: 1 },
      { type: "Scheduled", status: "False" },
    ],
  },
};

describe("paths", () => {
  for (const [path, found] of [
    ["{.status.phase}", ["Running"]],
    [".status.phase", ["Running"]],
    ["status.phase", ["Running"]],
    ["{$.status.phase}", ["Running"]],
    ["{.spec.containers[0].name}", ["a"]],
    ["{.spec.containers[-1].name}", ["b"]],
    ["{.spec.containers[*].name}", ["a", "b"]],
    ["{.spec.containers[0:1].name}", ["a"]],
    ["{.spec.containers[0,1].name}", ["a", "b"]],
    ['{.status.conditions[?(@.type=="Ready")].status}', ["True"]],
    ["{.spec.containers[?(@.ports)].name}", ["a"]],
    ["{.spec.containers[?(@.ports[0].port>=80)].name}", ["a"]],
    ["{.metadata.labels.app\\.kubernetes\\.io/name}", ["shop"]],
    ["{.metadata.labels['app.kubernetes.io/name']}", ["shop"]],
    ["{..port}", [80]],
    ["{.nothing.at.all}", []],
    ["{.spec.containers[7].name}", []],
  ] as const) {
    test(path, () => expect(findJsonPath(parseJsonPath(path), pod)).toEqual(found));
  }

  for (const path of ["", "{}", "{.a[}", "{.a[b]}"]) {
    test(`${path} is none`, () => expect(() => parseJsonPath(path)).toThrow(/jsonpath expression/));
  }
});

describe("conditions", () => {
  for (const [text, isTrue] of [
    ["condition=Scheduled=false", true],
    ["condition=scheduled=FALSE", true],
    ["condition=Scheduled", false],
    // It is about an older generation.
    ["condition=Ready", false],
    ["condition=Other", false],
    ["jsonpath={.status.phase}=Running", true],
    ["jsonpath={.status.phase}='Running'", true],
    ["jsonpath={.status.phase}=Pending", false],
    ["jsonpath={.status.phase}", true],
    ["jsonpath={.status.podIP}", false],
    ['jsonpath={.status.conditions[?(@.type=="Scheduled")].status}=False', true],
    ["create", true],
    ["delete", false],
  ] as const) {
    test(`${text}: ${isTrue}`, () => expect(isMet(parseCondition(text), pod)).toBe(isTrue));
  }

  test("what is not there is deleted, and nothing else", () => {
    expect(isMet(parseCondition("delete"), undefined)).toBe(true);
    expect(isMet(parseCondition("condition=Ready"), undefined)).toBe(false);
  });

  for (const [text, sentence] of [
    ["ready", 'unrecognized condition: "ready"'],
    ["jsonpath={.a}=b=c", "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3"],
    ["jsonpath={.a}=", "jsonpath wait has to have a value after equal sign"],
  ] as const) {
    test(`${text} is refused`, () => expect(() => parseCondition(text)).toThrow(sentence));
  }

  test("a path to several values, or to a list, is no condition", () => {
    expect(() => isMet(parseCondition("jsonpath={.spec.containers[*].name}=a"), pod)).toThrow("more than one value");
    expect(() => isMet(parseCondition("jsonpath={.spec.containers}=a"), pod)).toThrow("nested object or list");
  });
});
