// What must hold of a definition of custom resources, and what of it may never change.
import { type apiextensionsv1, validateDns1035Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import type { ObjectPlaces } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { checkWebhookService, checkWebhookUrl } from "../shared/webhook-client.ts";
import { checkDefinitionNames } from "./check-names.ts";
import {
  checkColumns,
  checkDeprecation,
  checkSelectableFields,
  checkSubresources,
  checkValidation,
} from "./check-version.ts";
import { readSchema, schemasIn } from "./schema-node.ts";
import { type DefinitionParts, definitionParts, internalVersions } from "./shared-parts.ts";

type Definition = apiextensionsv1.CustomResourceDefinition;
type Spec = apiextensionsv1.CustomResourceDefinitionSpec;

const reviewVersions = ["v1", "v1beta1"];
const approvalAnnotation = "api-approved.kubernetes.io";
const approvalLink = "https://github.com/kubernetes/enhancements/pull/1111";

export function checkDefinition(definition: Definition, at: ObjectPlaces): void {
  checkSpec(definition.spec, at("spec"));
  checkStatus(definition, at("status"));
  checkApproval(definition, at("metadata"));
  if (definition.spec.preserveUnknownFields === true) {
    const why =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    at("spec").at("preserveUnknownFields").invalid(true, why);
  }
}

function checkSpec(spec: Spec, place: FaultPlace): void {
  checkGroup(spec.group, place.at("group"));
  checkChoice(spec.scope, place.at("scope"), ["Cluster", "Namespaced"]);
  const given = spec.versions ?? [];
  const parts = definitionParts(given);
  const { shared } = parts;
  for (const [i, { schema }] of given.entries()) {
    if (schema?.openAPIV3Schema === undefined && shared.schema?.openAPIV3Schema === undefined) {
      place.at("versions").item(i).at("schema", "openAPIV3Schema").required();
    }
  }
  const preserves = spec.preserveUnknownFields === true;
  if (preserves && given.some(hasDefaults)) {
    place.at("preserveUnknownFields").invalid(true, "must be false in order to use defaults in the schema");
  }
  checkVersions(parts, place, { areGiven: (spec.versions ?? null) !== null });
  checkNames(spec, place.at("names"));
  const hasStatus = given.some(({ subresources }) => subresources?.status !== undefined);
  checkValidation(shared.schema, place.at("validation"), { hasStatus });
  checkSubresources(shared.subresources, place.at("subresources"));
  checkColumns(shared.additionalPrinterColumns, place.at("additionalPrinterColumns"));
  if ((shared.selectableFields ?? []).length > 0) {
    const selectablePlace = place.at("selectableFields");
    if (shared.schema === undefined) {
      selectablePlace.invalid("", "may only be set when validations.schema is included");
    } else checkSelectableFields(shared.selectableFields, selectablePlace, shared.schema);
  }
  const { conversion } = spec;
  if (conversion !== undefined && conversion.strategy !== "None" && preserves) {
    const why = "must be None if spec.preserveUnknownFields is true";
    place.at("conversion", "strategy").invalid(conversion.strategy, why);
  }
  if (conversion !== undefined) checkConversion(conversion, place.at("conversion"));
}

function checkGroup(group: string | undefined, place: FaultPlace): void {
  if (isAbsent(group)) {
    place.required();
    return;
  }
  const reasons = validateDns1123Subdomain(group);
  if (reasons.length > 0) place.invalid(group, reasons.join(","));
  else if (!group.includes(".")) place.invalid(group, "should be a domain with at least one dot");
}

function hasDefaults({ schema }: apiextensionsv1.CustomResourceDefinitionVersion): boolean {
  if (schema?.openAPIV3Schema === undefined) return false;
  return [...schemasIn(readSchema(schema.openAPIV3Schema))].some((node) => node.hasDefault);
}

function checkVersions(
  { versions, shared }: DefinitionParts,
  place: FaultPlace,
  { areGiven }: { readonly areGiven: boolean },
): void {
  const versionsPlace = place.at("versions");
  for (const [i, version] of versions.entries()) {
    const versionPlace = versionsPlace.item(i);
    const reasons = validateDns1035Label(version.name);
    if (reasons.length > 0) versionPlace.at("name").invalid(version.name, reasons.join(","));
    checkDeprecation(version, versionPlace.at("deprecationWarning"));
    const { status } = version.subresources ?? shared.subresources ?? {};
    checkValidation(version.schema, versionPlace.at("schema"), { hasStatus: status !== undefined });
    checkSubresources(version.subresources, versionPlace.at("subresources"));
    checkColumns(version.additionalPrinterColumns, versionPlace.at("additionalPrinterColumns"));
    if ((version.selectableFields ?? []).length === 0) continue;
    const selectablePlace = versionPlace.at("selectableFields");
    if (version.schema?.openAPIV3Schema === undefined) {
      const why = "may only be set when `version.schema.openAPIV3Schema` is not included";
      selectablePlace.invalid("", why);
    } else checkSelectableFields(version.selectableFields, selectablePlace, version.schema);
  }
  const names = versions.map(({ name }) => name);
  const internal = () => (areGiven ? internalVersions(versions) : null);
  if (new Set(names).size < names.length) versionsPlace.invalid(internal(), "must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    versionsPlace.invalid(internal(), "must have exactly one version marked as storage version");
  }
  const [first] = names;
  if (first === undefined || first === "") return;
  const reasons = validateDns1035Label(first);
  if (reasons.length > 0) place.at("version").invalid(first, reasons.join(","));
}

function checkNames({ names }: Spec, place: FaultPlace): void {
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if (isAbsent(names[field])) place.at(field).required();
  }
  checkDefinitionNames(names, place);
}

