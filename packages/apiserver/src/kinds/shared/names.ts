// How kinds want to be named, where that is not the rule for all: a DNS-1123 subdomain.
import {
  asPrefix,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePathSegmentPrefix,
} from "@kubeloop/core/api";
import type { NameCheck } from "../kind-rules.ts";

export const labelName: NameCheck = (name, isPrefix) =>
  isPrefix ? asPrefix(validateDns1123Label)(name) : validateDns1123Label(name);

/** As for all, but what a name is generated from may be anything if the name that comes of it is right. */
export const generatedSubdomainName: NameCheck = (name, isPrefix) => (isPrefix ? [] : validateDns1123Subdomain(name));

export const subdomainName: NameCheck = (name, isPrefix) =>
  isPrefix ? asPrefix(validateDns1123Subdomain)(name) : validateDns1123Subdomain(name);

/** Whatever a path can hold. */
export const pathSegmentName: NameCheck = (name, isPrefix) =>
  (isPrefix ? validatePathSegmentPrefix : validatePathSegmentName)(name);
