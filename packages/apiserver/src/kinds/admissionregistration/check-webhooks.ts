// Webhooks of both kinds. What is stored already may keep what is no longer let in.
import { type admissionregistrationv1, validateDns1035Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector } from "../shared/labels.ts";
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
  place: FaultPlace,
  old?: readonly Webhook[],
): void {
  const given = webhooks ?? [];
  const options = optionsFor(given, old);
  const names = new Set<string>();
  for (const [i, webhook] of given.entries()) {
    const itemPlace = place.item(i);
    checkWebhook(webhook, itemPlace, options);
    checkReviewVersions(webhook.admissionReviewVersions, itemPlace.at("admissionReviewVersions"), options);
    if (options.needsUniqueNames && !isAbsent(webhook.name)) {
      if (names.has(webhook.name)) itemPlace.at("name").duplicate(webhook.name);
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
        collectFaults("", (place) => {
          checkLabelSelector(namespaceSelector, place);
          checkLabelSelector(objectSelector, place);
        }).length > 0,
    ),
  };
}

function checkWebhook(webhook: Webhook, place: FaultPlace, options: WebhookOptions): void {
  checkName(webhook.name, place.at("name"));
  checkRules(webhook.rules, place.at("rules"));
  checkOptionalChoice(webhook.failurePolicy, place.at("failurePolicy"), ["Fail", "Ignore"]);
  checkOptionalChoice(webhook.matchPolicy, place.at("matchPolicy"), ["Equivalent", "Exact"]);
  checkSideEffects(webhook.sideEffects ?? undefined, place.at("sideEffects"), options);
  const { timeoutSeconds: timeout = 1 } = webhook;
  if (timeout > longestTimeout || timeout < 1) {
    place.at("timeoutSeconds").invalid(timeout, `the timeout value must be between 1 and ${longestTimeout} seconds`);
  }
  checkLabelSelector(webhook.namespaceSelector, place.at("namespaceSelector"), options);
  checkLabelSelector(webhook.objectSelector, place.at("objectSelector"), options);
  checkOptionalChoice(webhook.reinvocationPolicy, place.at("reinvocationPolicy"), ["IfNeeded", "Never"]);
  checkClient(webhook.clientConfig ?? {}, place.at("clientConfig"));
  if (!options.ignoresConditions) checkMatchConditions(webhook.matchConditions, place.at("matchConditions"));
}

/** A domain name of at least three parts. */
function checkName(name: string, place: FaultPlace): void {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  const reasons = validateDns1123Subdomain(name);
  if (reasons.length > 0) place.invalid(name, reasons.join(","));
  else if (name.split(".").length < leastNameParts) {
    place.invalid(name, "should be a domain with at least three segments separated by dots");
  }
}

function checkSideEffects(given: string | undefined, place: FaultPlace, { needsNoSideEffects }: WebhookOptions): void {
  const allowed = needsNoSideEffects ? noSideEffects : allSideEffects;
  if (given === undefined) place.required(`must specify one of ${allowed.join(", ")}`);
  else checkOptionalChoice(given, place, allowed);
}

function checkClient({ url, service }: admissionregistrationv1.WebhookClientConfig, place: FaultPlace): void {
  if ((url === undefined) === (service === undefined)) place.required("exactly one of url or service is required");
  else if (url !== undefined) checkWebhookUrl(url, place.at("url"));
  else if (service !== undefined) {
    // Upstream's oddity: it takes the one for the other.
    const { name, namespace, ...rest } = service;
    checkWebhookService({ ...rest, name: namespace, namespace: name }, place.at("service"));
  }
}

function checkReviewVersions(
  versions: readonly string[] | undefined,
  place: FaultPlace,
  { needsKnownVersion }: WebhookOptions,
): void {
  const given = versions ?? [];
  if (given.length === 0) {
    place.required(`must specify one of ${reviewVersions.join(", ")}`);
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of given.entries()) {
    if (seen.has(version)) place.item(i).invalid(version, "duplicate version");
    else place.item(i).invalidFor(version, validateDns1035Label(version));
    seen.add(version);
  }
  if (needsKnownVersion && !given.some((version) => reviewVersions.includes(version))) {
    place.invalid(given, `must include at least one of ${reviewVersions.join(", ")}`);
  }
}
