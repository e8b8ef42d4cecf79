// Writing as clients do it when they are right, in a hurry, or wrong: options, bodies, encodings, identities, kinds that come into being by
// an update, and what a strategic patch may say.
import { after, get, merge, patch, post, put, strategic } from "./ask.contract.ts";
import type { NextStep, Scene } from "./request-script.contract.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const map = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { a: "1" } });
const long = (length: number) => "a".repeat(length);
const operations = patch("json");
const dry = { query: { dryRun: "All" } };

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const deployment = {
  metadata: { name: "d", finalizers: ["a.io/x", "a.io/y"] },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            env: [{ name: "A", value: "1" }],
            ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }],
            args: ["x"],
          },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
        tolerations: [{ key: "k" }],
      },
    },
  },
};

const inPod = (spec: unknown) => ({ spec: { template: { spec } } });

const strategicRows: readonly (readonly [string, unknown])[] = [
  ["a container by name", inPod({ containers: [{ name: "c", image: "j" }] })],
  ["a container without a name", inPod({ containers: [{ image: "j" }] })],
  ["a container that is no object", inPod({ containers: ["x"] })],
  ["containers that are mixed", inPod({ containers: [{ name: "c" }, "x"] })],
  ["containers that are lists", inPod({ containers: [["x"]] })],
  ["containers that are an object", inPod({ containers: { name: "c" } })],
  ["containers that are a text", inPod({ containers: "x" })],
  ["a template that is a list", { spec: { template: [] } }],
  ["a template that is a text", { spec: { template: "x" } }],
  ["a spec that is a list", { spec: [] }],
  ["a container's name that is a number", inPod({ containers: [{ name: 5, image: "j" }] })],
  ["a container's image that is a number", inPod({ containers: [{ name: "c", image: 5 }] })],
  [
    "a container deleted",
    inPod({
      containers: [
        { name: "c", $patch: "delete" },
        { name: "e", image: "k" },
      ],
    }),
  ],
  ["a container deleted without a name", inPod({ containers: [{ $patch: "delete" }] })],
  ["containers replaced", inPod({ containers: [{ $patch: "replace" }, { name: "e", image: "k" }] })],
  ["containers with a directive nobody knows", inPod({ containers: [{ name: "c", $patch: "nonsense" }] })],
  ["containers with a directive that is a number", inPod({ containers: [{ name: "c", $patch: 5 }] })],
  ["containers with a merge", inPod({ containers: [{ name: "c", image: "l", $patch: "merge" }] })],
  ["a map with a directive that is a number", { metadata: { labels: { $patch: 5 } } }],
  ["a map deleted", { metadata: { annotations: { $patch: "delete" } } }],
  ["a map with a merge", { metadata: { annotations: { $patch: "merge", m: "n" } } }],
  ["the whole with a directive nobody knows", { $patch: "nonsense" }],
  ["the whole replaced", { $patch: "replace", metadata: { name: "d" } }],
  ["the whole deleted", { $patch: "delete" }],
  [
    "an order",
    inPod({
      $setElementOrder: [],
      "$setElementOrder/containers": [{ name: "c" }],
      containers: [{ name: "c", image: "m" }],
    }),
  ],
  ["an order alone", inPod({ "$setElementOrder/containers": [{ name: "c" }] })],
  ["an order without an item", inPod({ "$setElementOrder/containers": [], containers: [{ name: "c", image: "n" }] })],
  [
    "an order of others",
    inPod({ "$setElementOrder/containers": [{ name: "x" }], containers: [{ name: "c", image: "n" }] }),
  ],
  [
    "an order in another sequence",
    inPod({
      "$setElementOrder/containers": [{ name: "y" }, { name: "c" }],
      containers: [
        { name: "c", image: "n" },
        { name: "y", image: "n" },
      ],
    }),
  ],
  ["an order without keys", inPod({ "$setElementOrder/containers": [{}], containers: [{ name: "c", image: "n" }] })],
  ["an order of texts", inPod({ "$setElementOrder/containers": ["c"], containers: [{ name: "c", image: "n" }] })],
  ["an order that is no list", inPod({ "$setElementOrder/containers": "c", containers: [{ name: "c", image: "n" }] })],
  ["an order of what is no list", { spec: { "$setElementOrder/replicas": ["c"], replicas: 1 } }],
  ["an order of what nobody knows", { spec: { "$setElementOrder/nonsense": ["c"] } }],
  ["an order of nothing", { spec: { "$setElementOrder/": ["c"] } }],
  ["an order of finalizers", { metadata: { "$setElementOrder/finalizers": ["a.io/y", "a.io/x"] } }],
  ["a deletion from a list of texts", { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.io/x"] } }],
  ["a deletion that is no list", { metadata: { "$deleteFromPrimitiveList/finalizers": "a.io/x" } }],
  ["a deletion of objects", inPod({ "$deleteFromPrimitiveList/containers": [{ name: "c" }] })],
  ["a deletion from what is not there", { metadata: { "$deleteFromPrimitiveList/nonsense": ["x"] } }],
  ["a deletion without a list", { metadata: { $deleteFromPrimitiveList: ["x"] } }],
  ["kept keys", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }],
  ["kept keys that are no list", { spec: { strategy: { $retainKeys: "type", type: "Recreate" } } }],
  ["kept keys that miss one", { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "Recreate" } } }],
  ["kept keys that are numbers", { spec: { strategy: { $retainKeys: [5], type: "Recreate" } } }],
  [
    "a volume by its keys",
    inPod({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }] }),
  ],
  ["ports by half of their key", inPod({ containers: [{ name: "c", ports: [{ containerPort: 80, name: "p" }] }] })],
  ["replicas that are a text", { spec: { replicas: "x" } }],
  ["replicas that are a fraction", { spec: { replicas: 1.5 } }],
  ["replicas that are too large", { spec: { replicas: 3000000000 } }],
  ["replicas that are a bool", { spec: { replicas: true } }],
  ["paused that is a text", { spec: { paused: "yes" } }],
  ["paused that is a number", { spec: { paused: 1 } }],
  ["labels that are a list", { metadata: { labels: ["a"] } }],
  ["labels that are a text", { metadata: { labels: "a" } }],
  ["a label that is a number", { metadata: { labels: { a: 5 } } }],
  ["a label that is a fraction", { metadata: { labels: { a: 1.5 } } }],
  ["a label that is a bool", { metadata: { labels: { a: true } } }],
  ["a label that is an object", { metadata: { labels: { a: {} } } }],
  ["a label that is a list", { metadata: { labels: { a: [] } } }],
  ["a time that is none", { metadata: { creationTimestamp: "x" } }],
  ["a time that is a number", { metadata: { creationTimestamp: 5 } }],
  ["arguments that are numbers", inPod({ containers: [{ name: "c", args: [1] }] })],
  ["arguments that are a text", inPod({ containers: [{ name: "c", args: "x" }] })],
  ["an amount that is none", inPod({ containers: [{ name: "c", resources: { limits: { cpu: "x" } } }] })],
  ["an amount that is a number", inPod({ containers: [{ name: "c", resources: { limits: { cpu: 2 } } }] })],
  ["an amount that is a bool", inPod({ containers: [{ name: "c", resources: { limits: { cpu: true } } }] })],
  ["a surge that is a bool", { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: true } } } }],
  ["a surge that is a text", { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } } } }],
  [
    "a probe's port that is an object",
    inPod({ containers: [{ name: "c", readinessProbe: { httpGet: { port: {} } } }] }),
  ],
  ["an unknown field deep", inPod({ containers: [{ name: "c", nonsense: 1 }] })],
  ["an unknown object deep", inPod({ containers: [{ name: "c", nonsense: { a: 1 } }] })],
  ["an unknown list deep", inPod({ nonsense: [{ a: 1 }] })],
  ["a list", []],
  ["a text", '"x"'],
  ["null", "null"],
];

