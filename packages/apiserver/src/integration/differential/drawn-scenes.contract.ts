// What drawn requests found that nobody had thought of asking: each is here with a few of its neighbours.
import { after, as, get, merge, patch, post, put, remove, strategic } from "./ask.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const core = "/api/v1/namespaces/{ns}";
const maps = `${core}/configmaps`;
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const operations = patch("json");
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels: { a: "b" } }, spec: podSpec };
const strict = { query: { fieldValidation: "Strict" } };
const silent = { query: { fieldValidation: "Ignore" } };
const dry = { query: { dryRun: "All" } };
const table = as("Table");
const marked = (name: string, mark: string) => ({ metadata: { name, labels: { in: "pages", mark } } });

const newEvents = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const happened = (name: string) => ({
  metadata: { name },
  involvedObject: { namespace: "{ns}", kind: "Pod", name: "p" },
  reason: "R",
  type: "Normal",
});
const noted = (name: string) => ({
  metadata: { name },
  regarding: { namespace: "{ns}", kind: "Pod", name: "p" },
  reason: "R",
  action: "A",
  type: "Normal",
  reportingController: "a.b/c",
  reportingInstance: "i",
});
const daemonSets = "/apis/apps/v1/namespaces/{ns}/daemonsets";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const revisions = "/apis/apps/v1/namespaces/{ns}/controllerrevisions";

