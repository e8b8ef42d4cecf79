// Looking: versions and pages in every combination, watches with every option, views, and whatever an Accept header may say.
import { accept, after, as, get, merge, post, remove } from "./ask.contract.ts";
import type { NextStep, Scene } from "./request-script.contract.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const map = (name: string, labels: object = { in: "script" }) => ({ metadata: { name, labels }, data: { a: "1" } });
const makeMaps = ["a", "b", "c"].map((name) => post(`make ${name}`, maps, map(name)));
const ours = { labelSelector: "in=script" };
const initialEvents = {
  timeoutSeconds: "1",
  sendInitialEvents: "true",
  resourceVersionMatch: "NotOlderThan",
  allowWatchBookmarks: "true",
};
const tooLarge = "999999999999";

const versions = ["", "0", "made", tooLarge] as const;
const matches = ["", "Exact", "NotOlderThan"] as const;
const limits = ["", "0", "1"] as const;

/** The words for it in a title. */
const word = (value: string) =>
  value === "" ? "none" : value === tooLarge ? "too large" : value === "made" ? "known" : value;

function versionedLists(): readonly NextStep[] {
  const steps: NextStep[] = [];
  for (const version of versions) {
    for (const match of matches) {
      for (const limit of limits) {
        // One that waits for a version that never comes is enough.
        if (version === tooLarge && (limit !== "" || match === "")) continue;
        const title = `version ${word(version)}, match ${word(match)}, limit ${word(limit)}`;
        steps.push(
          after("make c", ({ resourceVersion }) =>
            get(title, maps, {
              query: {
                ...ours,
                ...(version === "" ? {} : { resourceVersion: version === "made" ? resourceVersion : version }),
                ...(match === "" ? {} : { resourceVersionMatch: match }),
                ...(limit === "" ? {} : { limit }),
              },
            }),
          ),
        );
      }
    }
  }
  return steps;
}

const views = ["Table", "PartialObjectMetadata", "PartialObjectMetadataList"];

const viewSteps = ["v1", "v1beta1", "v2"].flatMap((version) =>
  views.flatMap((view) => [
    get(`${view} ${version} of one`, `${maps}/a`, as(view, version)),
    get(`${view} ${version} of many`, maps, { query: ours, ...as(view, version) }),
    get(`${view} ${version} in a watch`, maps, {
      query: { ...ours, watch: "1", resourceVersion: "0", timeoutSeconds: "1" },
      ...as(view, version),
    }),
    post(`${view} ${version} of what is made`, maps, map("dry"), { query: { dryRun: "All" }, ...as(view, version) }),
    merge(
      `${view} ${version} of what is patched`,
      `${maps}/a`,
      { data: { b: "2" } },
      { query: { dryRun: "All" }, ...as(view, version) },
    ),
    remove(`${view} ${version} of what is deleted`, `${maps}/a`, undefined, {
      query: { dryRun: "All" },
      ...as(view, version),
    }),
    remove(`${view} ${version} of what is deleted together`, maps, undefined, {
      query: { dryRun: "All", ...ours },
      ...as(view, version),
    }),
  ]),
);

const accepts = [
  "*/*",
  "*",
  "application/*",
  "application/*,application/json",
  "application/json;q=0.5",
  "application/yaml;q=0.9,application/json;q=0.5",
  "application/json;q=0.5,application/yaml;q=0.9",
  "application/json;q=0",
  "application/json;q=x",
  "application/json;charset=utf-8",
  'application/json; charset="utf-8"',
  "application/json;nonsense=1",
  "application/json;pretty=1",
  "application/json;pretty=0",
  "application/json;stream=watch",
  "application/json;stream=nonsense",
  "application/json;as=",
  "application/json;g=meta.k8s.io",
  "application/json;v=v1",
  "application/json;as=Table",
  "application/json;as=Table;g=meta.k8s.io",
  "application/json;as=Table;v=v1",
  "application/json;as=Table;g=meta.k8s.io;v=v1;q=0.1,application/json;q=0.9",
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
  "application/yaml;as=Table;g=meta.k8s.io;v=v1",
  "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json",
  "application/xml",
  "application/xml,*/*;q=0.1",
  "text/*",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "nonsense",
  "application/json, ,",
  ";",
  "application/",
  "APPLICATION/JSON",
  "application/cbor",
];

