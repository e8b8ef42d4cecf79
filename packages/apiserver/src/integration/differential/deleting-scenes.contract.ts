// Deleting: one and many, with every option in the body and in the query, and what is left behind in between.
import { after, get, merge, post, remove } from "./ask.contract.ts";
import type { NextStep, Scene } from "./request-script.contract.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const pods = "/api/v1/namespaces/{ns}/pods";
const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const map = (name: string, more: object = {}) => ({ metadata: { name, labels: { in: "script" }, ...more } });
const spec = { containers: [{ name: "c", image: "i" }] };
const ours = { labelSelector: "in=script" };
const dry = { query: { dryRun: "All" } };
const template = { metadata: { labels: { a: "b" } }, spec };
const selector = { matchLabels: { a: "b" } };

/** Of a kind: which finalizers its deletion leaves, by each way to ask for it. */
function propagation(kind: string, path: string, object: object): NextStep[] {
  const ways: readonly (readonly [string, unknown, Record<string, string>])[] = [
    ["as it comes", undefined, {}],
    ["in the background", { propagationPolicy: "Background" }, {}],
    ["in the foreground", { propagationPolicy: "Foreground" }, {}],
    ["orphaning", { propagationPolicy: "Orphan" }, {}],
    ["orphaning as of old", { orphanDependents: true }, {}],
    ["not orphaning as of old", { orphanDependents: false }, {}],
    ["orphaning by the query", undefined, { orphanDependents: "true" }],
  ];
  return ways.flatMap(([way, body, query], i) => [
    post(`${kind}: make ${i}`, path, { ...object, metadata: { name: `p${i}` } }),
    remove(`${kind}: ${way}`, `${path}/p${i}`, body, { query }),
    get(`${kind}: left ${way}`, `${path}/p${i}`),
  ]);
}

