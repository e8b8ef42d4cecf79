// ValidatingWebhookConfiguration and MutatingWebhookConfiguration: who is asked before something is written.
import type { admissionregistrationv1 } from "@kubeloop/core/api";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "@kubeloop/core/resources";
import type { KindRules, PrintContext } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkWebhooks, setWebhookDefaults } from "./check-webhooks.ts";
import { staticNameWarnings } from "./static-names.ts";

type Validating = admissionregistrationv1.ValidatingWebhookConfiguration;
type Mutating = admissionregistrationv1.MutatingWebhookConfiguration;
type Configuration = Validating | Mutating;

export const validatingWebhookConfigurationRules: KindRules<Validating> = {
  resource: validatingWebhookConfigurations,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults: ({ webhooks }) => setWebhookDefaults(webhooks),
  validate: (object) => faultsOf(object),
  validateUpdate: (object, old) => faultsOf(object, old),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  printRow,
};

export const mutatingWebhookConfigurationRules: KindRules<Mutating> = {
  resource: mutatingWebhookConfigurations,
  metadataOnUpdate: ["whole"],
  finalizerNames: "any",
  needsVersionOnUpdate: true,
  generation: "spec",
  defaults({ webhooks }) {
    setWebhookDefaults(webhooks);
    for (const webhook of webhooks ?? []) webhook.reinvocationPolicy ??= "Never";
  },
  validate: (object) => faultsOf(object),
  validateUpdate: (object, old) => faultsOf(object, old),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  printRow,
};

function faultsOf(object: Configuration, old?: Configuration) {
  return collectFaults("webhooks", (fldPath) =>
    checkWebhooks(object.webhooks, fldPath, old === undefined ? undefined : (old.webhooks ?? [])),
  );
}

function printRow({ metadata, webhooks }: Configuration, { nowMs }: PrintContext): unknown[] {
  return [metadata.name, (webhooks ?? []).length, printAge(metadata.creationTimestamp, nowMs)];
}
