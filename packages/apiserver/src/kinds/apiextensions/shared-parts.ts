// What all versions of a definition say alike is, to the server, said once for all of them, and faults are reported at that path
// ("spec.validation" and not "spec.versions[0].schema").
import type { apiextensionsv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";

type Version = apiextensionsv1.CustomResourceDefinitionVersion;

const parts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type Part = (typeof parts)[number];
type SharedParts = { readonly [P in Part]?: NonNullable<Version[P]> };

export interface DefinitionParts {
  readonly shared: SharedParts;
  /** Without what is shared. */
  readonly versions: readonly Version[];
}

export function definitionParts(versions: readonly Version[]): DefinitionParts {
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const same = parts.filter((part) => versions.every((version) => deepEqual(version[part], first[part])));
  const shared = Object.fromEntries(same.flatMap((part) => (first[part] === undefined ? [] : [[part, first[part]]])));
  const rest = versions.map(
    (version) =>
      Object.fromEntries(Object.entries(version).filter(([name]) => !isSame(same, name))) as unknown as Version,
  );
  return { shared: shared as SharedParts, versions: rest };
}

const isSame = (same: readonly string[], name: string) => same.includes(name);

/** As Go prints the server's own structure. */
export function internalVersions(versions: readonly Version[]): unknown {
  return versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema ?? null,
    Subresources: version.subresources ?? null,
    AdditionalPrinterColumns: version.additionalPrinterColumns ?? null,
    SelectableFields: version.selectableFields ?? null,
  }));
}
