import { describe, expect, test } from "vitest";
import { type Slot, slotAt } from "./schema.ts";
import { schemaNamed, schemaNames, schemaOfKind } from "./schema-table.ts";

const pod = schemaOfKind({ apiVersion: "v1", kind: "Pod" });
const deployment = schemaOfKind({ apiVersion: "apps/v1", kind: "Deployment" });
const service = schemaOfKind({ apiVersion: "v1", kind: "Service" });
const role = schemaOfKind({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" });
const printed = { isAlwaysPrinted: true };
const hpa = schemaOfKind({ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" });

test("every definition decodes, with everything it refers to one step further", () => {
  expect(schemaNames().length).toBe(760);
  for (const name of schemaNames()) {
    const schema = schemaNamed(name);
    expect(schema?.name).toBe(name);
    for (const slot of schema?.fields.values() ?? []) {
      const { schema: held } = slot;
      if (held.type === "list") expect(held.items.schema.type).toBeDefined();
      if (held.type === "map") expect(held.values.schema.type).toBeDefined();
    }
  }
});

describe("a slot says how it is patched, listed, defaulted", () => {
  for (const [fact, slot, expected] of [
    [
      "containers merge by name",
      slotAt(pod, ["spec", "containers"]),
      {
        ...{ isRequired: true, patchStrategies: ["merge"], patchMergeKey: "name" },
        schema: { type: "list", listType: "map", listMapKeys: ["name"] },
      },
    ],
    [
      "container ports merge by containerPort, but are told apart by protocol too",
      slotAt(pod, ["spec", "containers", 0, "ports"]),
      { patchMergeKey: "containerPort", schema: { listMapKeys: ["containerPort", "protocol"] } },
    ],
    [
      "service ports merge by port, and are told apart by protocol too",
      slotAt(service, ["spec", "ports"]),
      { patchMergeKey: "port", schema: { listType: "map", listMapKeys: ["port", "protocol"] } },
    ],
    [
      "a deployment's strategy retains keys",
      slotAt(deployment, ["spec", "strategy"]),
      { patchStrategies: ["retainKeys"], default: {}, isZeroDefault: true },
    ],
    [
      "volumes merge and retain keys",
      slotAt(pod, ["spec", "volumes"]),
      { patchStrategies: ["merge", "retainKeys"], patchMergeKey: "name" },
    ],
    [
      "a budget's selector is replaced",
      slotAt(schemaOfKind({ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }), ["spec", "selector"]),
      { patchStrategies: ["replace"] },
    ],
    [
      "finalizers are a set that merges",
      slotAt(pod, ["metadata", "finalizers"]),
      { patchStrategies: ["merge"], patchMergeKey: undefined, schema: { type: "list", listType: "set" } },
    ],
    [
      "a service port's protocol is TCP by default",
      slotAt(service, ["spec", "ports", 0, "protocol"]),
      { default: "TCP", isZeroDefault: false, schema: { type: "scalar", scalar: "string" } },
    ],
    [
      "a port number is required and prints as 0",
      slotAt(service, ["spec", "ports", 0, "port"]),
      { isRequired: true, default: 0, isZeroDefault: true, schema: { scalar: "int32" } },
    ],
    ["a node's name is held by value", slotAt(pod, ["spec", "nodeName"]), { isPointer: false }],
    ["replicas are held by pointer", slotAt(deployment, ["spec", "replicas"]), { isPointer: true }],
    ["a creation is held by value", slotAt(pod, ["metadata", "creationTimestamp"]), { isPointer: false }],
    ["a deletion is held by pointer", slotAt(pod, ["metadata", "deletionTimestamp"]), { isPointer: true }],
    [
      "a zero default may be held by pointer",
      slotAt(schemaNamed("io.k8s.api.core.v1.AzureDiskVolumeSource"), ["readOnly"]),
      { isPointer: true, default: false, isZeroDefault: true },
    ],
    [
      "how a type without a kind is held is not known",
      slotAt(schemaNamed("io.k8s.apimachinery.pkg.version.Info"), ["major"]),
      { isPointer: undefined, isAlwaysPrinted: undefined, isRequired: true, schema: { scalar: "string" } },
    ],
    [
      "a security context is held by pointer, and omitted when there is none",
      slotAt(pod, ["spec", "securityContext"]),
      { isPointer: true, isAlwaysPrinted: false },
    ],
    [
      "a status is held by value, and printed even when it is empty",
      slotAt(deployment, ["status"]),
      { isPointer: false, isAlwaysPrinted: true },
    ],
    ["a creation nobody set is omitted", slotAt(pod, ["metadata", "creationTimestamp"]), { isAlwaysPrinted: false }],
    [
      "a time held by value is printed otherwise",
      slotAt(pod, ["status", "conditions", 0, "lastProbeTime"]),
      { isPointer: false, isAlwaysPrinted: true },
    ],
    ["a container's name is printed, set or not", slotAt(pod, ["spec", "containers", 0, "name"]), printed],
    ["rules are printed though they are optional", slotAt(role, ["rules"]), { isRequired: false, ...printed }],
    [
      "a required name may be omitted all the same",
      slotAt(schemaNamed("io.k8s.api.networking.v1.ParentReference"), ["name"]),
      { isRequired: true, isAlwaysPrinted: false },
    ],
    [
      "labels nobody set are omitted",
      slotAt(pod, ["metadata", "labels"]),
      { isPointer: false, isAlwaysPrinted: false },
    ],
    ["a target port is int-or-string", slotAt(service, ["spec", "ports", 0, "targetPort"]), scalar("int-or-string")],
    ["a limit is a quantity", slotAt(pod, ["spec", "containers", 0, "resources", "limits", "cpu"]), scalar("quantity")],
    ["a time is a time", slotAt(pod, ["metadata", "creationTimestamp"]), scalar("time")],
    [
      "a lease renews in micro time",
      slotAt(schemaOfKind({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" }), ["spec", "renewTime"]),
      scalar("micro-time"),
    ],
    [
      "a secret's data are bytes",
      slotAt(schemaOfKind({ apiVersion: "v1", kind: "Secret" }), ["data", "key"]),
      scalar("bytes"),
    ],
    ["a generation is int64", slotAt(pod, ["metadata", "generation"]), scalar("int64")],
    [
      "managed fields hold any JSON",
      slotAt(pod, ["metadata", "managedFields", 0, "fieldsV1"]),
      { schema: { type: "json" } },
    ],
    [
      "a node selector is atomic",
      slotAt(pod, ["spec", "nodeSelector"]),
      { schema: { type: "map", mapType: "atomic" } },
    ],
    ["labels are granular", slotAt(pod, ["metadata", "labels"]), { schema: { type: "map", mapType: "granular" } }],
    [
      "an object reference is atomic",
      slotAt(pod, ["spec", "containers", 0, "env", 0, "valueFrom", "configMapKeyRef"]),
      { schema: { type: "object", mapType: "atomic" } },
    ],
    [
      "a volume's claim reference is granular all the same",
      slotAt(schemaOfKind({ apiVersion: "v1", kind: "PersistentVolume" }), ["spec", "claimRef"]),
      { schema: { name: "io.k8s.api.core.v1.ObjectReference", mapType: "granular" } },
    ],
    [
      "an autoscaler needs its target",
      slotAt(hpa, ["spec", "scaleTargetRef"]),
      { isRequired: true, schema: { name: "io.k8s.api.autoscaling.v2.CrossVersionObjectReference" } },
    ],
    ["an autoscaler's metrics are atomic", slotAt(hpa, ["spec", "metrics"]), { schema: { listType: "atomic" } }],
    ["a seccomp profile is a union", slotAt(pod, ["spec", "securityContext", "seccompProfile"]), union()],
  ] as const) {
    test(fact, () => expect(plain(slot)).toMatchObject(expected));
  }
});

describe("an object knows what Go calls its fields", () => {
  const container = schemaNamed("io.k8s.api.core.v1.Container")?.go;
  const volume = schemaNamed("io.k8s.api.core.v1.Volume")?.go;
  const rule = schemaNamed("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations")?.go;
  for (const [fact, name, expected] of [
    ["a type of its own", container?.types.get("imagePullPolicy"), "v1.PullPolicy"],
    ["a type that follows from the schema is not repeated", container?.types.get("image"), undefined],
    ["an embedded struct", volume?.embeddedIn.get("emptyDir"), "VolumeSource"],
    ["a field of the struct itself", volume?.embeddedIn.get("name"), undefined],
    ["a struct embedded in an embedded one", rule?.embeddedIn.get("apiGroups"), "RuleWithOperations.Rule"],
    ["what every kind embeds", pod?.go?.embeddedIn.get("apiVersion"), "TypeMeta"],
  ] as const) {
    test(fact, () => expect(name).toBe(expected));
  }
});

test("options of every group are known by the group's version too", () => {
  expect(schemaOfKind({ apiVersion: "apps/v1", kind: "DeleteOptions" })?.fields.has("preconditions")).toBe(true);
});

for (const [fact, found] of [
  ["a custom kind", schemaOfKind({ apiVersion: "example.com/v1", kind: "Widget" })],
  ["a name from Object.prototype", schemaNamed("constructor")],
  ["a path nobody declared", slotAt(pod, ["spec", "nothing", "here"])],
] as const) {
  test(`${fact} has no schema`, () => expect(found).toBeUndefined());
}

test("schemas may go in circles", () => {
  const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
  const schema = schemaNamed(name);
  expect(slotAt(schema, ["properties", "a", "properties", "b", "not"])?.schema).toBe(schema);
});

function scalar(word: string) {
  return { schema: { type: "scalar", scalar: word } };
}

function union() {
  return {
    schema: { unions: [{ discriminator: "type", fields: new Map([["localhostProfile", "LocalhostProfile"]]) }] },
  };
}

// The getter made visible to the matcher.
function plain(slot: Slot | undefined) {
  return slot && { ...slot };
}
