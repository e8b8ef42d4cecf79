// Names in somebody's domain: "acme.io/foo".
import { validateDns1123Subdomain, validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { ValidationPath } from "./validation-path.ts";

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** A domain and a path of any depth. */
export function checkDomainPath(text: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(text)) {
    fldPath.required();
    return;
  }
  const [, domain = "", path = ""] = /^([^/]*)\/(.*)$/s.exec(text) ?? [];
  if (domain === "" || path === "") {
    fldPath.invalid(text, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  fldPath.invalidFor(domain, validateDns1123Subdomain(domain));
  if (!new RegExp(`^${pathPattern}$`).test(path)) {
    fldPath.invalid(path, `Invalid path (regex used for validation is '${pathPattern}')`);
  }
}

/** A domain and a name. */
export function checkDomainKey(text: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(text)) {
    fldPath.required();
    return;
  }
  const reasons = validateQualifiedName(text);
  fldPath.invalidFor(text, reasons);
  if (reasons.length === 0 && !text.includes("/")) {
    fldPath.invalid(text, 'must be a domain-prefixed key (such as "acme.io/foo")');
  }
}
