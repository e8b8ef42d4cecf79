// Whether an address leads nowhere but to this machine.
import { isIPv4, isIPv6 } from "node:net";

export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  if (isIPv4(host)) return host.startsWith("127.");
  return isIPv6(host) && /^(?:0*:)*0*1$/.test(host);
}
