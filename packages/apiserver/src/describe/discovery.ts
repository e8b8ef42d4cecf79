// What a server serves, in the two forms clients ask for: legacy lists, one document per group and version, and the aggregated one that
// says all at once. Pure functions of the catalogue; `discovery-documents.ts` keeps what they make.
import { createHash } from "node:crypto";
import { compareVersions, type Resource } from "@kubeloop/core/api";
import type { Catalogue } from "../resources/registry/catalogue.ts";
import type { ServedResource } from "../resources/registry/served-resource.ts";

export interface GroupVersions {
  readonly group: string;
  /** Best first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

/** In the order kube-apiserver gives them: what clients try first comes first. */
const groupOrder = [
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

export function groupsOf(catalogue: Catalogue): readonly GroupVersions[] {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const served of catalogue.all()) {
    const { group, version } = served.resource;
    const versions = groups.get(group) ?? new Map<string, ServedResource[]>();
    groups.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), served]);
  }
  const place = (group: string) => {
    const at = groupOrder.indexOf(group);
    return at < 0 ? groupOrder.length : at;
  };
  return [...groups]
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .map(([version, resources]) => ({ version, resources: resources.toSorted(byPlural) }))
        .sort((a, b) => compareVersions(b.version, a.version)),
    }))
    .sort((a, b) => place(a.group) - place(b.group) || (a.group < b.group ? -1 : 1));
}

const byPlural = (a: ServedResource, b: ServedResource) => (a.resource.plural < b.resource.plural ? -1 : 1);

/** `GET /api`. */
export const legacyVersions = (serverAddress: string) => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
});

/** `GET /apis`. */
export const groupList = (groups: readonly GroupVersions[]) => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups.filter(({ group }) => group !== "").map((each) => groupBody(each)),
});

/** `GET /apis/G`. */
export const groupDocument = (group: GroupVersions) => ({ kind: "APIGroup", apiVersion: "v1", ...groupBody(group) });

function groupBody({ group, versions }: GroupVersions) {
  const listed = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** `GET /api/v1` and `GET /apis/G/V`. */
export function resourceList(group: string, version: string, resources: readonly ServedResource[]): object {
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: resources.flatMap((served) => [resourceRow(served), ...subresourceRows(served.resource)]),
  };
}

/** Tells clients apart which kind is stored, should that ever change. */
function storageVersionHash({ group, version, kind }: Resource): string {
  const digest = createHash("sha256").update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

/** Of built-in resources in alphabetical order, of custom ones as they are given. */
const verbsOf = ({ resource, codec }: ServedResource) =>
  codec.isUnstructured ? resource.verbs : resource.verbs.toSorted();

function resourceRow(served: ServedResource): object {
  const { resource, rules } = served;
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(verbs.includes("list") && verbs.includes("create")
      ? { storageVersionHash: storageVersionHash(rules.resource) }
      : {}),
  };
}

function subresourceRows({ plural, namespaced, subresources, group, version }: Resource): readonly object[] {
  return subresources.map((sub) => {
    const isElsewhere = sub.group !== group || sub.version !== version;
    return {
      name: `${plural}/${sub.name}`,
      singularName: "",
      namespaced,
      ...(isElsewhere ? { ...(sub.group === "" ? {} : { group: sub.group }), version: sub.version } : {}),
      kind: sub.kind,
      verbs: sub.verbs.toSorted(),
    };
  });
}

/** The aggregated document of `/api` (the core group) or `/apis` (all others). */
export function aggregated(groups: readonly GroupVersions[], isCore: boolean): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups
      .filter(({ group }) => (group === "") === isCore)
      .map(({ group, versions }) => ({
        metadata: group === "" ? {} : { name: group },
        versions: versions.map(({ version, resources }) => ({
          version,
          resources: resources.map((served) => aggregatedResource(served)),
          freshness: "Current",
        })),
      })),
  };
}

/** What is of the document's own group and version does not repeat them. */
const ownKind = (kind: string) => ({ group: "", version: "", kind });

function aggregatedResource(served: ServedResource): object {
  const { plural, group, version, kind, namespaced, singular, shortNames, categories, subresources } = served.resource;
  return {
    resource: plural,
    responseKind: ownKind(kind),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(served),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind:
              sub.group === group && sub.version === version
                ? ownKind(sub.kind)
                : { group: sub.group, version: sub.version, kind: sub.kind },
            verbs: sub.verbs.toSorted(),
          })),
        }),
  };
}
