// Addresses and ports for services: handed out when a service is written, given back when it no longer has them. What to ask for is
// decided in kinds/core/services; this reserver looks up what is free and brings the writes that take it.
//
// Promises
// - Addresses and ports are written together with the service that holds them (`allocation-store.ts`). So two services never hold
//   the same one, whoever writes at the same time, and a state of the past or a fork knows what was taken in it. Nothing is kept beside
//   storage.
// - A service holds what its spec names, nothing more: whatever the old one held and the new one does not is free again.
// - A dry run takes nothing and shows placeholders.
// - What cannot be had is reported before the service's own faults, as a real server does.
import { type corev1, newStatusError } from "@kubeloop/core/api";
import { addressesToTry, canonicalIp, isInRange } from "../kinds/core/services/address-range.ts";
import {
  invalidService,
  ipError,
  ipIsElsewhere,
  ipIsNotIn,
  ipIsTaken,
  isFull,
  portError,
  portIsElsewhere,
  portIsTaken,
} from "../kinds/core/services/allocation-faults.ts";
import { settleFamilies } from "../kinds/core/services/ip-families.ts";
import { keepAddresses, matchClusterIps } from "../kinds/core/services/keep-addresses.ts";
import { isNodePort, nodePortsToTry, placeholderPort } from "../kinds/core/services/node-port-range.ts";
import {
  type AddressPlan,
  findRepeatedNodePort,
  type IpClaim,
  type PortClaim,
  planAddresses,
  setIp,
  setPort,
} from "../kinds/core/services/plan-addresses.ts";
import { type HeldAddresses, heldAddresses, isOnNodes, specOf } from "../kinds/core/services/service-traits.ts";
import type { Draft } from "../kinds/kind-rules.ts";
import type { PendingWrite, Reservation, Reserver } from "../resources/registry/reservations.ts";
import type { Write } from "../storage/storage.ts";
import { AllocationStore } from "./allocation-store.ts";

type ServiceDraft = Draft<corev1.Service> & { spec: Draft<corev1.ServiceSpec> };

/** After so many that were taken, others get their turn. */
const searchBatch = 1024;

export const serviceAddresses: Reserver = {
  name: "ServiceAddresses",
  async plan(write) {
    if (!isOfService(write)) return undefined;
    const { draft } = write;
    if (draft === undefined || write.context.subresource !== undefined) return keptOrGivenBack(write);
    return await planned(write, serviceDraft(draft));
  },
};

/** Puts on the draft what it asks for. */
async function planned(write: PendingWrite, draft: ServiceDraft): Promise<Reservation> {
  const store = new AllocationStore(write.context);
  const old = write.old === undefined ? undefined : specOf(write.old as corev1.Service);
  const { families } = await store.ranges();
  if (old !== undefined) keepAddresses(draft.spec, old);
  matchClusterIps(draft.spec, old);
  const faults = settleFamilies(draft.spec, old, families);
  if (faults.length > 0) throw invalidService(draft, faults);
  if (old !== undefined && isOnNodes(draft.spec)) refuseRepeated(draft);
  const plan = planAddresses(draft.spec, old);
  await allocate(write, draft, plan);
  const held = heldAddresses(old ?? {});
  return {
    async writes() {
      if (write.isDryRun) return [];
      if (endsHere(write)) return await giveBackAll(write, held, store);
      // Somebody may have been quicker since then.
      const isLost = !(await areFree(without(heldAddresses(draft.spec), held), store));
      if (isLost) await allocate(write, draft, plan);
      const wanted = heldAddresses(draft.spec);
      const { ips, ports } = without(wanted, held);
      return [
        ...(await giveBack(without(held, wanted), store)),
        ...ips.map((ip) => store.takeIp(ip, draft)),
        ...ports.map((port) => store.takePort(port)),
      ];
    },
  };
}

/** Of a service that is deleted, or written through a subresource, which changes none of its addresses. */
function keptOrGivenBack(write: PendingWrite): Reservation {
  const held = heldAddresses(write.old === undefined ? {} : specOf(write.old as corev1.Service));
  const isGone = write.draft === undefined || endsHere(write);
  return {
    async writes() {
      return write.isDryRun || !isGone ? [] : await giveBackAll(write, held, new AllocationStore(write.context));
    },
  };
}

const isOfService = ({ context }: PendingWrite) => context.served.collection === "services";

function serviceDraft(draft: NonNullable<PendingWrite["draft"]>): ServiceDraft {
  const service = draft as unknown as Draft<corev1.Service>;
  service.spec ??= {};
  return service as ServiceDraft;
}

