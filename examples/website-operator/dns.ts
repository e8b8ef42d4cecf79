// The DNS service, as far as the operator needs it. Tests bring one of their own.
import type { Log } from "@kubeloop/core/base";

export interface Dns {
  /** Removes the records of a host. Removing what is not there is no error: the operator may ask twice. */
  remove(host: string, signal: AbortSignal): Promise<void>;
}

/** Stands for a real one: it writes to the log what it would do. */
export function loggedDns(log: Log): Dns {
  return {
    async remove(host) {
      log.info("would remove the records of a host", { host });
    },
  };
}
