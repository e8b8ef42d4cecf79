// Refuses Websites that could not work, when somebody writes them and can still be told.
import {
  type Fault,
  fieldPath,
  invalidFault,
  validateDns1035Label,
  validateDns1123Subdomain,
} from "@kubeloop/core/api";
import { defineValidator } from "@kubeloop/core/runtime";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";

export const websiteRules = defineValidator<Website>({
  name: "websites.rules.web.example.com",
  resource: websites,
  create: (website) => [...nameFaults(website), ...specFaults(website)],
  update(_before, after) {
    // Finalizers are removed by updates: what is on its way out need not be valid any more.
    if (after.metadata.deletionTimestamp !== undefined) return undefined;
    return specFaults(after);
  },
});

/** The Service has the same name, and may not have every name that a Website may. */
function nameFaults({ metadata: { name = "" } }: Website): Fault[] {
  return validateDns1035Label(name).map((detail) => invalidFault(fieldPath("metadata", "name"), name, detail));
}

function specFaults({ spec: { host, image } }: Website): Fault[] {
  const faults = validateDns1123Subdomain(host).map((detail) => invalidFault(fieldPath("spec", "host"), host, detail));
  if (isLatest(image))
    faults.push(invalidFault(fieldPath("spec", "image"), image, "must name a tag other than latest"));
  return faults;
}

/** An image without tag and digest is the latest one, too. */
export function isLatest(image: string): boolean {
  if (image.includes("@")) return false;
  const [, tag = "latest"] = image.slice(image.lastIndexOf("/") + 1).split(":");
  return tag === "latest";
}
