// The address by which others are to reach this server, as kube-apiserver chooses it without `--advertise-address`: the one it is bound to, or, since
// loopback and "any" are nobody's address from elsewhere, that of the machine's first network interface.
import { isIPv4, isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = { readonly [name: string]: readonly NetworkInterfaceInfo[] | undefined };

/** Returns undefined where the machine has no such address. */
export function advertiseAddressOf(host: string, interfaces: Interfaces = networkInterfaces()): string | undefined {
  if ((isIPv4(host) || isIPv6(host)) && !isNobodys(host)) return host;
  const outside = Object.values(interfaces).flatMap((each) =>
    (each ?? []).filter(({ internal, address }) => !internal && !isNobodys(address)),
  );
  return (outside.find(({ family }) => family === "IPv4") ?? outside[0])?.address;
}

/** Loopback, unspecified and link-local addresses: what an Endpoints object does not take. */
const isNobodys = (address: string) => /^(?:127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe[89ab][0-9a-f]:)/i.test(address);
