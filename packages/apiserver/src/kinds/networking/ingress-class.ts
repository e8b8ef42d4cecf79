// IngressClass: which controller serves ingresses of this class, and with which parameters.
import { type networkingv1, validateDns1123Label } from "@kubeloop/core/api";
import { ingressClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkDomainPath } from "../shared/domain-path.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { checkTypedReference } from "./typed-reference.ts";

const longestController = 250;
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

export const ingressClassRules: KindRules<networkingv1.IngressClass> = {
  resource: ingressClasses,
  metadataOnUpdate: ["changes", "whole"],
  generation: "spec",
  defaults({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
  },
  validate: ({ spec = {} }) => collectFaults("spec", (place) => checkSpec(spec, place)),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (place) => {
      checkImmutable(spec.controller ?? "", old.spec?.controller ?? "", place.at("controller"));
      checkSpec(spec, place);
    }),
  printRow: ({ metadata, spec = {} }, { nowMs }) => [
    own(metadata.annotations, defaultAnnotation) === "true" ? `${metadata.name} (default)` : metadata.name,
    spec.controller ?? "",
    printParameters(spec.parameters),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkSpec({ controller, parameters }: networkingv1.IngressClassSpec, place: FaultPlace): void {
  const controllerPlace = place.at("controller");
  if (Buffer.byteLength(controller ?? "") > longestController) controllerPlace.tooLong(longestController);
  checkDomainPath(controller, controllerPlace);
  if (parameters !== undefined) checkParameters(parameters, place.at("parameters"));
}

function checkParameters(parameters: networkingv1.IngressClassParametersReference, place: FaultPlace): void {
  checkTypedReference(parameters, place);
  const { scope, namespace } = parameters;
  const namespacePlace = place.at("namespace");
  switch (scope) {
    case undefined:
      place.at("scope").required();
      break;
    case "Namespace":
      if (namespace === undefined) namespacePlace.required("`parameters.scope` is set to 'Namespace'");
      else namespacePlace.invalidFor(namespace, validateDns1123Label(namespace));
      break;
    case "Cluster":
      if (namespace !== undefined) namespacePlace.forbidden("`parameters.scope` is set to 'Cluster'");
      break;
    default:
      place.at("scope").notSupported(scope, ["Cluster", "Namespace"]);
  }
}

function printParameters(parameters: networkingv1.IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
