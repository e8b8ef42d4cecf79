// Where a definition lives in the output. `io.k8s.api.core.v1.Pod` is the type `Pod` in `types/core/v1.ts`, reached as
// `corev1.Pod`; groups have the short names of Go's packages. Definitions without a version of their own (Quantity,
// IntOrString, RawExtension, version.Info) live with the metadata types. A custom resource's definition, named after
// its reversed group (`com.example.v1.Widget`), lives under the group: `types/example.com/v1.ts`, `exampleComv1`.

export interface Home {
  /** The definition's name without its last part. */
  readonly package: string;
  readonly folder: string;
  readonly version: string;
  /** The namespace under which the file is imported. */
  readonly alias: string;
  readonly type: string;
}

const versionPattern = /^v\d+((alpha|beta)\d+)?$/;
const renamed: { readonly [name: string]: string } = { "io.k8s.apimachinery.pkg.version.Info": "VersionInfo" };

export function homeOf(name: string): Home {
  const parts = name.split(".");
  const last = parts.at(-1) ?? name;
  const version = parts.at(-2) ?? "";
  const type = renamed[name] ?? last;
  const packageName = parts.slice(0, -1).join(".");
  if (!versionPattern.test(version))
    return { package: packageName, folder: "meta", version: "v1", alias: "metav1", type };
  const groupParts = parts.slice(0, -2);
  if (name.startsWith("io.k8s.")) {
    const folder = groupParts.at(-1) ?? "";
    return { package: packageName, folder, version, alias: `${folder}${version}`, type };
  }
  const folder = groupParts.toReversed().join(".");
  const words = folder.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const alias = words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
  return { package: packageName, folder, version, alias: `${alias}${version}`, type };
}

/** The name in the schema table: `core.v1.Pod`; unversioned packages keep their full names. */
export function tableName(name: string): string {
  const home = homeOf(name);
  return hasOwnVersion(name) ? `${home.folder}.${home.version}.${home.type}` : name;
}

export function hasOwnVersion(name: string): boolean {
  return versionPattern.test(name.split(".").at(-2) ?? "");
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(groupVersion: { readonly group: string; readonly version: string }): string {
  return groupVersion.group === "" ? groupVersion.version : `${groupVersion.group}/${groupVersion.version}`;
}

/**
 * `networkPolicies` from NetworkPolicy and networkpolicies: the plural, with the kind's capitals; a leading acronym
 * (CSIDriver, APIService) becomes small as a whole, except the capital that begins the next word.
 */
export function camelPlural(kind: string, plural: string): string {
  let common = 0;
  while (common < kind.length && kind.charAt(common).toLowerCase() === plural.charAt(common)) common++;
  const cased = kind.slice(0, common) + plural.slice(common);
  const capitals = /^[A-Z]*/.exec(cased)?.[0].length ?? 0;
  const small = capitals > 1 && capitals < cased.length ? capitals - 1 : capitals;
  return cased.slice(0, small).toLowerCase() + cased.slice(small);
}

/** Kubernetes' order of versions, best first: stable before beta before alpha, higher numbers first. */
export function compareVersions(a: string, b: string): number {
  const [rankOfA, rankOfB] = [versionRank(a), versionRank(b)];
  for (let i = 0; i < rankOfA.length; i++) {
    const difference = (rankOfB[i] ?? 0) - (rankOfA[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function versionRank(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [-1, 0, 0];
  return [match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0, Number(match[1]), Number(match[3] ?? 0)];
}