const contentTypes: readonly (readonly [string, string])[] = [
  ["with a charset", "application/merge-patch+json; charset=utf-8"],
  ["in capitals", "Application/Merge-Patch+JSON"],
  ["with nonsense", "application/merge-patch+json;nonsense"],
  ["two types", "application/merge-patch+json, application/json-patch+json"],
  ["none", ""],
  ["form", "application/x-www-form-urlencoded"],
  ["yaml", "application/yaml"],
];

const creates: readonly (readonly [string, string, object])[] = [
  ["configmaps", maps, map("p")],
  ["secrets", "/api/v1/namespaces/{ns}/secrets", { metadata: { name: "p" } }],
  [
    "services",
    "/api/v1/namespaces/{ns}/services",
    { metadata: { name: "p" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } },
  ],
  ["endpoints", "/api/v1/namespaces/{ns}/endpoints", { metadata: { name: "p" } }],
  ["events", "/api/v1/namespaces/{ns}/events", { metadata: { name: "p" }, involvedObject: { namespace: "{ns}" } }],
  [
    "limit ranges",
    "/api/v1/namespaces/{ns}/limitranges",
    { metadata: { name: "p" }, spec: { limits: [{ type: "Pod" }] } },
  ],
  [
    "pods",
    "/api/v1/namespaces/{ns}/pods",
    { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } },
  ],
  [
    "pod templates",
    "/api/v1/namespaces/{ns}/podtemplates",
    { metadata: { name: "p" }, template: { spec: { containers: [{ name: "c", image: "i" }] } } },
  ],
  ["service accounts", "/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "p" } }],
  ["leases", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", { metadata: { name: "p" } }],
  [
    "controller revisions",
    "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
    { metadata: { name: "p" }, revision: 1 },
  ],
  [
    "endpoint slices",
    "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    { metadata: { name: "p" }, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] },
  ],
  ["roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", { metadata: { name: "p" } }],
  [
    "role bindings",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    { metadata: { name: "p" }, roleRef: { kind: "Role", name: "r", apiGroup: "rbac.authorization.k8s.io" } },
  ],
  ["namespaces", "/api/v1/namespaces", { metadata: { name: "{ns}-put" } }],
  ["nodes", "/api/v1/nodes", { metadata: { name: "{ns}-put" } }],
  ["priority classes", "/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "{ns}-put" }, value: 1 }],
];

const revisions = "/apis/apps/v1/namespaces/{ns}/controllerrevisions";
const revision = (name: string, kilobytes: number) => ({
  metadata: { name },
  revision: 1,
  data: { a: long(kilobytes * 1024) },
});

export const writingScenes: readonly Scene[] = [
  {
    name: "identities",
    steps: [
      post("a long generateName", maps, { metadata: { generateName: `gen-${long(300)}-` } }, dry),
      post("a generateName with a dot", maps, { metadata: { generateName: "a.gen-" } }, dry),
      post("a generateName in capitals", maps, { metadata: { generateName: "Gen-" } }, dry),
      post("a generateName and a name", maps, { metadata: { generateName: "gen-", name: "both" } }, dry),
      post("a generateName that is empty", maps, { metadata: { generateName: "" } }, dry),
      post("a name of dots", maps, map(".."), dry),
      post("a name with a percent", maps, map("a%b"), dry),
      post("a name with an umlaut", maps, map("ä"), dry),
      post("a name with a space", maps, map("a b"), dry),
      post("a name that ends with a dash", maps, map("a-"), dry),
      post("a name of 253", maps, map(long(253)), dry),
      post("a name that is a number", maps, { metadata: { name: 5 } }, dry),
      post("a namespace that is empty", maps, map("n", { namespace: "" }), dry),
      post("a namespace that is its own", maps, map("n", { namespace: "{ns}" }), dry),
      post("a namespace for what has none", "/api/v1/nodes", { metadata: { name: "n", namespace: "{ns}" } }, dry),
      post("labels that are too long", maps, map("n", { labels: { a: long(64) } }), dry),
      post("a label key that is too long", maps, map("n", { labels: { [long(64)]: "a" } }), dry),
      post("a label key with a bad prefix", maps, map("n", { labels: { "A_b/c": "a" } }), dry),
      post("annotations that are too large", maps, map("n", { annotations: { a: long(262145) } }), dry),
      post("an annotation key in capitals", maps, map("n", { annotations: { "A.io/B": "a" } }), dry),
      post("an owner of no version", maps, map("n", { ownerReferences: [{ kind: "Pod", name: "p", uid: "u" }] }), dry),
      post(
        "an owner of an odd version",
        maps,
        map("n", { ownerReferences: [{ apiVersion: "a/b/c", kind: "Pod", name: "p", uid: "u" }] }),
        dry,
      ),
      post(
        "an owner that blocks",
        maps,
        map("n", {
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", blockOwnerDeletion: true }],
        }),
        dry,
      ),
      post(
        "an event for an owner",
        maps,
        map("n", { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "p", uid: "u" }] }),
        dry,
      ),
      post("a self link", maps, map("n", { selfLink: "/x" }), dry),
      post("a grace period", maps, map("n", { deletionGracePeriodSeconds: 5 }), dry),
      post(
        "managed fields without a version",
        maps,
        map("n", { managedFields: [{ manager: "x", operation: "Update", fieldsType: "FieldsV1", fieldsV1: {} }] }),
        dry,
      ),
      post(
        "managed fields of an odd type",
        maps,
        map("n", {
          managedFields: [{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "X", fieldsV1: {} }],
        }),
        dry,
      ),
      post(
        "managed fields of an odd operation",
        maps,
        map("n", {
          managedFields: [
            { manager: "x", operation: "Nonsense", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} },
          ],
        }),
        dry,
      ),
      post(
        "managed fields of a long manager",
        maps,
        map("n", {
          managedFields: [
            {
              manager: long(129),
              operation: "Update",
              apiVersion: "v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:data": {} },
            },
          ],
        }),
        dry,
      ),
      post("a manager from the agent", maps, map("n"), { ...dry, headers: { "user-agent": "my-tool/v1.0 (linux)" } }),
      post("a manager from a long agent", maps, map("n"), { ...dry, headers: { "user-agent": long(200) } }),
      post("a manager of 128", maps, map("n"), { query: { dryRun: "All", fieldManager: long(128) } }),
      post("a manager with an umlaut", maps, map("n"), { query: { dryRun: "All", fieldManager: "ä" } }),
      post("a manager with a new line", maps, map("n"), { query: { dryRun: "All", fieldManager: "a\nb" } }),
      post("an empty dry run", maps, map("n"), { query: { dryRun: "" } }),
      post("a dry run in small letters", maps, map("n"), { query: { dryRun: "all" } }),
      post("a dry run by a truth", maps, map("n"), { query: { dryRun: "true" } }),
      post("a strictness in small letters", maps, map("n"), { query: { dryRun: "All", fieldValidation: "strict" } }),
      post("pretty", maps, map("n"), { query: { dryRun: "All", pretty: "true" } }),
    ],
  },
  {
    name: "bodies",
    steps: [
      post("make", maps, map("a")),
      post("spaces", maps, "   "),
      post("a text", maps, '"x"'),
      post("true", maps, "true"),
      post("an object and more", maps, `${JSON.stringify(map("more"))} x`, dry),
      post("a byte order mark", maps, `\uFEFF${JSON.stringify(map("bom"))}`, dry),
      post("a comma too many", maps, '{"metadata":{"name":"x"},}', dry),
      post("single quotes", maps, "{'metadata':{'name':'x'}}", dry),
      post("a comment", maps, '{"metadata":{"name":"x"}} // x', dry),
      post("metadata that is null", maps, '{"metadata":null}', dry),
      post("metadata that is a list", maps, { metadata: [] }, dry),
      post("names in other letters", maps, { Metadata: { Name: "x" }, Data: { a: "1" } }, dry),
      post("a kind that is a number", maps, { kind: 5, metadata: { name: "x" } }, dry),
      post("a kind without a version", maps, { kind: "ConfigMap", metadata: { name: "x" } }, dry),
      post("a version without a kind", maps, { apiVersion: "v1", metadata: { name: "x" } }, dry),
      post("a version that is odd", maps, { apiVersion: "a/b/c", kind: "ConfigMap", metadata: { name: "x" } }, dry),
      post("a list of its kind", maps, { kind: "ConfigMapList", apiVersion: "v1", items: [] }, dry),
      post("a List", maps, { kind: "List", apiVersion: "v1", items: [] }, dry),
      post("a Status", maps, { kind: "Status", apiVersion: "v1" }, dry),
      post("delete options", maps, { kind: "DeleteOptions", apiVersion: "v1" }, dry),
      post("in YAML", maps, "metadata:\n  name: y\n", { ...dry, headers: { "content-type": "application/yaml" } }),
      post("in YAML as JSON", maps, "metadata:\n  name: y\n", dry),
      post("JSON as YAML", maps, JSON.stringify(map("y")), { ...dry, headers: { "content-type": "application/yaml" } }),
      post("YAML with two documents", maps, "metadata:\n  name: y\n---\nmetadata:\n  name: z\n", {
        ...dry,
        headers: { "content-type": "application/yaml" },
      }),
      post("YAML of an old name", maps, "metadata:\n  name: y\n", {
        ...dry,
        headers: { "content-type": "application/x-yaml" },
      }),
      post("JSON with a charset", maps, JSON.stringify(map("c")), {
        ...dry,
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
      post("JSON in capitals", maps, JSON.stringify(map("c")), {
        ...dry,
        headers: { "content-type": "Application/JSON" },
      }),
      post("a type of nonsense", maps, JSON.stringify(map("c")), { ...dry, headers: { "content-type": "nonsense" } }),
      post("a type that is any", maps, JSON.stringify(map("c")), { ...dry, headers: { "content-type": "*/*" } }),
      post("an empty type", maps, JSON.stringify(map("c")), { ...dry, headers: { "content-type": "" } }),
      post("protobuf that is none", maps, "x", {
        ...dry,
        headers: { "content-type": "application/vnd.kubernetes.protobuf" },
      }),
      put("update: nothing", `${maps}/a`, ""),
      put("update: an empty object", `${maps}/a`, {}),
      put("update: of another kind", `${maps}/a`, { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } }),
      put("update: in another namespace", `${maps}/a`, map("a", { namespace: "default" })),
      put("update: a version beyond all", `${maps}/a`, map("a", { resourceVersion: "99999999999999999999" })),
      put("update: a version of zeros", `${maps}/a`, map("a", { resourceVersion: "00" }), dry),
      put(
        "update: with an unknown field, strictly",
        `${maps}/a`,
        { ...map("a"), foo: 1 },
        { query: { fieldValidation: "Strict" } },
      ),
      put("update: a dry run nobody knows", `${maps}/a`, map("a"), { query: { dryRun: "x" } }),
      after("make", ({ uid }) => put("update: by its uid", `${maps}/a`, map("a", { uid }), dry)),
      put("update: in YAML", `${maps}/a`, "metadata:\n  name: a\n", {
        ...dry,
        headers: { "content-type": "application/yaml" },
      }),
      ...contentTypes.map(([title, type]) =>
        merge(`patch: ${title}`, `${maps}/a`, { data: { c: title } }, { ...dry, headers: { "content-type": type } }),
      ),
      merge("patch: nothing", `${maps}/a`, ""),
      strategic("patch: nothing, strategically", `${maps}/a`, ""),
      operations("patch: nothing, by operations", `${maps}/a`, ""),
      operations("patch: no operations", `${maps}/a`, [], dry),
      operations("patch: an operation without a path", `${maps}/a`, [{ op: "add", value: 1 }], dry),
      operations("patch: an operation without a value", `${maps}/a`, [{ op: "add", path: "/data/x" }], dry),
      operations("patch: an operation on all", `${maps}/a`, [{ op: "replace", path: "", value: {} }], dry),
      operations("patch: an operation of a text", `${maps}/a`, ["x"], dry),
      operations(
        "patch: an operation with tildes",
        `${maps}/a`,
        [{ op: "add", path: "/data/a~1b~0c", value: "1" }],
        dry,
      ),
      operations(
        "patch: an operation on the name",
        `${maps}/a`,
        [{ op: "replace", path: "/metadata/name", value: "b" }],
        dry,
      ),
      operations("patch: removing metadata", `${maps}/a`, [{ op: "remove", path: "/metadata" }], dry),
      operations(
        "patch: a test on a version",
        `${maps}/a`,
        [{ op: "test", path: "/metadata/resourceVersion", value: "1" }],
        dry,
      ),
      merge("patch: a dry run nobody knows", `${maps}/a`, {}, { query: { dryRun: "x" } }),
      merge("patch: a manager too long", `${maps}/a`, {}, { query: { fieldManager: long(129) } }),
      merge("patch: a kind", `${maps}/a`, { kind: "Secret" }, dry),
      merge("patch: a version", `${maps}/a`, { apiVersion: "v2" }, dry),
      merge("patch: a kind that would fit", `${maps}/a`, { kind: "ServiceAccount" }, dry),
      merge("patch: a kind nobody knows", `${maps}/a`, { kind: "Nonsense" }, dry),
      merge("patch: a kind that is a number", `${maps}/a`, { kind: 5 }, dry),
      strategic("patch: a kind, strategically", `${maps}/a`, { kind: "Secret" }, dry),
      merge("patch: no name", `${maps}/a`, { metadata: { name: null } }, dry),
      merge("patch: no metadata", `${maps}/a`, { metadata: null }, dry),
      merge(
        "patch: an unknown field, strictly",
        `${maps}/a`,
        { foo: 1 },
        { query: { dryRun: "All", fieldValidation: "Strict" } },
      ),
      merge("patch: a field twice, strictly", `${maps}/a`, '{"data":{"a":"1","a":"2"}}', {
        query: { dryRun: "All", fieldValidation: "Strict" },
      }),
      merge("patch: labels gone", `${maps}/a`, { metadata: { labels: null, annotations: null } }, dry),
      merge("patch: in a namespace that is not there", "/api/v1/namespaces/absent/configmaps/a", {}),
      put("update: in a namespace that is not there", "/api/v1/namespaces/absent/configmaps/a", map("a")),
    ],
  },
  {
    name: "made by an update",
    steps: creates.flatMap(([kind, path, object]): NextStep[] => {
      const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
      return [
        put(kind, `${path}/${name}`, object),
        put(`${kind}: with a uid`, `${path}/${name}-u`, { ...object, metadata: { name: `${name}-u`, uid: "x" } }),
        put(`${kind}: with a version`, `${path}/${name}-v`, {
          ...object,
          metadata: { name: `${name}-v`, resourceVersion: "1" },
        }),
      ];
    }),
  },
  {
    name: "bad labels",
    steps: creates.flatMap(([kind, path, object]): NextStep[] => {
      const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
      return [
        post(`${kind}: make`, path, { ...object, metadata: { name: `${name}-l` } }),
        merge(kind, `${path}/${name}-l`, { metadata: { labels: { "a b": "c" } } }),
      ];
    }),
  },
  {
    name: "strategic patches",
    steps: [
      post("make", deployments, deployment),
      ...strategicRows.map(([title, body]) => strategic(title, `${deployments}/d`, body, dry)),
      strategic("for what is not there", `${deployments}/absent`, {}),
      strategic("strictly", `${deployments}/d`, inPod({ containers: [{ name: "c", nonsense: 1 }] }), {
        query: { dryRun: "All", fieldValidation: "Strict" },
      }),
      strategic(
        "for a status",
        `${deployments}/d/status`,
        { status: { conditions: [{ type: "Available", status: "True" }] } },
        dry,
      ),
      strategic(
        "for a status without its key",
        `${deployments}/d/status`,
        { status: { conditions: [{ status: "True" }] } },
        dry,
      ),
      merge("merged: replicas that are a text", `${deployments}/d`, { spec: { replicas: "x" } }, dry),
      merge("merged: containers that are a text", `${deployments}/d`, inPod({ containers: "x" }), dry),
      operations(
        "by operations: replicas that are a text",
        `${deployments}/d`,
        [{ op: "replace", path: "/spec/replicas", value: "x" }],
        dry,
      ),
      get("in the end", `${deployments}/d`),
    ],
  },
  {
    name: "what etcd would not take",
    steps: [
      post("a large object", revisions, revision("large", 1_400)),
      merge("one that grows too large", `${revisions}/large`, { metadata: { annotations: { a: long(200 * 1024) } } }),
      post("one that is too large", revisions, revision("larger", 1_600)),
      post("one that is too large, for nothing", revisions, revision("larger", 1_600), dry),
    ],
  },
];
