// CustomResourceDefinition: a kind of the user's own. It is stored and checked, but its custom resources are not served yet: see
// not-established.ts.
import type { apiextensionsv1 } from "@kubeloop/core/api";
import { customResourceDefinitions } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { subdomainName } from "../shared/names.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { checkImmutable } from "../shared/same.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
import { checkDefinition } from "./check-definition.ts";
import { checkDefinitionNames } from "./check-names.ts";
import { formatWarnings } from "./format-warnings.ts";
import { markNotEstablished, notEstablishedWarnings } from "./not-established.ts";

type Definition = apiextensionsv1.CustomResourceDefinition;
type Status = Draft<apiextensionsv1.CustomResourceDefinitionStatus>;

export const customResourceDefinitionRules: KindRules<Definition> = {
  resource: customResourceDefinitions,
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults({ spec }) {
    spec.names.singular ||= spec.names.kind.toLowerCase();
    if (spec.names.kind !== "") spec.names.listKind ||= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
  },
  prepareCreate(draft, { isDryRun, nowMs }) {
    draft.status = { conditions: null, acceptedNames: { plural: "", kind: "" } } as unknown as Status;
    // Upstream's controllers, which write the conditions, see no dry run.
    if (!isDryRun) markNotEstablished(draft, nowMs);
    keepStoredVersion(draft);
  },
  prepareUpdate(draft) {
    draft.status = structuredClone(draft.status ?? {}) as Status;
    keepStoredVersion(draft);
  },
  checkName(name, asPrefix, { spec }) {
    const isExpected = name === `${spec.names.plural}.${spec.group}`;
    return [...subdomainName(name, asPrefix), ...(isExpected ? [] : ['must be spec.names.plural+"."+spec.group'])];
  },
  validate: (definition) => collectObjectFaults((at) => checkDefinition(definition, at)),
  validateUpdate: (definition, old) =>
    collectObjectFaults((at) => {
      checkDefinition(definition, at);
      const fldPath = at("spec");
      const { spec } = definition;
      if (isEstablished(old)) {
        checkImmutable(spec.scope, old.spec.scope, fldPath.at("scope"));
        checkImmutable(spec.names.kind, old.spec.names.kind, fldPath.at("names", "kind"));
      }
      checkImmutable(spec.group, old.spec.group, fldPath.at("group"));
      checkImmutable(spec.names.plural, old.spec.names.plural, fldPath.at("names", "plural"));
    }),
  warnings: (definition, old) => [
    ...formatWarnings(definition.spec, old?.spec),
    ...(old === undefined ? notEstablishedWarnings(definition) : []),
  ],
  subresources: {
    status: {
      prepareUpdate: keepAllButStatus,
      validateUpdate: ({ status }) =>
        collectObjectFaults((at) => {
          if (status?.acceptedNames === undefined) return;
          checkDefinitionNames(status.acceptedNames, at("status").at("acceptedNames"));
        }),
    },
  },
};

const isEstablished = ({ status }: Definition) =>
  (status?.conditions ?? []).some((condition) => condition.type === "Established" && condition.status === "True");

/** Whatever was ever stored in is remembered. */
function keepStoredVersion({ spec, status }: Draft<Definition>): void {
  const stored = (spec.versions ?? []).find(({ storage }) => storage);
  if (status === undefined) return;
  const versions = status.storedVersions ?? [];
  if (stored === undefined || versions.includes(stored.name)) status.storedVersions ??= null as unknown as string[];
  else status.storedVersions = [...versions, stored.name];
}
