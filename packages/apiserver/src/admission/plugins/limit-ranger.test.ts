import { describe, expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { limitRanger } from "./limit-ranger.ts";

type Resources = { readonly requests?: object; readonly limits?: object };
const pod = (...containers: readonly Resources[]) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "shop" },
  spec: { containers: containers.map((resources, i) => ({ name: `c${i}`, resources })) },
});
const range = (...limits: readonly object[]) => ({
  limitranges: [{ kind: "LimitRange", apiVersion: "v1", metadata: { name: "r", namespace: "shop" }, spec: { limits } }],
});
const elsewhere = {
  limitranges: [
    { metadata: { name: "r", namespace: "other" }, spec: { limits: [{ type: "Container", max: { cpu: "1m" } }] } },
  ],
};
const defaults = range({ type: "Container", default: { cpu: "2", memory: "1Gi" }, defaultRequest: { cpu: "1" } });
const annotated = (text: string) => ({ "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${text}` });

describe("defaults", () => {
  test.each([
    [
      "for who says nothing",
      [{}],
      [{ requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } }],
      annotated("cpu request for container c0; cpu, memory limit for container c0"),
    ],
    [
      "beside what is said",
      [{ requests: { cpu: "500m" }, limits: { memory: "5Mi" } }],
      [{ requests: { cpu: "500m" }, limits: { cpu: "2", memory: "5Mi" } }],
      annotated("cpu limit for container c0"),
    ],
    [
      "for each container",
      [{ requests: { cpu: "1" }, limits: { cpu: "1", memory: "1" } }, { requests: { cpu: "1" } }],
      [
        { requests: { cpu: "1" }, limits: { cpu: "1", memory: "1" } },
        { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } },
      ],
      annotated("cpu, memory limit for container c1"),
    ],
    [
      "for nobody who says it all",
      [{ requests: { cpu: "1" }, limits: { cpu: "1", memory: "1" } }],
      [{ requests: { cpu: "1" }, limits: { cpu: "1", memory: "1" } }],
      undefined,
    ],
  ])("%s", async (_, containers, resources, annotations) => {
    const { object } = await askPlugin(limitRanger, { object: pod(...containers), stored: defaults });
    expect(object).toMatchObject({ spec: { containers: resources.map((each) => ({ resources: each })) } });
    expect(object?.metadata.annotations).toEqual(annotations);
  });

  test("for an init container, which is told apart", async () => {
    const object = { ...pod(), spec: { containers: [], initContainers: [{ name: "i", resources: {} }] } };
    const said = await askPlugin(limitRanger, { object, stored: range({ type: "Container", default: { cpu: "2" } }) });
    expect(said.object?.metadata.annotations).toEqual(annotated("cpu limit for init container i"));
  });
});

const cpu = (request?: string, limit?: string): Resources => ({
  ...(request === undefined ? {} : { requests: { cpu: request } }),
  ...(limit === undefined ? {} : { limits: { cpu: limit } }),
});
const container = (constraint: object) => range({ type: "Container", ...constraint });
const whole = (constraint: object) => range({ type: "Pod", ...constraint });
const atLeast = "minimum cpu usage per Container is 100m";
const atMost = "maximum cpu usage per Container is 2";
const ratio = "cpu max limit to request ratio per Container is 2";

test.each([
  ["nothing is limited", [{}], {}, ""],
  ["another namespace is limited", [cpu("1", "1")], elsewhere, ""],
  ["enough", [cpu("100m", "1")], container({ min: { cpu: "100m" } }), ""],
  ["no request", [{}], container({ min: { cpu: "100m" } }), `${atLeast}.  No request is specified`],
  ["too small a request", [cpu("50m")], container({ min: { cpu: "100m" } }), `${atLeast}, but request is 50m`],
  ["too small a limit", [cpu("100m", "50m")], container({ min: { cpu: "100m" } }), `${atLeast}, but limit is 50m`],
  ["little enough", [cpu("1", "2")], container({ max: { cpu: "2" } }), ""],
  ["no limit", [cpu("1")], container({ max: { cpu: "2" } }), `${atMost}.  No limit is specified`],
  ["too large a limit", [cpu("1", "2500m")], container({ max: { cpu: "2" } }), `${atMost}, but limit is 2500m`],
  ["too large a request", [cpu("3", "2")], container({ max: { cpu: "2" } }), `${atMost}, but request is 3`],
  ["twice the request", [cpu("1", "2")], container({ maxLimitRequestRatio: { cpu: "2" } }), ""],
  [
    "more than twice",
    [cpu("1", "3")],
    container({ maxLimitRequestRatio: { cpu: "2" } }),
    `${ratio}, but provided ratio is 3.000000`,
  ],
  [
    "a ratio to nothing",
    [cpu(undefined, "3")],
    container({ maxLimitRequestRatio: { cpu: "2" } }),
    `${ratio}, but no request is specified or request is 0`,
  ],
  [
    "a ratio of nothing",
    [cpu("1")],
    container({ maxLimitRequestRatio: { cpu: "2" } }),
    `${ratio}, but no limit is specified or limit is 0`,
  ],
  [
    "several faults",
    [cpu("50m"), {}],
    container({ min: { cpu: "100m" } }),
    `[${atLeast}, but request is 50m, ${atLeast}.  No request is specified]`,
  ],
  [
    "too much of all together",
    [cpu("1", "1"), cpu("1500m", "1500m")],
    whole({ max: { cpu: "2" } }),
    "maximum cpu usage per Pod is 2, but limit is 2500m",
  ],
])("a pod with %s", async (_, containers, stored, why) => {
  const { refusal } = await askPlugin(limitRanger, { object: pod(...containers), stored });
  expect(refusal).toBe(why === "" ? "" : `pods "a" is forbidden: ${why}`);
});

test.each([
  ["an update of its labels", { operation: "UPDATE" }, ""],
  ["a resize", { operation: "UPDATE", subresource: "resize" }, `pods "a" is forbidden: ${atMost}, but limit is 3`],
  ["its status", { operation: "UPDATE", subresource: "status" }, ""],
] as const)("a pod is looked at in %s", async (_, told, refusal) => {
  const object = pod(cpu("1", "3"));
  const stored = container({ max: { cpu: "2" } });
  expect((await askPlugin(limitRanger, { object, oldObject: object, stored, ...told })).refusal).toBe(refusal);
});

test("a pod that is going is let go", async () => {
  const object = pod(cpu("1", "3"));
  const oldObject = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } };
  const stored = container({ max: { cpu: "2" } });
  const told = { operation: "UPDATE", subresource: "resize", object, oldObject, stored } as const;
  expect((await askPlugin(limitRanger, told)).refusal).toBe("");
});

test.each([
  ["1Gi", ""],
  ["500Mi", "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi"],
  ["3Gi", "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"],
])("a claim of %s", async (storage, why) => {
  const object = {
    kind: "PersistentVolumeClaim",
    metadata: { name: "a" },
    spec: { resources: { requests: { storage } } },
  };
  const stored = range({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } });
  const resource = resourceOf("persistentvolumeclaims");
  const { refusal } = await askPlugin(limitRanger, { object, resource, stored });
  expect(refusal).toBe(why === "" ? "" : `persistentvolumeclaims "a" is forbidden: ${why}`);
});
