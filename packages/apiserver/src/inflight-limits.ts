// How many requests are in flight at most, as kube-apiserver's `--max-requests-inflight` and `--max-mutating-requests-inflight` have it: who comes
// on top of that is refused with 429 and asked to come back in a second. Long-running requests (watches, logs, connections) do not count.
//
// Administrators (system:masters) and health probes are never refused, though they count, as upstream's `exempt` priority level has it.
import type { RequestInfo } from "@kubeloop/core/api";
import { mastersGroup } from "./authentication/users.ts";
import type { RequestUser } from "./kinds/kind-rules.ts";

export interface InflightOptions {
  /** `--max-requests-inflight`. Default: 400. */
  readonly readOnly?: number;
  /** `--max-mutating-requests-inflight`. Default: 200. */
  readonly mutating?: number;
}

const readOnlyVerbs = new Set(["get", "list", "watch"]);

export class InflightLimits {
  readonly #limits: { readonly readOnly: number; readonly mutating: number };
  readonly #inFlight = { readOnly: 0, mutating: 0 };

  constructor({ readOnly = 400, mutating = 200 }: InflightOptions = {}) {
    this.#limits = { readOnly, mutating };
  }

  /** How many are in flight now. */
  get inFlight(): { readonly readOnly: number; readonly mutating: number } {
    return { ...this.#inFlight };
  }

  /** Returns what ends the request; undefined for a request that is refused. */
  begin(info: RequestInfo, user: RequestUser): Disposable | undefined {
    const kind = readOnlyVerbs.has(info.verb) ? "readOnly" : "mutating";
    if (this.#inFlight[kind] >= this.#limits[kind] && !isExempt(info, user)) return undefined;
    this.#inFlight[kind]++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#inFlight[kind]--;
      },
    };
  }
}

function isExempt({ path }: RequestInfo, { groups }: RequestUser): boolean {
  return groups.includes(mastersGroup) || /^\/(?:healthz|livez|readyz)(?:\/|$)/.test(path);
}
