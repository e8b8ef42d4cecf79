// What must hold of a definition of custom resources, and what of it may never change.
import { type apiextensionsv1, validateDns1035Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../shared/checks.ts";
import type { ObjectPaths } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
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

export function checkDefinition(definition: Definition, at: ObjectPaths): void {
  checkSpec(definition.spec, at("spec"));
  checkStatus(definition, at("status"));
  checkApproval(definition, at("metadata"));
  if (definition.spec.preserveUnknownFields === true) {
    const why =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    at("spec").at("preserveUnknownFields").invalid(true, why);
  }
}

function checkSpec(spec: Spec, fldPath: ValidationPath): void {
  checkGroup(spec.group, fldPath.at("group"));
  checkChoice(spec.scope, fldPath.at("scope"), ["Cluster", "Namespaced"]);
  const given = spec.versions ?? [];
  const parts = definitionParts(given);
  const { shared } = parts;
  for (const [i, { schema }] of given.entries()) {
    if (schema?.openAPIV3Schema === undefined && shared.schema?.openAPIV3Schema === undefined) {
      fldPath.at("versions").item(i).at("schema", "openAPIV3Schema").required();
    }
  }
  const preserves = spec.preserveUnknownFields === true;
  if (preserves && given.some(hasDefaults)) {
    fldPath.at("preserveUnknownFields").invalid(true, "must be false in order to use defaults in the schema");
  }
  checkVersions(parts, fldPath, { areGiven: (spec.versions ?? null) !== null });
  checkNames(spec, fldPath.at("names"));
  const hasStatus = given.some(({ subresources }) => subresources?.status !== undefined);
  checkValidation(shared.schema, fldPath.at("validation"), { hasStatus });
  checkSubresources(shared.subresources, fldPath.at("subresources"));
  checkColumns(shared.additionalPrinterColumns, fldPath.at("additionalPrinterColumns"));
  if ((shared.selectableFields ?? []).length > 0) {
    const selectablePath = fldPath.at("selectableFields");
    if (shared.schema === undefined) {
      selectablePath.invalid("", "may only be set when validations.schema is included");
    } else checkSelectableFields(shared.selectableFields, selectablePath, shared.schema);
  }
  const { conversion } = spec;
  if (conversion !== undefined && conversion.strategy !== "None" && preserves) {
    const why = "must be None if spec.preserveUnknownFields is true";
    fldPath.at("conversion", "strategy").invalid(conversion.strategy, why);
  }
  if (conversion !== undefined) checkConversion(conversion, fldPath.at("conversion"));
}

function checkGroup(group: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(group)) {
    fldPath.required();
    return;
  }
  const reasons = validateDns1123Subdomain(group);
  if (reasons.length > 0) fldPath.invalid(group, reasons.join(","));
  else if (!group.includes(".")) fldPath.invalid(group, "should be a domain with at least one dot");
}

function hasDefaults({ schema }: apiextensionsv1.CustomResourceDefinitionVersion): boolean {
  if (schema?.openAPIV3Schema === undefined) return false;
  return [...schemasIn(readSchema(schema.openAPIV3Schema))].some((node) => node.hasDefault);
}

function checkVersions(
  { versions, shared }: DefinitionParts,
  fldPath: ValidationPath,
  { areGiven }: { readonly areGiven: boolean },
): void {
  const versionsPath = fldPath.at("versions");
  for (const [i, version] of versions.entries()) {
    const versionPath = versionsPath.item(i);
    const reasons = validateDns1035Label(version.name);
    if (reasons.length > 0) versionPath.at("name").invalid(version.name, reasons.join(","));
    checkDeprecation(version, versionPath.at("deprecationWarning"));
    const { status } = version.subresources ?? shared.subresources ?? {};
    checkValidation(version.schema, versionPath.at("schema"), { hasStatus: status !== undefined });
    checkSubresources(version.subresources, versionPath.at("subresources"));
    checkColumns(version.additionalPrinterColumns, versionPath.at("additionalPrinterColumns"));
    if ((version.selectableFields ?? []).length === 0) continue;
    const selectablePath = versionPath.at("selectableFields");
    if (version.schema?.openAPIV3Schema === undefined) {
      const why = "may only be set when `version.schema.openAPIV3Schema` is not included";
      selectablePath.invalid("", why);
    } else checkSelectableFields(version.selectableFields, selectablePath, version.schema);
  }
  const names = versions.map(({ name }) => name);
  const internal = () => (areGiven ? internalVersions(versions) : null);
  if (new Set(names).size < names.length) versionsPath.invalid(internal(), "must contain unique version names");
  if (versions.filter(({ storage }) => storage).length !== 1) {
    versionsPath.invalid(internal(), "must have exactly one version marked as storage version");
  }
  const [first] = names;
  if (first === undefined || first === "") return;
  const reasons = validateDns1035Label(first);
  if (reasons.length > 0) fldPath.at("version").invalid(first, reasons.join(","));
}

