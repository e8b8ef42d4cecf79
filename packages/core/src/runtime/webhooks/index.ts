// `webhooks`: defaulters, validators and converters for an API server to ask, the server they are asked at, and the manifests
// that tell it to. Start with admission-webhook.ts and converter.ts; docs/webhooks.md is a tour.
//
// Not here: where certificates come from. A file, renewed by whoever renews it (cert-manager, say), is read again as it changes.
export type { AdmissionOperation, AdmissionRequest } from "./admission-review.ts";
export {
  type AdmissionAnswer,
  type AdmissionContext,
  type AdmissionParts,
  type AdmissionWebhook,
  type DefaulterParts,
  defineDefaulter,
  defineValidator,
  type Objection,
  type ValidatorParts,
} from "./admission-webhook.ts";
export { type Converter, defineConverter, type Spoke, type SpokeFunctions, spoke } from "./converter.ts";
export {
  type ConfigurationOptions,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  type WebhookAddress,
  webhookConversion,
} from "./webhook-manifests.ts";
export { WebhookServer, type WebhookServerOptions } from "./webhook-server.ts";
