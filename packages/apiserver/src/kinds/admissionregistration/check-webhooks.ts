// Webhooks of both kinds. What is stored already may keep what is no longer let in.
import { type admissionregistrationv1, validateDns1035Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { checkLabelSelector } from "../shared/labels.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkWebhookService, checkWebhookUrl } from "../shared/webhook-client.ts";
import { checkMatchConditions } from "./check-expressions.ts";
import { checkRules } from "./check-rules.ts";

export type Webhook = admissionregistrationv1.ValidatingWebhook & { readonly reinvocationPolicy?: string };

interface WebhookOptions {
  readonly ignoresConditions: boolean;
  readonly needsNoSideEffects: boolean;
  readonly needsKnownVersion: boolean;
  readonly needsUniqueNames: boolean;
  readonly allowsInvalidValues: boolean;
}

const reviewVersions = ["v1", "v1beta1"];
const noSideEffects = ["None", "NoneOnDryRun"];
const allSideEffects = ["None", "NoneOnDryRun", "Some", "Unknown"];
const leastNameParts = 3;
const longestTimeout = 30;

export function setWebhookDefaults(webhooks: Draft<Webhook>[] | undefined): void {
  for (const webhook of webhooks ?? []) {
    webhook.failurePolicy ??= "Fail";
    webhook.matchPolicy ??= "Equivalent";
    webhook.namespaceSelector ??= {};
    webhook.objectSelector ??= {};
    webhook.timeoutSeconds ??= 10;
    if (webhook.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443;
    for (const rule of webhook.rules ?? []) rule.scope ??= "*";
  }
}

export function checkWebhooks(
  webhooks: readonly Webhook[] | undefined,
  fldPath: ValidationPath,
  old?: readonly Webhook[],
): void {
  const given = webhooks ?? [];
  const options = optionsFor(given, old);
  const names = new Set<string>();
  for (const [i, webhook] of given.entries()) {
    const itemPath = fldPath.item(i);
    checkWebhook(webhook, itemPath, options);
    checkReviewVersions(webhook.admissionReviewVersions, itemPath.at("admissionReviewVersions"), options);
    if (options.needsUniqueNames && !isAbsent(webhook.name)) {
      if (names.has(webhook.name)) itemPath.at("name").duplicate(webhook.name);
      names.add(webhook.name);
    }
  }
}

function optionsFor(webhooks: readonly Webhook[], old: readonly Webhook[] | undefined): WebhookOptions {
  const before = old ?? [];
  const isKnown = (version: string) => reviewVersions.includes(version);
  const versionsOf = ({ admissionReviewVersions }: Webhook) => admissionReviewVersions ?? [];
  return {
    ignoresConditions:
      old !== undefined &&
      webhooks.length === old.length &&
      old.every(({ matchConditions }, i) => deepEqual(matchConditions, webhooks[i]?.matchConditions)),
    needsNoSideEffects: before.every(({ sideEffects }) => noSideEffects.includes(sideEffects)),
    needsKnownVersion: before.every((webhook) => versionsOf(webhook).length === 0 || versionsOf(webhook).some(isKnown)),
    needsUniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
    allowsInvalidValues: before.some(
      ({ namespaceSelector, objectSelector }) =>
        collectFaults("", (fldPath) => {
          checkLabelSelector(namespaceSelector, fldPath);
          checkLabelSelector(objectSelector, fldPath);
        }).length > 0,
    ),
  };
}

function checkWebhook(webhook: Webhook, fldPath: ValidationPath, options: WebhookOptions): void {
  checkName(webhook.name, fldPath.at("name"));
  checkRules(webhook.rules, fldPath.at("rules"));
  checkOptionalChoice(webhook.failurePolicy, fldPath.at("failurePolicy"), ["Fail", "Ignore"]);
  checkOptionalChoice(webhook.matchPolicy, fldPath.at("matchPolicy"), ["Equivalent", "Exact"]);
  checkSideEffects(webhook.sideEffects ?? undefined, fldPath.at("sideEffects"), options);
  const { timeoutSeconds: timeout = 1 } = webhook;
  if (timeout > longestTimeout || timeout < 1) {
    fldPath.at("timeoutSeconds").invalid(timeout, `the timeout value must be between 1 and ${longestTimeout} seconds`);
  }
  checkLabelSelector(webhook.namespaceSelector, fldPath.at("namespaceSelector"), options);
  checkLabelSelector(webhook.objectSelector, fldPath.at("objectSelector"), options);
  checkOptionalChoice(webhook.reinvocationPolicy, fldPath.at("reinvocationPolicy"), ["IfNeeded", "Never"]);
  checkClient(webhook.clientConfig ?? {}, fldPath.at("clientConfig"));
  if (!options.ignoresConditions) checkMatchConditions(webhook.matchConditions, fldPath.at("matchConditions"));
}

/** A domain name of at least three parts. */
function checkName(name: string, fldPath: ValidationPath): void {
  if (isAbsent(name)) {
    fldPath.required();
    return;
  }
  const reasons = validateDns1123Subdomain(name);
  if (reasons.length > 0) fldPath.invalid(name, reasons.join(","));
  else if (name.split(".").length < leastNameParts) {
    fldPath.invalid(name, "should be a domain with at least three segments separated by dots");
  }
}

function checkSideEffects(
  given: string | undefined,
  fldPath: ValidationPath,
  { needsNoSideEffects }: WebhookOptions,
): void {
  const allowed = needsNoSideEffects ? noSideEffects : allSideEffects;
  if (given === undefined) fldPath.required(`must specify one of ${allowed.join(", ")}`);
  else checkOptionalChoice(given, fldPath, allowed);
}

function checkClient({ url, service }: admissionregistrationv1.WebhookClientConfig, fldPath: ValidationPath): void {
  if ((url === undefined) === (service === undefined)) fldPath.required("exactly one of url or service is required");
  else if (url !== undefined) checkWebhookUrl(url, fldPath.at("url"));
  else if (service !== undefined) {
    // Upstream's oddity: it takes the one for the other.
    const { name, namespace, ...rest } = service;
    checkWebhookService({ ...rest, name: namespace, namespace: name }, fldPath.at("service"));
  }
}

function checkReviewVersions(
  versions: readonly string[] | undefined,
  fldPath: ValidationPath,
  { needsKnownVersion }: WebhookOptions,
): void {
  const given = versions ?? [];
  if (given.length === 0) {
    fldPath.required(`must specify one of ${reviewVersions.join(", ")}`);
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of given.entries()) {
    if (seen.has(version)) fldPath.item(i).invalid(version, "duplicate version");
    else fldPath.item(i).invalidFor(version, validateDns1035Label(version));
    seen.add(version);
  }
  if (needsKnownVersion && !given.some((version) => reviewVersions.includes(version))) {
    fldPath.invalid(given, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}