const watchSteps: readonly NextStep[] = [
  ...[
    ["that ends", { timeoutSeconds: "1" }],
    ["with bookmarks", { timeoutSeconds: "1", allowWatchBookmarks: "true" }],
    ["from the beginning", { timeoutSeconds: "1", resourceVersion: "0" }],
    ["with a timeout that is none", { timeoutSeconds: "bad" }],
    ["with a timeout that is empty", { timeoutSeconds: "", limit: "x" }],
    ["with bookmarks of nonsense", { timeoutSeconds: "1", allowWatchBookmarks: "nonsense", resourceVersion: "0" }],
    ["with initial events", initialEvents],
    [
      "with initial events and no bookmarks",
      { timeoutSeconds: "1", sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
    ],
    ["with initial events of version 0", { ...initialEvents, resourceVersion: "0" }],
    [
      "with initial events of a version that is none",
      { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", resourceVersion: "abc" },
    ],
    [
      "with initial events, exactly",
      { sendInitialEvents: "true", resourceVersionMatch: "Exact", resourceVersion: "5" },
    ],
    ["with initial events and a match nobody knows", { sendInitialEvents: "true", resourceVersionMatch: "Nonsense" }],
    [
      "without initial events",
      { timeoutSeconds: "1", sendInitialEvents: "false", resourceVersionMatch: "NotOlderThan" },
    ],
    ["without initial events and a match", { timeoutSeconds: "1", sendInitialEvents: "false" }],
    [
      "with a match and no initial events",
      { timeoutSeconds: "1", resourceVersionMatch: "NotOlderThan", resourceVersion: "0" },
    ],
    ["with a page", { timeoutSeconds: "1", continue: "abc", resourceVersion: "0" }],
    ["with a page and a match", { timeoutSeconds: "1", continue: "abc", resourceVersionMatch: "NotOlderThan" }],
    ["with a limit", { timeoutSeconds: "1", limit: "1", resourceVersion: "0" }],
    ["by a field nobody knows", { timeoutSeconds: "1", fieldSelector: "data.a=1" }],
    ["by a bad label", { timeoutSeconds: "1", labelSelector: "a b" }],
    ["by name", { timeoutSeconds: "1", fieldSelector: "metadata.name=b", resourceVersion: "0" }],
  ].map(([title, query]) =>
    get(`watch: ${title as string}`, maps, { query: { watch: "true", ...ours, ...(query as Record<string, string>) } }),
  ),
  get("watch: watch=0", maps, { query: { watch: "0", ...ours } }),
  get("watch: watch=false", maps, { query: { watch: "false", ...ours } }),
  get("watch: watch of nothing", maps, { query: { watch: "", timeoutSeconds: "1", resourceVersion: "0", ...ours } }),
  get("watch: one by its path", `${maps}/a`, { query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0" } }),
  get("watch: one that is not there by its path", `${maps}/absent`, {
    query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0" },
  }),
  get("watch: the old way", "/api/v1/watch/namespaces/{ns}/configmaps", {
    query: { timeoutSeconds: "1", resourceVersion: "0", ...ours },
  }),
  get("watch: one the old way", "/api/v1/watch/namespaces/{ns}/configmaps/b", {
    query: { timeoutSeconds: "1", resourceVersion: "0" },
  }),
  get("watch: everywhere the old way", "/api/v1/watch/configmaps", {
    query: { timeoutSeconds: "1", resourceVersion: "0", fieldSelector: "metadata.namespace={ns}", ...ours },
  }),
  get("watch: what cannot be watched the old way", "/api/v1/watch/componentstatuses"),
  get("watch: what nobody knows the old way", "/api/v1/watch/nonsenses"),
  post("watch: made the old way", "/api/v1/watch/namespaces/{ns}/configmaps", map("x")),
  get("watch: in YAML", maps, { query: { watch: "true", timeoutSeconds: "1" }, ...accept("application/yaml") }),
  get("watch: in YAML or JSON", maps, {
    query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0", ...ours },
    ...accept("application/yaml,application/json"),
  }),
  get("watch: in protobuf or whatever", maps, {
    query: { watch: "true", timeoutSeconds: "1", labelSelector: "none=such", resourceVersion: "0" },
    ...accept("application/vnd.kubernetes.protobuf;stream=watch,*/*"),
  }),
  get("watch: a table without objects", maps, {
    query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0", includeObject: "None", ...ours },
    ...as("Table"),
  }),
  get("watch: a table with objects", maps, {
    query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0", includeObject: "Object", ...ours },
    ...as("Table"),
  }),
  get("watch: a table with nonsense", maps, {
    query: { watch: "true", timeoutSeconds: "1", resourceVersion: "0", includeObject: "Nonsense", ...ours },
    ...as("Table"),
  }),
  get("watch: a table with initial events", maps, {
    query: { watch: "true", ...initialEvents, ...ours },
    ...as("Table"),
  }),
  get("watch: metadata with initial events", maps, {
    query: { watch: "true", ...initialEvents, ...ours },
    ...as("PartialObjectMetadata"),
  }),
];

export const readingScenes: readonly Scene[] = [
  { name: "lists by version", steps: [...makeMaps, ...versionedLists()] },
  {
    name: "pages",
    steps: [
      ...makeMaps,
      get("first", maps, { query: { ...ours, limit: "1" } }),
      after("first", (meta) => get("second", maps, { query: { ...ours, limit: "1", continue: meta.continue } })),
      after("second", (meta) => get("last", maps, { query: { ...ours, limit: "1", continue: meta.continue } })),
      after("first", (meta) => get("the rest", maps, { query: { ...ours, continue: meta.continue } })),
      after("first", (meta) =>
        get("by another selector", maps, {
          query: { limit: "1", labelSelector: "none=such", continue: meta.continue },
        }),
      ),
      after("first", (meta) =>
        get("as a table", maps, { query: { ...ours, limit: "1", continue: meta.continue }, ...as("Table") }),
      ),
      after("first", (meta) =>
        get("with a match", maps, {
          query: { limit: "1", resourceVersionMatch: "Exact", resourceVersion: "5", continue: meta.continue },
        }),
      ),
      after("first", (meta) =>
        get("with version 0", maps, { query: { ...ours, limit: "1", resourceVersion: "0", continue: meta.continue } }),
      ),
      after("first", (meta) =>
        get("of another kind", "/api/v1/namespaces/{ns}/secrets", { query: { limit: "1", continue: meta.continue } }),
      ),
      get("everywhere by name", "/api/v1/configmaps", { query: { fieldSelector: "metadata.name=a", ...ours } }),
      get("everywhere by name and namespace", "/api/v1/configmaps", {
        query: { fieldSelector: "metadata.name=a,metadata.namespace={ns}" },
      }),
      get("everywhere by namespace", "/api/v1/configmaps", {
        query: { fieldSelector: "metadata.namespace={ns}", ...ours, limit: "2" },
      }),
      get("here by another namespace", maps, { query: { fieldSelector: "metadata.namespace=default" } }),
      get("by a name and not by it", maps, { query: { fieldSelector: "metadata.name=a,metadata.name!=a" } }),
      get("by two names", maps, { query: { fieldSelector: "metadata.name=a,metadata.name=b" } }),
      get("by ==", maps, { query: { fieldSelector: "metadata.name==a" } }),
      get("by an empty name", maps, { query: { fieldSelector: "metadata.name=" } }),
      get("by a bad name", maps, { query: { fieldSelector: "metadata.name=a/b" } }),
      get("a limit below nothing", maps, { query: { ...ours, limit: "-1" } }),
      get("a limit beyond all", maps, { query: { ...ours, limit: "99999999999999999999" } }),
      get("a limit with a point", maps, { query: { ...ours, limit: "1.5" } }),
      get("a limit with a plus", maps, { query: { ...ours, limit: "+1" } }),
      get("a timeout", maps, { query: { ...ours, timeoutSeconds: "1" } }),
      get("a version with a sign", maps, { query: { ...ours, resourceVersion: "-1" } }),
      get("a version with zeros", maps, { query: { ...ours, resourceVersion: "00" } }),
      get("a version beyond all", maps, { query: { ...ours, resourceVersion: "99999999999999999999" } }),
      get("one at a version with a match", `${maps}/a`, {
        query: { resourceVersion: "1", resourceVersionMatch: "Exact" },
      }),
      get("one at a version that is too large", `${maps}/a`, { query: { resourceVersion: tooLarge } }),
      get("by labels with odd words", maps, { query: { labelSelector: "in in (script),!absent,in notin (x,y)" } }),
      get("by labels with greater", maps, { query: { labelSelector: "in>1" } }),
      get("by labels with a bad value", maps, { query: { labelSelector: "in=a b" } }),
      get("by labels with a trailing comma", maps, { query: { labelSelector: "in=script," } }),
      get("by labels with a bad key", maps, { query: { labelSelector: "a/b/c=d" } }),
      get("by labels of nothing", maps, { query: { labelSelector: "", limit: "1" } }),
      get("by fields with a trailing comma", maps, { query: { fieldSelector: "metadata.name=a," } }),
      get("by fields with a backslash", maps, { query: { fieldSelector: "metadata.name=a\\,b" } }),
      get("by fields with a bad backslash", maps, { query: { fieldSelector: "metadata.name=a\\b" } }),
    ],
  },
  { name: "views", steps: [...makeMaps.slice(0, 1), ...viewSteps] },
  {
    name: "accept",
    steps: [
      ...makeMaps.slice(0, 1),
      ...accepts.map((value) => get(`one: ${value}`, `${maps}/a`, accept(value))),
      ...accepts
        .filter((value) => !value.includes("protobuf"))
        .map((value) => get(`refused: ${value}`, `${maps}/absent`, accept(value))),
      ...["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "*/*", "text/html", "application/yaml"].map(
        (value) => get(`discovery: ${value}`, "/apis/policy/v1", accept(value)),
      ),
    ],
  },
  {
    name: "watches",
    steps: [
      ...makeMaps,
      ...watchSteps,
      merge("out of the selection", `${maps}/a`, { metadata: { labels: { in: "other" } } }),
      merge("into the selection", `${maps}/a`, { metadata: { labels: { in: "script" } } }),
      merge("changed within", `${maps}/b`, { data: { z: "1" } }),
      remove("deleted", `${maps}/c`),
      after("make c", ({ resourceVersion }) =>
        get("what happened, selected", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, ...ours },
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened, all", maps, { query: { watch: "true", timeoutSeconds: "1", resourceVersion } }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened to one", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, fieldSelector: "metadata.name=c" },
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened to others", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, fieldSelector: "metadata.name!=c" },
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened in a table", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, ...ours },
          ...as("Table"),
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened to metadata", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, ...ours },
          ...as("PartialObjectMetadata", "v1beta1"),
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("what happened, exactly", maps, {
          query: { watch: "true", timeoutSeconds: "1", resourceVersion, resourceVersionMatch: "Exact" },
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("since a version, with initial events", maps, {
          query: {
            watch: "true",
            timeoutSeconds: "1",
            resourceVersion,
            sendInitialEvents: "true",
            resourceVersionMatch: "NotOlderThan",
            allowWatchBookmarks: "true",
            ...ours,
          },
        }),
      ),
      after("make c", ({ resourceVersion }) =>
        get("since a version, without initial events", maps, {
          query: {
            watch: "true",
            timeoutSeconds: "1",
            resourceVersion,
            sendInitialEvents: "false",
            resourceVersionMatch: "NotOlderThan",
            allowWatchBookmarks: "true",
            ...ours,
          },
        }),
      ),
      get("since too large a version", maps, {
        query: { watch: "true", timeoutSeconds: "1", resourceVersion: tooLarge },
      }),
      get("initial events of too large a version", maps, {
        query: {
          watch: "true",
          timeoutSeconds: "5",
          resourceVersion: tooLarge,
          sendInitialEvents: "true",
          resourceVersionMatch: "NotOlderThan",
        },
      }),
    ],
  },
];
