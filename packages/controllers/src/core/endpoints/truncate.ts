// Cuts Endpoints that have too many addresses. Those that are ready go before those that are not, and each subset keeps its share.
import type { corev1 } from "@kubeloop/core/api";

type Subset = corev1.EndpointSubset;

export const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

/** Undefined if there are not too many. */
export function truncateSubsets(subsets: readonly Subset[], most: number): readonly Subset[] | undefined {
  const count = (name: "addresses" | "notReadyAddresses") =>
    subsets.reduce((sum, { [name]: list }) => sum + (list ?? []).length, 0);
  const [ready, notReady] = [count("addresses"), count("notReadyAddresses")];
  if (ready + notReady <= most) return undefined;
  const cutsReady = ready > most;
  const [room, total] = cutsReady ? [most, ready] : [most - ready, notReady];
  let left = room;
  return subsets.map((subset) => {
    const { addresses = [], notReadyAddresses = [], ...rest } = subset;
    const cut = cutsReady ? addresses : notReadyAddresses;
    // Rounded up: the last subset gets what is left.
    const kept = cut.slice(0, Math.min(left, Math.ceil((cut.length / total) * room)));
    left -= kept.length;
    const [readyKept, notReadyKept] = cutsReady ? [kept, []] : [addresses, kept];
    return {
      ...rest,
      ...(readyKept.length === 0 ? {} : { addresses: readyKept }),
      ...(notReadyKept.length === 0 ? {} : { notReadyAddresses: notReadyKept }),
    };
  });
}

/** Whether nothing is said of too many addresses, and there are not too many. Otherwise they are counted anew. */
export function isWithinCapacity({ metadata, subsets }: corev1.Endpoints, most: number): boolean {
  const all = (subsets ?? []).reduce(
    (sum, { addresses, notReadyAddresses }) => sum + (addresses ?? []).length + (notReadyAddresses ?? []).length,
    0,
  );
  return all <= most && metadata.annotations?.[overCapacityAnnotation] === undefined;
}
