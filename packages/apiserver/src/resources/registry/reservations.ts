// What a write takes beside its own object: addresses and ports for a service, a share of a quota. A reservation is planned once a write, before
// the object is prepared, and comes down to further writes that happen together with the object's or not at all. So nothing is ever held for a
// write that fails, and nothing is given back twice.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Operation } from "../../admission/attributes.ts";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { Write } from "../../storage/storage.ts";
import type { WriteContext } from "./write-context.ts";

export interface PendingWrite {
  readonly context: WriteContext;
  readonly operation: Exclude<Operation, "CONNECT">;
  /** Undefined on delete. */
  readonly draft: Draft<KubernetesObject> | undefined;
  /** Undefined on create. */
  readonly old: KubernetesObject | undefined;
  readonly isDryRun: boolean;
}

export interface Reserver {
  readonly name: string;
  /** Chooses what the object is to have and puts it on the draft. Throws a StatusError to refuse; undefined where nothing is to be reserved. */
  plan(write: PendingWrite): Promise<Reservation | undefined>;
}

export interface Reservation {
  /** What is to be written with the object, as things are now. Asked again whenever somebody else was quicker; may change the draft then. */
  writes(): Promise<readonly Write[]>;
}

/** All reservations of a write together. */
export async function planReservations(write: PendingWrite): Promise<Reservation> {
  const planned: Reservation[] = [];
  for (const reserver of write.context.server.reservers) {
    const reservation = await reserver.plan(write);
    if (reservation !== undefined) planned.push(reservation);
  }
  return {
    async writes() {
      const all: Write[] = [];
      for (const reservation of planned) all.push(...(await reservation.writes()));
      return all;
    },
  };
}
