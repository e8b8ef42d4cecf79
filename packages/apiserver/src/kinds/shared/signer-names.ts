// Names of those who sign certificates: "example.com/signer".
import { quote, validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { ValidationPath } from "./validation-path.ts";

const longestDomain = 253;
const longestLabel = 63;
const longestPath = longestDomain + longestLabel + 1;

export function checkSignerName(name: string | undefined, fldPath: ValidationPath): void {
  if (isAbsent(name)) {
    fldPath.required();
    return;
  }
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    fldPath.invalid(name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (Buffer.byteLength(domain) > longestDomain) fldPath.tooLong(longestDomain);
  checkLabels(domain, fldPath, validateDns1123Label);
  if (!domain.includes(".")) {
    fldPath.invalid(domain, "should be a domain with at least two segments separated by dots");
  }
  checkLabels(path, fldPath, validateDns1123Subdomain);
  const longest = longestDomain + longestPath + 1;
  if (Buffer.byteLength(name) > longest) fldPath.tooLong(longest);
}

/** The first label that is wrong, with all that is wrong with it. */
function checkLabels(text: string, fldPath: ValidationPath, validate: (label: string) => string[]): void {
  for (const label of text.split(".")) {
    const reasons = validate(label);
    fldPath.invalidFor(
      text,
      reasons.map((why) => `validating label ${quote(label)}: ${why}`),
    );
    if (reasons.length > 0) return;
  }
}