export const deletingScenes: readonly Scene[] = [
  {
    name: "deletes",
    steps: [
      post("make a", maps, map("a")),
      remove("a grace period by the query", `${maps}/a`, undefined, {
        query: { gracePeriodSeconds: "5", dryRun: "All" },
      }),
      remove("a grace period that is none", `${maps}/a`, undefined, { query: { gracePeriodSeconds: "x" } }),
      remove("a grace period beyond all", `${maps}/a`, undefined, {
        query: { gracePeriodSeconds: "99999999999999999999" },
      }),
      remove("a grace period below nothing", `${maps}/a`, { gracePeriodSeconds: -5 }, dry),
      remove("a dry run in the body", `${maps}/a`, { dryRun: ["All"] }),
      remove("a dry run nobody knows, in the body", `${maps}/a`, { dryRun: ["x"] }),
      remove("a dry run nobody knows, by the query", `${maps}/a`, undefined, { query: { dryRun: "x" } }),
      remove(
        "options in both",
        `${maps}/a`,
        { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground" },
        { query: { dryRun: "All", propagationPolicy: "Nonsense" } },
      ),
      remove("a policy of nonsense in the body", `${maps}/a`, { propagationPolicy: "Nonsense" }),
      remove("a policy that is a number", `${maps}/a`, { propagationPolicy: 5 }),
      remove("an empty policy", `${maps}/a`, { propagationPolicy: "" }),
      remove("an unknown option", `${maps}/a`, { nonsense: 1 }, dry),
      remove("options of another group", `${maps}/a`, {
        kind: "DeleteOptions",
        apiVersion: "apps/v1",
        dryRun: ["All"],
      }),
      remove("options of another version", `${maps}/a`, { kind: "DeleteOptions", apiVersion: "v2" }),
      remove("options of meta's own", `${maps}/a`, {
        kind: "DeleteOptions",
        apiVersion: "meta.k8s.io/v1",
        dryRun: ["All"],
      }),
      remove("options without a version", `${maps}/a`, { kind: "DeleteOptions", dryRun: ["All"] }),
      remove("options that are a list", `${maps}/a`, "[]"),
      remove("options that are null", `${maps}/a`, "null", dry),
      remove("options that are no JSON", `${maps}/a`, "nonsense"),
      remove("options that are spaces", `${maps}/a`, "  "),
      remove("options in YAML", `${maps}/a`, "dryRun: [All]", { headers: { "content-type": "application/yaml" } }),
      remove("options in an unknown form", `${maps}/a`, "x", { headers: { "content-type": "text/plain" } }),
      remove("preconditions of another uid", `${maps}/a`, { preconditions: { uid: "x" } }),
      remove("preconditions that are empty", `${maps}/a`, { preconditions: {} }, dry),
      remove("preconditions of an empty uid", `${maps}/a`, { preconditions: { uid: "" } }),
      remove("preconditions of another uid and version", `${maps}/a`, {
        preconditions: { uid: "x", resourceVersion: "1" },
      }),
      after("make a", ({ uid }) =>
        remove("preconditions of its uid", `${maps}/a`, { preconditions: { uid }, dryRun: ["All"] }),
      ),
      after("make a", ({ uid, resourceVersion }) =>
        remove("preconditions that hold", `${maps}/a`, { preconditions: { uid, resourceVersion } }),
      ),
      remove("what is not there, by a uid in the query", `${maps}/a`, undefined, { query: { uid: "x" } }),
      remove("what is not there, with preconditions", `${maps}/a`, { preconditions: { uid: "x" } }),
      remove("what is not there, as a dry run", `${maps}/a`, undefined, dry),
      remove("in a namespace that is not there", "/api/v1/namespaces/absent/configmaps/a"),
      post("make c", maps, map("c")),
      remove("c by another uid in the query", `${maps}/c`, undefined, { query: { uid: "x" } }),
      remove("c by another version in the query", `${maps}/c`, undefined, { query: { resourceVersion: "1" } }),
      after("make c", ({ uid, resourceVersion }) =>
        remove("c by its own in the query", `${maps}/c`, undefined, { query: { uid, resourceVersion } }),
      ),
      remove("jobs that are not there", `${jobs}/absent`),
      remove("jobs together", jobs, undefined, { query: { labelSelector: "none=such" } }),
      remove("jobs together, in the background", jobs, undefined, {
        query: { labelSelector: "none=such", propagationPolicy: "Background" },
      }),
      post("make b with a finalizer", maps, map("b", { finalizers: ["a.io/b"] })),
      remove("b", `${maps}/b`),
      remove("b again", `${maps}/b`),
      remove("b in the foreground", `${maps}/b`, { propagationPolicy: "Foreground" }),
      remove("b with a stale version", `${maps}/b`, { preconditions: { resourceVersion: "1" } }),
      merge("b gets a label", `${maps}/b`, { metadata: { labels: { c: "d" } } }),
      merge("b gets another finalizer", `${maps}/b`, { metadata: { finalizers: ["a.io/b", "c.io/d"] } }),
      merge("b loses its deletion", `${maps}/b`, { metadata: { deletionTimestamp: null } }),
      merge("b is let go as a dry run", `${maps}/b`, { metadata: { finalizers: null } }, dry),
      get("b is still there", `${maps}/b`),
      merge("b is let go", `${maps}/b`, { metadata: { finalizers: [] } }),
      get("b is gone", `${maps}/b`),
    ],
  },
  {
    name: "deleted together",
    steps: [
      ...["a", "b", "c"].map((name) => post(`make ${name}`, maps, map(name))),
      post("make one that is held", maps, map("held", { finalizers: ["a.io/b"] })),
      remove("as a dry run", maps, { dryRun: ["All"] }, { query: ours }),
      remove("with a precondition", maps, { preconditions: { uid: "x" } }, { query: ours }),
      remove("with a precondition of a version", maps, { preconditions: { resourceVersion: "1" } }, { query: ours }),
      remove("with a limit", maps, undefined, { query: { ...ours, limit: "1", dryRun: "All" } }),
      remove("with a version", maps, undefined, { query: { ...ours, resourceVersion: "0", dryRun: "All" } }),
      remove("with a version that is none", maps, undefined, {
        query: { ...ours, resourceVersion: "abc", dryRun: "All" },
      }),
      remove("with a match and no version", maps, undefined, { query: { ...ours, resourceVersionMatch: "Exact" } }),
      remove("by a bad label", maps, undefined, { query: { labelSelector: "a b" } }),
      remove("by a bad field", maps, undefined, { query: { fieldSelector: "a" } }),
      remove("by a field nobody knows", maps, undefined, { query: { fieldSelector: "data.a=1" } }),
      remove("with a policy nobody knows", maps, { propagationPolicy: "Nonsense" }, { query: ours }),
      remove("with a watch", maps, undefined, { query: { ...ours, watch: "true", dryRun: "All" } }),
      remove("by name", maps, undefined, { query: { fieldSelector: "metadata.name=a" } }),
      remove("all but one", maps, undefined, { query: { ...ours, fieldSelector: "metadata.name!=c" } }),
      get("what is left", maps, { query: ours }),
      remove("in the foreground", maps, { propagationPolicy: "Foreground" }, { query: ours }),
      get("what waits", maps, { query: ours }),
      remove("in a namespace that is not there", "/api/v1/namespaces/absent/configmaps"),
      remove("services, of which none are", "/api/v1/namespaces/{ns}/services", undefined, {
        query: { labelSelector: "none=such" },
      }),
      remove("namespaces, which cannot", "/api/v1/namespaces"),
      remove("nodes by label", "/api/v1/nodes", undefined, { query: { labelSelector: "none=such" } }),
    ],
  },
  {
    name: "propagation",
    steps: [
      ...propagation("config maps", maps, {}),
      ...propagation("jobs", jobs, {
        spec: { template: { spec: { ...spec, restartPolicy: "Never" } }, manualSelector: true, selector, ...{} },
      }),
      ...propagation("replication controllers", "/api/v1/namespaces/{ns}/replicationcontrollers", {
        spec: { selector: { a: "b" }, template },
      }),
      ...propagation("deployments", "/apis/apps/v1/namespaces/{ns}/deployments", { spec: { selector, template } }),
      ...propagation("events", "/api/v1/namespaces/{ns}/events", { involvedObject: { namespace: "{ns}" } }),
      ...propagation("cron jobs", "/apis/batch/v1/namespaces/{ns}/cronjobs", {
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: { spec: { ...spec, restartPolicy: "Never" } } } },
        },
      }),
    ],
  },
  {
    name: "pods that go",
    steps: [
      ...["a", "b", "c", "d", "e"].map((name) =>
        post(`make ${name}`, pods, { metadata: { name }, spec: { ...spec, nodeName: "n" } }),
      ),
      post("make one without a node", pods, { metadata: { name: "pending" }, spec }),
      remove("a in its own time", `${pods}/a`),
      remove("a again", `${pods}/a`),
      remove("a sooner", `${pods}/a`, { gracePeriodSeconds: 5 }),
      remove("a later", `${pods}/a`, { gracePeriodSeconds: 50 }),
      remove("a at once", `${pods}/a`, { gracePeriodSeconds: 0 }),
      get("a is gone", `${pods}/a`),
      remove("b with a grace below nothing", `${pods}/b`, { gracePeriodSeconds: -1 }),
      remove("c as a dry run", `${pods}/c`, { dryRun: ["All"] }),
      remove("c at once, as a dry run", `${pods}/c`, { dryRun: ["All"], gracePeriodSeconds: 0 }),
      get("c is still there", `${pods}/c`),
      merge("c ends", `${pods}/c/status`, { status: { phase: "Succeeded" } }),
      remove("c when it ended", `${pods}/c`),
      remove("what has no node", `${pods}/pending`),
      remove("d in the foreground", `${pods}/d`, { propagationPolicy: "Foreground" }),
      merge("d is let go", `${pods}/d`, { metadata: { finalizers: null } }),
      remove("d at once", `${pods}/d`, { gracePeriodSeconds: 0 }),
      remove("all together", pods, { gracePeriodSeconds: 3 }),
      get("what is left", pods),
      remove("the namespace, which stays a while", "/api/v1/namespaces/{ns}", undefined, dry),
    ],
  },
];