function checkConversion({ strategy, webhook }: apiextensionsv1.CustomResourceConversion, place: FaultPlace): void {
  checkChoice(strategy, place.at("strategy"), ["None", "Webhook"]);
  const clientPlace = place.at("webhookClientConfig");
  const versionsPlace = place.at("conversionReviewVersions");
  const client = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) clientPlace.forbidden(why);
    if (versions.length > 0) versionsPlace.forbidden(why);
    return;
  }
  if (client === undefined) clientPlace.required("required when strategy is set to Webhook");
  else if ((client.url === undefined) === (client.service === undefined)) {
    clientPlace.required("exactly one of url or service is required");
  } else if (client.url !== undefined) checkWebhookUrl(client.url, clientPlace.at("url"));
  else if (client.service !== undefined) {
    // Upstream's oddity: it takes the one for the other.
    const { name, namespace, ...rest } = client.service;
    checkWebhookService({ ...rest, name: namespace, namespace: name }, clientPlace.at("service"));
  }
  checkReviewVersions(versions, versionsPlace);
}

function checkReviewVersions(versions: readonly string[], place: FaultPlace): void {
  if (versions.length === 0) {
    place.required();
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) place.item(i).invalid(version, "duplicate version");
    else place.item(i).invalidFor(version, validateDns1035Label(version));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    place.invalid(versions, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}

export function checkStatus({ spec, status }: Definition, place: FaultPlace): void {
  if (status?.acceptedNames !== undefined) checkDefinitionNames(status.acceptedNames, place.at("acceptedNames"));
  const stored = status?.storedVersions ?? [];
  const storedPlace = place.at("storedVersions");
  if (stored.length === 0) {
    storedPlace.invalid(null, "must have at least one stored version");
    return;
  }
  const versions = spec.versions ?? [];
  const storedNames = new Set(stored);
  for (const { name, storage } of versions) {
    if (storage && !storedNames.has(name)) storedPlace.invalid(stored, `must have the storage version ${name}`);
  }
  const names = new Set(versions.map((version) => version.name));
  for (const [i, name] of stored.entries()) {
    if (names.has(name)) continue;
    const was = `${name} was previously a storage version, and must remain in spec.versions until a storage migration`;
    const why = `missing from spec.versions; ${was} ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    storedPlace.item(i).invalid(name, why);
  }
}

/** Groups of the community's are not for everybody. */
function checkApproval({ metadata, spec }: Definition, place: FaultPlace): void {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group)) return;
  const approval = own(metadata.annotations, approvalAnnotation) ?? "";
  const annotationPlace = place.at("annotations").item(approvalAnnotation);
  const needed = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (approval === "") annotationPlace.required(`${needed}, see ${approvalLink}`);
  else if (!approval.startsWith("unapproved") && !/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.test(approval)) {
    const why = `${needed} with either a URL or a reason starting with "unapproved", see ${approvalLink}`;
    annotationPlace.invalid(approval, why);
  }
}
