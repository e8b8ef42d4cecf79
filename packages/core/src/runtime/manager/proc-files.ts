// What Linux tells of a process in /proc/self, read from the text of its files. What a file does not tell is undefined.

export interface ProcNumbers {
  readonly maxFds?: number;
  readonly virtualBytes?: number;
  readonly maxVirtualBytes?: number;
  /** By the network namespace that the process is in. */
  readonly receivedBytes?: number;
  readonly sentBytes?: number;
}

/** Where "unlimited" is a number: the largest of 64 bits. */
const unlimited = 2 ** 64;

/** `read` returns the text of the file of this name, or undefined. */
export function readProcNumbers(read: (file: string) => string | undefined): ProcNumbers {
  const limits = read("limits") ?? "";
  const network = readExtended(read("net/netstat") ?? "");
  const virtualKb = /^VmSize:\s+(\d+) kB$/m.exec(read("status") ?? "")?.[1];
  return defined({
    maxFds: softLimit(limits, "Max open files"),
    maxVirtualBytes: softLimit(limits, "Max address space"),
    virtualBytes: virtualKb === undefined ? undefined : Number(virtualKb) * 1024,
    receivedBytes: network.get("InOctets"),
    sentBytes: network.get("OutOctets"),
  });
}

function softLimit(limits: string, name: string): number | undefined {
  const line = limits.split("\n").find((each) => each.startsWith(name));
  const [value] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  if (value === undefined) return undefined;
  return value === "unlimited" ? unlimited : Number(value);
}

/** The counters of the group IpExt: one line of names, then one of values. */
function readExtended(netstat: string): ReadonlyMap<string, number> {
  const [names = [], values = []] = netstat
    .split("\n")
    .filter((line) => line.startsWith("IpExt: "))
    .map((line) => line.split(" ").slice(1));
  return new Map(names.map((name, at) => [name, Number(values[at])]));
}

function defined(numbers: { readonly [K in keyof ProcNumbers]: number | undefined }): ProcNumbers {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
}
