// `webhooks`: defaulters, validators and converters that an API server calls, the server for them, and the manifests that configure the API
// server. Start with admission-webhook.ts and converter.ts; docs/webhooks.md is a tour.
//
// Not here: issuing certificates. Certificate files that another program renews, for example cert-manager, are read again when they change.
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
