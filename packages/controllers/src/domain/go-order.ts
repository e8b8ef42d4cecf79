// The order in which upstream keeps the ports of slices and Endpoints: by the FNV-128a hash of a dump of each Go struct. It means nothing, but
// a list in another order would be another list: whoever compares, or takes over from upstream, would see a change where there is none.
import type { corev1, discoveryv1 } from "@kubeloop/core/api";

const prime = 0x0000000001000000000000000000013bn;
const basis = 0x6c62272e07bb014262b821756295c58dn;
const bits = (1n << 128n) - 1n;

/** The hash as 32 hexadecimal digits. */
export function fnv128a(text: string): string {
  let hash = basis;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * prime) & bits;
  return hash.toString(16).padStart(32, "0");
}

const pointer = (value: string | number | undefined) => (value === undefined ? "<nil>" : String(value));

export function sortSlicePorts(ports: readonly discoveryv1.EndpointPort[]): readonly discoveryv1.EndpointPort[] {
  return sortByDump(ports, ({ name, protocol, port, appProtocol }) => {
    const fields = `Name:(*string)${pointer(name)} Protocol:(*v1.Protocol)${pointer(protocol)} Port:(*int32)${pointer(port)}`;
    return `(v1.EndpointPort){${fields} AppProtocol:(*string)${pointer(appProtocol)}}`;
  });
}

export function sortSubsetPorts(ports: readonly corev1.EndpointPort[]): readonly corev1.EndpointPort[] {
  return sortByDump(ports, ({ name = "", port, protocol = "", appProtocol }) => {
    const fields = `Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol}`;
    return `(v1.EndpointPort){${fields} AppProtocol:(*string)${pointer(appProtocol)}}`;
  });
}

function sortByDump<T>(items: readonly T[], dump: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => [fnv128a(dump(item)), item] as const);
  return hashed.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, item]) => item);
}
