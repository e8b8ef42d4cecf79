// How kinds want to be named, where that is not the rule for all: a DNS-1123 subdomain.
import { asPrefix, validateDns1123Label, validatePathSegmentName, validatePathSegmentPrefix } from "@kubeloop/core/api";
import type { NameCheck } from "../kind-rules.ts";

export const labelName: NameCheck = (name, isPrefix) =>
  isPrefix ? asPrefix(validateDns1123Label)(name) : validateDns1123Label(name);

/** Whatever a path can hold. */
export const pathSegmentName: NameCheck = (name, isPrefix) =>
  (isPrefix ? validatePathSegmentPrefix : validatePathSegmentName)(name);
