// The kinds that upstream registers for all groups (options, Status, WatchEvent, discovery) as bodies: of a delete, which takes DeleteOptions
// of any group and version, and of a create, which takes none of them. In JSON, YAML and protobuf.
import { post, remove } from "./ask.contract.ts";
import type { NextStep, Scene } from "./request-script.contract.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const spec = {
  selector: { matchLabels: { a: "b" } },
  template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};

const versions = [
  "v1",
  "apps/v1",
  "apps/v7",
  "extensions/v1beta1",
  "meta.k8s.io/v1",
  "apiextensions.k8s.io/v1",
  "example.com/v1",
];
const kinds = ["DeleteOptions", "PatchOptions", "Status", "WatchEvent"];

interface Form {
  readonly name: string;
  readonly type: string;
  print(apiVersion: string, kind: string): string;
}

const forms: readonly Form[] = [
  { name: "JSON", type: "application/json", print: (apiVersion, kind) => JSON.stringify({ kind, apiVersion }) },
  { name: "YAML", type: "application/yaml", print: (apiVersion, kind) => `kind: ${kind}\napiVersion: ${apiVersion}\n` },
  { name: "protobuf", type: "application/vnd.kubernetes.protobuf", print: envelope },
];

/** An envelope around an empty message. Every byte of it is below 128, so it can be sent as text. */
function envelope(apiVersion: string, kind: string): string {
  const field = (tag: string, text: string) => tag + String.fromCharCode(text.length) + text;
  return `k8s\0${field("\n", field("\n", apiVersion) + field("\x12", kind))}`;
}

type Ask = typeof post;

/** One request for each kind, version and form. */
function bodies(what: string, ask: Ask, path: string, sent: readonly string[] = kinds): readonly NextStep[] {
  return forms.flatMap(({ name, type, print }) =>
    sent.flatMap((kind) =>
      versions.map((version) =>
        ask(`${what}: ${kind} of ${version} in ${name}`, path, print(version, kind), {
          query: { dryRun: "All" },
          headers: { "content-type": type },
        }),
      ),
    ),
  );
}

export const optionKindsScenes: readonly Scene[] = [
  {
    name: "kinds of all groups",
    steps: [
      ...bodies("create a map", post, maps),
      ...bodies("create a definition", post, definitions),
      ...bodies("delete an absent map", remove, `${maps}/absent`),
      ...bodies("delete many", remove, maps, ["DeleteOptions"]),
      ...bodies("delete an absent definition", remove, `${definitions}/absent`, ["DeleteOptions"]),
      ...bodies("delete an absent API service", remove, `${services}/absent`, ["DeleteOptions"]),
      post("make a deployment", deployments, { metadata: { name: "d" }, spec }),
      ...bodies("delete a deployment", remove, `${deployments}/d`, ["DeleteOptions"]),
    ],
  },
];