/** Its last finalizer goes with this write, and it with that. */
function endsHere({ draft, old }: PendingWrite): boolean {
  if (old?.metadata.deletionTimestamp === undefined || draft === undefined) return false;
  return (draft.metadata.finalizers ?? []).length === 0 && (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** A number under one protocol twice: not the service's fault to a real server, but its own. */
function refuseRepeated({ spec }: ServiceDraft): void {
  const repeated = findRepeatedNodePort(spec);
  if (repeated === undefined) return;
  throw newStatusError({ code: 500, reason: "", message: `duplicate nodePort: ${repeated}` });
}

/** Finds everything the plan asks for and puts it on the draft. */
async function allocate(write: PendingWrite, draft: ServiceDraft, plan: AddressPlan): Promise<void> {
  const store = new AllocationStore(write.context);
  for (const claim of plan.ips) setIp(draft.spec, claim, await allocateIp(write, draft, claim, store));
  const taken = new Set<number>();
  for (const claim of plan.ports) {
    const port = await allocatePort(write, draft, claim, taken, store);
    taken.add(port);
    setPort(draft.spec, claim, port);
  }
}

async function allocateIp(
  write: PendingWrite,
  draft: ServiceDraft,
  { family, asked }: IpClaim,
  store: AllocationStore,
): Promise<string> {
  const { ranges } = await store.ranges();
  const own = ranges.filter((range) => range.family === family);
  const [first] = own;
  if (asked === undefined) {
    if (write.isDryRun && first !== undefined) return first.base;
    for (const range of own) {
      const free = await findFree(write, addressesToTry(range, write.context.server.random), (ip) =>
        store.isIpTaken(ip),
      );
      if (free !== undefined) return free;
    }
    throw ipError(draft, undefined, isFull);
  }
  if (write.isDryRun) {
    // Whether it is taken is not looked at.
    if (first !== undefined && isInRange(first, asked)) return asked;
    throw ipError(draft, asked, ipIsNotIn(canonicalIp(asked), first?.text ?? ""));
  }
  if (!own.some((range) => isInRange(range, asked))) throw ipError(draft, asked, ipIsElsewhere);
  if (await store.isIpTaken(asked)) throw ipError(draft, asked, ipIsTaken);
  return asked;
}

async function allocatePort(
  write: PendingWrite,
  draft: ServiceDraft,
  claim: PortClaim,
  taken: ReadonlySet<number>,
  store: AllocationStore,
): Promise<number> {
  const { asked } = claim;
  const isTaken = async (port: number) => taken.has(port) || (await store.isPortTaken(port));
  if (asked === undefined) {
    if (write.isDryRun) return placeholderPort(taken);
    const free = await findFree(write, nodePortsToTry(write.context.server.random), isTaken);
    if (free === undefined) throw portError(draft, claim, isFull);
    return free;
  }
  // A dry run does not look at the range.
  if (!write.isDryRun && !isNodePort(asked)) throw portError(draft, claim, portIsElsewhere);
  if (await isTaken(asked)) throw portError(draft, claim, portIsTaken);
  return asked;
}

async function findFree<T>(
  { context }: PendingWrite,
  candidates: Iterable<T>,
  isTaken: (candidate: T) => Promise<boolean>,
): Promise<T | undefined> {
  let tried = 0;
  for (const candidate of candidates) {
    if (!(await isTaken(candidate))) return candidate;
    if (++tried % searchBatch === 0) await context.server.clock.yield();
    context.signal.throwIfAborted();
  }
  return undefined;
}

function without(held: HeldAddresses, others: HeldAddresses): HeldAddresses {
  const ips = new Set(others.ips.map(canonicalIp));
  const ports = new Set(others.ports);
  return {
    ips: held.ips.filter((ip) => !ips.has(canonicalIp(ip))),
    ports: held.ports.filter((port) => !ports.has(port)),
  };
}

async function areFree({ ips, ports }: HeldAddresses, store: AllocationStore): Promise<boolean> {
  for (const ip of ips) if (await store.isIpTaken(ip)) return false;
  for (const port of ports) if (await store.isPortTaken(port)) return false;
  return true;
}

async function giveBack({ ips, ports }: HeldAddresses, store: AllocationStore): Promise<readonly Write[]> {
  const writes: Write[] = [];
  for (const ip of ips) writes.push(...(await store.freeIp(ip)));
  for (const port of ports) writes.push(...(await store.freePort(port)));
  return writes;
}

/** With its addresses go the Endpoints of its name, so that nobody who takes the name finds them. */
async function giveBackAll(
  { old }: PendingWrite,
  held: HeldAddresses,
  store: AllocationStore,
): Promise<readonly Write[]> {
  return [...(await giveBack(held, store)), ...(old === undefined ? [] : await store.dropEndpoints(old))];
}
