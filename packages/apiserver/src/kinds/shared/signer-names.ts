// Names of those who sign certificates: "example.com/signer".
import { quote, validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { FaultPlace } from "./fault-place.ts";

const longestDomain = 253;
const longestLabel = 63;
const longestPath = longestDomain + longestLabel + 1;

export function checkSignerName(name: string | undefined, place: FaultPlace): void {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    place.invalid(name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (Buffer.byteLength(domain) > longestDomain) place.tooLong(longestDomain);
  checkLabels(domain, place, validateDns1123Label);
  if (!domain.includes(".")) {
    place.invalid(domain, "should be a domain with at least two segments separated by dots");
  }
  checkLabels(path, place, validateDns1123Subdomain);
  const longest = longestDomain + longestPath + 1;
  if (Buffer.byteLength(name) > longest) place.tooLong(longest);
}

/** The first label that is wrong, with all that is wrong with it. */
function checkLabels(text: string, place: FaultPlace, validate: (label: string) => string[]): void {
  for (const label of text.split(".")) {
    const reasons = validate(label);
    place.invalidFor(
      text,
      reasons.map((why) => `validating label ${quote(label)}: ${why}`),
    );
    if (reasons.length > 0) return;
  }
}