export const drawnScenes: readonly Scene[] = [
  {
    name: "pages of a selection",
    steps: [
      post("one that matches", maps, marked("a", "1")),
      post("one that does not", maps, marked("b", "0")),
      post("one more that does", maps, marked("c", "1")),
      post("and one more that does not", maps, marked("d", "0")),
      ...["1", "2", "3"].map((limit) =>
        get(`up to ${limit}`, maps, { query: { limit, labelSelector: "in=pages,mark=1" } }),
      ),
      after("up to 1", (meta) =>
        get("after the first", maps, {
          query: { limit: "1", labelSelector: "in=pages,mark=1", continue: meta.continue },
        }),
      ),
      after("up to 2", (meta) =>
        get("after both", maps, { query: { limit: "2", labelSelector: "in=pages,mark=1", continue: meta.continue } }),
      ),
      get("one by its name", maps, { query: { limit: "1", fieldSelector: "metadata.name=a" } }),
    ],
  },
  {
    name: "managers that are to be forgotten",
    steps: [
      post("a map", maps, { metadata: { name: "m" }, data: { a: "1" } }),
      merge("tried with an empty list", `${maps}/m`, { metadata: { managedFields: [] } }, dry),
      merge("by an empty list", `${maps}/m`, { metadata: { managedFields: [] } }),
      merge("and not remembered again", `${maps}/m`, { data: { a: "2" } }),
      post("created without any", maps, { metadata: { name: "n", managedFields: [] }, data: { a: "1" } }),
      put("by an empty list in an update", `${maps}/n`, {
        metadata: { name: "n", managedFields: [] },
        data: { a: "1" },
      }),
      post("in a template they mean nothing", deployments, {
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { ...template, metadata: { ...template.metadata, managedFields: [] } },
        },
      }),
    ],
  },
  {
    name: "items without their keys",
    steps: [
      post("in an account", `${core}/serviceaccounts`, { metadata: { name: "a", labels: { a: "b" } }, secrets: [{}] }),
      merge("which is changed", `${core}/serviceaccounts/a`, { metadata: { labels: { a: "c" } } }),
      merge("and mended", `${core}/serviceaccounts/a`, { secrets: [{ name: "s" }] }),
      post("in one that was whole", `${core}/serviceaccounts`, { metadata: { name: "b" }, secrets: [{ name: "s" }] }),
      merge("and is no longer", `${core}/serviceaccounts/b`, { secrets: [{}] }),
    ],
  },
  {
    name: "patches of a scale",
    steps: [
      post("a deployment", deployments, {
        metadata: { name: "d" },
        spec: { selector: { matchLabels: { a: "b" } }, template },
      }),
      merge("of another kind", `${deployments}/d/scale`, { kind: "Foo", spec: { replicas: 2 } }),
      merge("of another version", `${deployments}/d/scale`, { apiVersion: "x/y", spec: { replicas: 2 } }),
      strategic("of another kind, strategically", `${deployments}/d/scale`, { kind: "Foo", spec: { replicas: 2 } }),
      operations("of another kind, by operations", `${deployments}/d/scale`, [
        { op: "replace", path: "/kind", value: "Foo" },
      ]),
      merge("with what it does not have", `${deployments}/d/scale`, { spec: { replicas: 2, size: 1 } }),
      merge("with what it does not have, strictly", `${deployments}/d/scale`, { spec: { size: 1 } }, strict),
      merge("with what it does not have, in silence", `${deployments}/d/scale`, { spec: { size: 1 } }, silent),
      put("of one that is not there, under another name", `${deployments}/nope/scale`, {
        metadata: { name: "other" },
        spec: { replicas: 1 },
      }),
      put("of one that is there, under another name", `${deployments}/d/scale`, {
        metadata: { name: "other" },
        spec: { replicas: 1 },
      }),
    ],
  },
  {
    name: "tables of subresources",
    steps: [
      post("a pod", `${core}/pods`, { metadata: { name: "p" }, spec: podSpec }),
      get("its status", `${core}/pods/p/status`, table),
      get("its ephemeral containers", `${core}/pods/p/ephemeralcontainers`, table),
      get("its size", `${core}/pods/p/resize`, table),
      get("its size, in metadata", `${core}/pods/p/resize`, as("PartialObjectMetadata")),
      post("an eviction", `${core}/pods/p/eviction`, { metadata: { name: "p" } }, { ...dry, ...table }),
      post("a binding", `${core}/pods/p/binding`, { target: { name: "n" } }, { ...dry, ...table }),
      merge("a scale", `${deployments}/d/scale`, { spec: { replicas: 1 } }, table),
    ],
  },
  {
    name: "odd options",
    steps: [
      post("a map", maps, { metadata: { name: "m" }, data: { a: "1" } }),
      remove("by a policy that is empty", `${maps}/m`, undefined, { query: { propagationPolicy: "" } }),
      remove("by a policy that is empty, in the body", `${maps}/m`, { propagationPolicy: "" }),
      ...["x", "abcde", "a=", "abc*"].map((token) => get(`after ${token}`, maps, { query: { continue: token } })),
      post("tried with a version", maps, { metadata: { name: "n", resourceVersion: "5" } }, dry),
      post("tried with a version that is none", maps, { metadata: { name: "n", resourceVersion: "x" } }, dry),
      post("with a version", maps, { metadata: { name: "n", resourceVersion: "5" } }),
      ...[undefined, strict, silent].map((options, i) =>
        operations(
          `an operation with more than it has, ${["warned", "strictly", "in silence"][i]}`,
          `${maps}/m`,
          [{ op: "test", path: "/kind", value: "ConfigMap", extra: 1 }],
          options,
        ),
      ),
      strategic("an order below what is not there", `${maps}/m`, {
        spec: { "$setElementOrder/containers": ["a"], containers: [{ name: "n" }] },
      }),
    ],
  },
  {
    name: "times of the year 1",
    steps: [
      ...["0001-01-01T00:00:00", "0001-01-01T00:00:01", "0001-06-01T00:00:00", "0000-01-01T00:00:00"].flatMap(
        (time, i) => [
          post(`an event that happened at ${time}`, `${core}/events`, {
            ...happened(`a${i}`),
            eventTime: `${time}.000000Z`,
          }),
          post(`an event that was first seen at ${time}`, `${core}/events`, {
            ...happened(`b${i}`),
            firstTimestamp: `${time}Z`,
            lastTimestamp: `${time}Z`,
          }),
          post(`an event of the other group that happened at ${time}`, newEvents, {
            ...noted(`c${i}`),
            eventTime: `${time}.000000Z`,
          }),
          post(`an event of the other group that was first seen at ${time}`, newEvents, {
            ...noted(`d${i}`),
            eventTime: "2024-01-01T00:00:00.000000Z",
            deprecatedFirstTimestamp: `${time}Z`,
          }),
          post(`a series last seen at ${time}`, newEvents, {
            ...noted(`e${i}`),
            eventTime: "2024-01-01T00:00:00.000000Z",
            series: { count: 2, lastObservedTime: `${time}.000000Z` },
          }),
        ],
      ),
    ],
  },
  {
    name: "events of the first moment of the year 1, written again",
    steps: [
      post("with a series", newEvents, {
        ...noted("a"),
        eventTime: "0001-01-01T00:00:00.000000Z",
        series: { count: 2, lastObservedTime: "0001-01-01T00:00:00.000000Z" },
      }),
      merge("as it was", `${newEvents}/a`, {
        eventTime: "0001-01-01T00:00:00.000000Z",
        deprecatedFirstTimestamp: "0001-01-01T00:00:00Z",
        series: { count: 2, lastObservedTime: "0001-01-01T00:00:00.000000Z" },
      }),
      merge("another word", `${newEvents}/a`, { metadata: { labels: { a: "b" } } }),
      merge("a series of one", `${newEvents}/a`, {
        series: { count: 1, lastObservedTime: "0001-01-01T00:00:00.000000Z" },
      }),
      merge("another time", `${newEvents}/a`, { eventTime: "0001-01-01T00:00:00.000001Z" }),
      merge("of old clients", `${core}/events/a`, { eventTime: "0001-01-01T00:00:00.000000Z", action: null }),
      get("afterwards", `${core}/events/a`),
    ],
  },
  {
    name: "empty lists that are printed",
    steps: [
      post("a role without rules", roles, { metadata: { name: "a" }, rules: [] }),
      merge("its rules taken away again", `${roles}/a`, { rules: [] }),
      merge("a rule", `${roles}/a`, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }),
      merge("no rule any more", `${roles}/a`, { rules: [] }),
      put("put without rules", `${roles}/a`, { kind: "Role", metadata: { name: "a" }, rules: [] }),
      put("put with nothing", `${roles}/a`, { metadata: { name: "a" } }),
      get("the role", `${roles}/a`),
      post("a slice without endpoints", slices, {
        metadata: { name: "a" },
        addressType: "IPv4",
        endpoints: [],
        ports: [],
      }),
      get("the slice", `${slices}/a`),
      post("a CSI node without drivers", "/apis/storage.k8s.io/v1/csinodes", {
        metadata: { name: "{ns}" },
        spec: { drivers: [] },
      }),
      post("limits that are none", `${core}/limitranges`, { metadata: { name: "a" }, spec: { limits: [] } }),
      post("a class without topologies", "/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "{ns}" },
        provisioner: "a.b/c",
        allowedTopologies: [{ matchLabelExpressions: [] }],
      }),
      remove("the CSI node", "/apis/storage.k8s.io/v1/csinodes/{ns}"),
      remove("the class", "/apis/storage.k8s.io/v1/storageclasses/{ns}"),
    ],
  },
  {
    name: "quotes in YAML",
    steps: [`"it\\'s"`, `"\\\\'"`, `'"\\'`, `|\n    "\\'"`, `x "\\'"`, `{"\\'": "\\'"}`, `"\\'\\/"`, `"\\q"`].map(
      (text, i) =>
        post(`quoted as ${text}`, maps, `metadata:\n  name: quoted-${i}\ndata:\n  a: ${text}\n`, {
          headers: { "content-type": "application/yaml" },
        }),
    ),
  },
  {
    name: "events at versions that are none",
    steps: ["-1", "a", "0x1", "18446744073709551616"].flatMap((resourceVersion) => [
      get(`list at ${resourceVersion}`, `${core}/events`, { query: { resourceVersion } }),
      get(`a page at ${resourceVersion}`, `${core}/events`, { query: { resourceVersion, limit: "1" } }),
      get(`exactly at ${resourceVersion}`, `${core}/events`, {
        query: { resourceVersion, resourceVersionMatch: "Exact" },
      }),
      get(`one at ${resourceVersion}`, `${core}/events/none`, { query: { resourceVersion } }),
      get(`watch at ${resourceVersion}`, `${core}/events`, {
        query: { resourceVersion, watch: "1", timeoutSeconds: "1" },
      }),
    ]),
  },
  {
    name: "odd patches",
    steps: [
      post("a daemon set", daemonSets, {
        metadata: { name: "d" },
        spec: { selector: { matchLabels: { a: "b" } }, template },
      }),
      strategic("a template generation that is no number", `${daemonSets}/d`, {
        metadata: { annotations: { "deprecated.daemonset.template.generation": "x" } },
      }),
      merge("the same, merged", `${daemonSets}/d`, {
        metadata: { annotations: { "deprecated.daemonset.template.generation": "x" } },
      }),
      post("a revision", revisions, {
        metadata: { name: "r" },
        revision: 1,
        data: { a: [{ name: "x" }], b: { c: [1] } },
      }),
      strategic("a list in its data", `${revisions}/r`, { data: { a: [{ name: "y" }] } }),
      strategic("a list in a map in its data", `${revisions}/r`, { data: { b: { c: [2] } } }),
      strategic("a revision number", `${revisions}/r`, { revision: 2 }),
    ],
  },
];
