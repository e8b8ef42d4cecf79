// Service: a name and addresses for a set of pods. Addresses and ports on nodes are handed out by a step of the write
// (reservations/service-addresses.ts), by the decisions in services/; here is everything else.
import type { corev1 } from "@kubeloop/core/api";
import { services } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { labelName } from "../shared/names.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkServiceChange } from "./services/check-change.ts";
import { checkService } from "./services/check-service.ts";
import { checkIngress } from "./services/check-status.ts";
import { setServiceDefaults } from "./services/defaults.ts";
import { dropFields } from "./services/drop-fields.ts";
import { printService } from "./services/print-service.ts";
import { specOf } from "./services/service-traits.ts";
import { ingressWarnings, serviceWarnings } from "./services/warnings.ts";

export const serviceRules: KindRules<corev1.Service> = {
  resource: services,
  checkName: labelName,
  createsOnUpdate: true,
  deletion: { answersWithObject: true },
  defaults: setServiceDefaults,
  prepareUpdate: dropFields,
  validate: (service) => collectObjectFaults((at) => checkService(service, undefined, at)),
  validateUpdate: (service, old) =>
    collectObjectFaults((at) => {
      checkServiceChange(specOf(service), specOf(old), at("spec"));
      checkService(service, old, at);
    }),
  warnings: serviceWarnings,
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        if (old.spec === undefined) delete draft.spec;
        else draft.spec = old.spec as Draft<corev1.ServiceSpec>;
      },
      validateUpdate: (service, old) =>
        collectFaults("status", (fldPath) => checkIngress(service, old, fldPath.at("loadBalancer", "ingress"))),
      warnings: ingressWarnings,
    },
  },
  selectableFields: {
    names: ["spec.clusterIP", "spec.type"],
    valuesOf: ({ spec }) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
    unknownText: unsupportedField,
  },
  printRow: printService,
};