function checkNames({ names }: Spec, fldPath: ValidationPath): void {
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if (isAbsent(names[field])) fldPath.at(field).required();
  }
  checkDefinitionNames(names, fldPath);
}

function checkConversion(
  { strategy, webhook }: apiextensionsv1.CustomResourceConversion,
  fldPath: ValidationPath,
): void {
  checkChoice(strategy, fldPath.at("strategy"), ["None", "Webhook"]);
  const clientPath = fldPath.at("webhookClientConfig");
  const versionsPath = fldPath.at("conversionReviewVersions");
  const client = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) clientPath.forbidden(why);
    if (versions.length > 0) versionsPath.forbidden(why);
    return;
  }
  if (client === undefined) clientPath.required("required when strategy is set to Webhook");
  else if ((client.url === undefined) === (client.service === undefined)) {
    clientPath.required("exactly one of url or service is required");
  } else if (client.url !== undefined) checkWebhookUrl(client.url, clientPath.at("url"));
  else if (client.service !== undefined) {
    // Upstream's oddity: it takes the one for the other.
    const { name, namespace, ...rest } = client.service;
    checkWebhookService({ ...rest, name: namespace, namespace: name }, clientPath.at("service"));
  }
  checkReviewVersions(versions, versionsPath);
}

function checkReviewVersions(versions: readonly string[], fldPath: ValidationPath): void {
  if (versions.length === 0) {
    fldPath.required();
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) fldPath.item(i).invalid(version, "duplicate version");
    else fldPath.item(i).invalidFor(version, validateDns1035Label(version));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    fldPath.invalid(versions, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}

export function checkStatus({ spec, status }: Definition, fldPath: ValidationPath): void {
  if (status?.acceptedNames !== undefined) checkDefinitionNames(status.acceptedNames, fldPath.at("acceptedNames"));
  const stored = status?.storedVersions ?? [];
  const storedPath = fldPath.at("storedVersions");
  if (stored.length === 0) {
    storedPath.invalid(null, "must have at least one stored version");
    return;
  }
  const versions = spec.versions ?? [];
  const storedNames = new Set(stored);
  for (const { name, storage } of versions) {
    if (storage && !storedNames.has(name)) storedPath.invalid(stored, `must have the storage version ${name}`);
  }
  const names = new Set(versions.map((version) => version.name));
  for (const [i, name] of stored.entries()) {
    if (names.has(name)) continue;
    const was = `${name} was previously a storage version, and must remain in spec.versions until a storage migration`;
    const why = `missing from spec.versions; ${was} ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    storedPath.item(i).invalid(name, why);
  }
}

/** Groups of the community's are not for everybody. */
function checkApproval({ metadata, spec }: Definition, fldPath: ValidationPath): void {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group)) return;
  const approval = own(metadata.annotations, approvalAnnotation) ?? "";
  const annotationPath = fldPath.at("annotations").item(approvalAnnotation);
  const needed = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (approval === "") annotationPath.required(`${needed}, see ${approvalLink}`);
  else if (!approval.startsWith("unapproved") && !/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.test(approval)) {
    const why = `${needed} with either a URL or a reason starting with "unapproved", see ${approvalLink}`;
    annotationPath.invalid(approval, why);
  }
}
