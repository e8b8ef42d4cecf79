// How a webhook is reached: by an address or as a service, never both.
import { validateDns1123Subdomain, validatePortNumber } from "@kubeloop/core/api";
import { parseAddress } from "../../go-prose/go-address.ts";
import { isAbsent } from "./checks.ts";
import type { ValidationPath } from "./validation-path.ts";

export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const form = "; desired format: https://host[/path]";

export function checkWebhookUrl(url: string, fldPath: ValidationPath): void {
  const parsed = parseAddress(url);
  if ("fault" in parsed) {
    fldPath.required(`url must be a valid URL: ${parsed.fault}${form}`);
    return;
  }
  const { scheme, user, host, query, fragment } = parsed.address;
  if (scheme !== "https") fldPath.invalid(scheme, `'https' is the only allowed URL scheme${form}`);
  if (host === "") fldPath.invalid(host, `host must be specified${form}`);
  if (user !== undefined) fldPath.invalid(user, "user information is not permitted in the URL");
  if (fragment !== "") fldPath.invalid(fragment, "fragments are not permitted in the URL");
  if (query !== "") fldPath.invalid(query, "query parameters are not permitted in the URL");
}

export function checkWebhookService(
  { namespace, name, path, port = 0 }: WebhookService,
  fldPath: ValidationPath,
): void {
  if (isAbsent(name)) fldPath.at("name").required();
  if (isAbsent(namespace)) fldPath.at("namespace").required();
  const reasons = validatePortNumber(port);
  if (reasons.length > 0) fldPath.at("port").invalid(port, `port is not valid: ${reasons.join(", ")}`);
  if (!isAbsent(path) && path !== "/") checkPath(path, fldPath.at("path"));
}

function checkPath(path: string, fldPath: ValidationPath): void {
  if (path === "//") {
    fldPath.invalid(path, "segment[0] may not be empty");
    return;
  }
  if (!path.startsWith("/")) fldPath.invalid(path, "must start with a '/'");
  const inner = path.slice(1).replace(/\/$/, "");
  for (const [i, segment] of inner.split("/").entries()) {
    if (segment === "") {
      fldPath.invalid(path, `segment[${i}] may not be empty`);
      continue;
    }
    const reasons = validateDns1123Subdomain(segment);
    fldPath.invalidFor(
      path,
      reasons.map((why) => `segment[${i}]: ${why}`),
    );
  }
}
