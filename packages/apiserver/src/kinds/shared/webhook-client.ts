// How a webhook is reached: by an address or as a service, never both.
import { validateDns1123Subdomain, validatePortNumber } from "@kubeloop/core/api";
import { isAbsent } from "./checks.ts";
import type { FaultPlace } from "./fault-place.ts";
import { parseAddress } from "./go-address.ts";

export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const form = "; desired format: https://host[/path]";

export function checkWebhookUrl(url: string, place: FaultPlace): void {
  const parsed = parseAddress(url);
  if ("fault" in parsed) {
    place.required(`url must be a valid URL: ${parsed.fault}${form}`);
    return;
  }
  const { scheme, user, host, query, fragment } = parsed.address;
  if (scheme !== "https") place.invalid(scheme, `'https' is the only allowed URL scheme${form}`);
  if (host === "") place.invalid(host, `host must be specified${form}`);
  if (user !== undefined) place.invalid(user, "user information is not permitted in the URL");
  if (fragment !== "") place.invalid(fragment, "fragments are not permitted in the URL");
  if (query !== "") place.invalid(query, "query parameters are not permitted in the URL");
}

export function checkWebhookService({ namespace, name, path, port = 0 }: WebhookService, place: FaultPlace): void {
  if (isAbsent(name)) place.at("name").required();
  if (isAbsent(namespace)) place.at("namespace").required();
  const reasons = validatePortNumber(port);
  if (reasons.length > 0) place.at("port").invalid(port, `port is not valid: ${reasons.join(", ")}`);
  if (!isAbsent(path) && path !== "/") checkPath(path, place.at("path"));
}

function checkPath(path: string, place: FaultPlace): void {
  if (path === "//") {
    place.invalid(path, "segment[0] may not be empty");
    return;
  }
  if (!path.startsWith("/")) place.invalid(path, "must start with a '/'");
  const inner = path.slice(1).replace(/\/$/, "");
  for (const [i, segment] of inner.split("/").entries()) {
    if (segment === "") {
      place.invalid(path, `segment[${i}] may not be empty`);
      continue;
    }
    const reasons = validateDns1123Subdomain(segment);
    place.invalidFor(
      path,
      reasons.map((why) => `segment[${i}]: ${why}`),
    );
  }
}
