// What an ingress asks for: rules by host and path, each to a service or another object, and certificates for hosts.
import {
  type networkingv1,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { parseIp } from "../shared/ip-address.ts";
import { checkTypedReference } from "./typed-reference.ts";

/** What was wrong before may stay so. */
export interface IngressOptions {
  readonly allowsInvalidSecretName?: boolean;
  readonly allowsInvalidWildcardRule?: boolean;
}

const badSequences = ["//", "/./", "/../", "%2f", "%2F"];
const badEnds = ["/..", "/."];
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

export function ingressOptions({ tls = [], rules = [] }: networkingv1.IngressSpec): IngressOptions {
  return {
    allowsInvalidSecretName: tls.some(
      ({ secretName }) => !isAbsent(secretName) && validateDns1123Subdomain(secretName).length > 0,
    ),
    allowsInvalidWildcardRule: rules.some(
      (rule) => rule.host?.includes("*") === true && collectFaults("", (place) => checkPaths(rule, place)).length > 0,
    ),
  };
}

export function checkIngressSpec(
  spec: networkingv1.IngressSpec,
  place: FaultPlace,
  options: IngressOptions = {},
): void {
  const { rules = [], defaultBackend, tls = [], ingressClassName: className } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    place.invalid(spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend !== undefined) checkBackend(defaultBackend, place.at("defaultBackend"));
  for (const [i, rule] of rules.entries()) checkRule(rule, place.at("rules").item(i), options);
  for (const [i, each] of tls.entries()) checkTls(each, place.at("tls").item(i), options);
  if (className !== undefined) {
    place.at("ingressClassName").invalidFor(className, validateDns1123Subdomain(className));
  }
}

function checkRule(rule: networkingv1.IngressRule, place: FaultPlace, options: IngressOptions): void {
  const { host = "" } = rule;
  const isWildcard = host.includes("*");
  if (host !== "") {
    const hostPlace = place.at("host");
    if (parseIp(host) !== undefined) hostPlace.invalid(host, "must be a DNS name, not an IP address");
    checkHost(host, hostPlace);
  }
  if (!isWildcard || options.allowsInvalidWildcardRule !== true) checkPaths(rule, place);
}

function checkHost(host: string, place: FaultPlace): void {
  const validate = host.includes("*") ? validateWildcardDns1123Subdomain : validateDns1123Subdomain;
  place.invalidFor(host, validate(host));
}

function checkPaths({ http }: networkingv1.IngressRule, place: FaultPlace): void {
  if (http === undefined) return;
  const pathsPlace = place.at("http", "paths");
  // Go prints a list that is not there as null.
  const paths = http.paths ?? [];
  if (paths.length === 0) pathsPlace.required();
  for (const [i, path] of paths.entries()) checkPath(path, pathsPlace.item(i));
}

function checkPath({ path = "", pathType, backend }: networkingv1.HTTPIngressPath, place: FaultPlace): void {
  const pathPlace = place.at("path");
  // It is never empty text, but may be null, as Go prints what is not there.
  switch (pathType ?? undefined) {
    case undefined:
      place.at("pathType").required("pathType must be specified");
      return;
    case "Exact":
    case "Prefix":
      if (!path.startsWith("/")) pathPlace.invalid(path, "must be an absolute path");
      for (const bad of badSequences) if (path.includes(bad)) pathPlace.invalid(path, `must not contain '${bad}'`);
      for (const bad of badEnds) if (path.endsWith(bad)) pathPlace.invalid(path, `cannot end with '${bad}'`);
      break;
    case "ImplementationSpecific":
      if (path !== "" && !path.startsWith("/")) pathPlace.invalid(path, "must be an absolute path");
      break;
    default:
      place.at("pathType").notSupported(pathType, pathTypes);
  }
  checkBackend(backend, place.at("backend"));
}

function checkBackend({ resource, service }: networkingv1.IngressBackend, place: FaultPlace): void {
  if (resource !== undefined && service !== undefined) {
    place.invalid("", "cannot set both resource and service backends");
  } else if (resource !== undefined) {
    checkTypedReference(resource, place.at("resource"));
  } else if (service !== undefined) {
    checkService(service, place);
  } else {
    place.invalid("", "resource or service backend is required");
  }
}

function checkService({ name, port = {} }: networkingv1.IngressServiceBackend, place: FaultPlace): void {
  const servicePlace = place.at("service");
  if (isAbsent(name)) servicePlace.at("name").required();
  else servicePlace.at("name").invalidFor(name, validateDns1123Label(name));
  const { name: portName = "", number = 0 } = port;
  const portPlace = servicePlace.at("port");
  if (portName !== "" && number !== 0) place.invalid("", "cannot set both port name & port number");
  else if (portName !== "") portPlace.at("name").invalidFor(portName, validatePortName(portName));
  else if (number !== 0) portPlace.at("number").invalidFor(number, validatePortNumber(number));
  else place.required("port name or number is required");
}

function checkTls(
  { hosts = [], secretName }: networkingv1.IngressTLS,
  place: FaultPlace,
  options: IngressOptions,
): void {
  for (const [i, host] of hosts.entries()) checkHost(host, place.at("hosts").item(i));
  if (options.allowsInvalidSecretName === true || isAbsent(secretName)) return;
  place.at("secretName").invalidFor(secretName, validateDns1123Subdomain(secretName));
}
