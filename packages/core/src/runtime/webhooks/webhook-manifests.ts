// Generates, from the webhooks themselves, the manifests that configure an API server to call them.
import type { admissionregistrationv1, apiextensionsv1 } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type { AdmissionWebhook } from "./admission-webhook.ts";
import { convertPath } from "./webhook-server.ts";

/** How the API server reaches the webhook server. */
export type WebhookAddress = (
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  /** `https://host:port`, without a path; for servers outside the cluster. */
  | { readonly url: string }
) & {
  /** The CAs that signed the server's certificate, as PEM; the system roots of the API server unless given. */
  readonly caPem?: string;
};

export interface ConfigurationOptions {
  readonly name: string;
  /** Webhooks of the other kind (mutating or validating) are ignored, so that the same list can be used for both configurations. */
  readonly webhooks: readonly AdmissionWebhook[];
  readonly address: WebhookAddress;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function validatingWebhookConfiguration(
  options: ConfigurationOptions,
): admissionregistrationv1.ValidatingWebhookConfiguration {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: metadataOf(options),
    webhooks: ofKind(options, "validating").map((webhook) => webhookOf(webhook, options.address)),
  };
}

export function mutatingWebhookConfiguration(
  options: ConfigurationOptions,
): admissionregistrationv1.MutatingWebhookConfiguration {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: metadataOf(options),
    webhooks: ofKind(options, "mutating").map((webhook) => ({
      ...webhookOf(webhook, options.address),
      reinvocationPolicy: webhook.parts.reinvocationPolicy ?? "Never",
    })),
  };
}

/** For `spec.conversion` of a CustomResourceDefinition. */
export function webhookConversion(address: WebhookAddress): apiextensionsv1.CustomResourceConversion {
  return {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: clientConfigOf(address, convertPath) },
  };
}

function ofKind({ name, webhooks }: ConfigurationOptions, kind: AdmissionWebhook["kind"]): readonly AdmissionWebhook[] {
  const found = webhooks.filter((webhook) => webhook.kind === kind);
  const twice = found.find((webhook, index) => found.findIndex((other) => other.name === webhook.name) !== index);
  if (twice === undefined) return found;
  throw new KubeloopError(`${name} has two webhooks called ${twice.name}`, { reason: "Invalid", retry: "never" });
}

function metadataOf({ name, labels, annotations }: ConfigurationOptions) {
  return { name, ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
}

function webhookOf(
  { name, path, operations, parts }: AdmissionWebhook,
  address: WebhookAddress,
): admissionregistrationv1.ValidatingWebhook {
  const { failurePolicy = "Fail", sideEffects = "None", timeoutSeconds = 10 } = parts;
  const { namespaceSelector, objectSelector, matchConditions } = parts;
  return {
    name,
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(address, path),
    rules: [ruleOf(operations, parts)],
    failurePolicy,
    // The API server converts requests for other versions of the resource, and sends them to this webhook, too.
    matchPolicy: "Equivalent",
    sideEffects,
    timeoutSeconds,
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
    ...(matchConditions === undefined ? {} : { matchConditions }),
  };
}

function ruleOf(
  operations: AdmissionWebhook["operations"],
  { resource, subresources = [] }: AdmissionWebhook["parts"],
): admissionregistrationv1.RuleWithOperations {
  const { group, version, plural, namespaced } = resource;
  const beside = "only" in subresources ? subresources.only : subresources;
  const own = "only" in subresources ? [] : [plural];
  return {
    operations,
    apiGroups: [group],
    apiVersions: [version],
    resources: [...own, ...beside.map((each) => `${plural}/${each}`)],
    scope: namespaced ? "Namespaced" : "Cluster",
  };
}

function clientConfigOf(address: WebhookAddress, path: string): admissionregistrationv1.WebhookClientConfig {
  const { caPem } = address;
  const ca = caPem === undefined ? {} : { caBundle: Buffer.from(caPem).toString("base64") };
  if ("url" in address) return { url: `${address.url.replace(/\/$/, "")}${path}`, ...ca };
  const { namespace, name, port = 443 } = address.service;
  return { service: { namespace, name, port, path }, ...ca };
}
