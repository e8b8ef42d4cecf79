// IngressClass: which controller serves ingresses of this class, and with which parameters.
import { type networkingv1, validateDns1123Label } from "@kubeloop/core/api";
import { ingressClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkDomainPath } from "../shared/domain-path.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
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
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (fldPath) => {
      checkImmutable(spec.controller ?? "", old.spec?.controller ?? "", fldPath.at("controller"));
      checkSpec(spec, fldPath);
    }),
  printRow: ({ metadata, spec = {} }, { nowMs }) => [
    own(metadata.annotations, defaultAnnotation) === "true" ? `${metadata.name} (default)` : metadata.name,
    spec.controller ?? "",
    printParameters(spec.parameters),
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkSpec({ controller, parameters }: networkingv1.IngressClassSpec, fldPath: ValidationPath): void {
  const controllerPath = fldPath.at("controller");
  if (Buffer.byteLength(controller ?? "") > longestController) controllerPath.tooLong(longestController);
  checkDomainPath(controller, controllerPath);
  if (parameters !== undefined) checkParameters(parameters, fldPath.at("parameters"));
}

function checkParameters(parameters: networkingv1.IngressClassParametersReference, fldPath: ValidationPath): void {
  checkTypedReference(parameters, fldPath);
  const { scope, namespace } = parameters;
  const namespacePath = fldPath.at("namespace");
  switch (scope) {
    case undefined:
      fldPath.at("scope").required();
      break;
    case "Namespace":
      if (namespace === undefined) namespacePath.required("`parameters.scope` is set to 'Namespace'");
      else namespacePath.invalidFor(namespace, validateDns1123Label(namespace));
      break;
    case "Cluster":
      if (namespace !== undefined) namespacePath.forbidden("`parameters.scope` is set to 'Cluster'");
      break;
    default:
      fldPath.at("scope").notSupported(scope, ["Cluster", "Namespace"]);
  }
}

function printParameters(parameters: networkingv1.IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
