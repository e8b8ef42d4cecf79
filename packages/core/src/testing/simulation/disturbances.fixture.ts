// Disturbances of a server, and of the connection to it, while clients write to it. Coverage counts them by name.
import {
  newExpired,
  newForbidden,
  newInternalError,
  newServiceUnavailable,
  newTooManyRequests,
  type Transport,
  TransportError,
} from "../../api/index.ts";
import { type Random, randomBelow } from "../../base/index.ts";
import type { ServerBehaviour } from "../fake-server/index.ts";
import { chance, pick } from "./draw.fixture.ts";
import type { SimulatedServer } from "./simulated-server.fixture.ts";

export interface DisturbanceOptions {
  readonly random: Random;
  readonly theme: Theme;
  readonly onHit: (name: string) => void;
}

export class Disturbances {
  readonly #server: SimulatedServer;
  readonly #random: Random;
  readonly #theme: Theme;
  readonly #choices: readonly DisturbanceName[];
  readonly #onHit: (name: string) => void;
  #outage: string | undefined;

  constructor(server: SimulatedServer, { random, theme, onHit }: DisturbanceOptions) {
    this.#server = server;
    this.#random = random;
    this.#theme = theme;
    this.#onHit = onHit;
    this.#choices = choices[theme].filter((name) => isPossible(name, server));
  }

  /** The transport of the server. During an outage it throws. */
  readonly transport: Transport = async (request, signal) => {
    if (this.#outage === undefined) return await this.#server.transport(request, signal);
    const wasSent = this.#outage === "ConnectionRefused" ? "no" : "maybe";
    throw new TransportError("the server is down", { reason: this.#outage, wasSent });
  };

  /** Ends an outage, or lets the cache catch up, with some probability. */
  recover(): void {
    if (this.#outage !== undefined && chance(this.#random, 0.15)) this.#goDown(undefined);
    if (chance(this.#random, this.#theme === "servers behind" ? 0.01 : 0.08)) this.#server.catchUp();
  }

  async strike(): Promise<void> {
    const name = pick(this.#random, this.#choices);
    this.#onHit(name);
    const { strike }: Disturbance = disturbances[name];
    await strike({ server: this.#server, random: this.#random, fail: (reason) => this.#goDown(reason) });
  }

  /** Ends the outage and lets the cache catch up. */
  calm(): void {
    this.#outage = undefined;
    this.#server.catchUp();
  }

  #goDown(reason: string | undefined): void {
    this.#outage = reason;
    if (reason !== undefined) this.#server.endWatches("reset");
  }
}

interface Scene {
  readonly server: SimulatedServer;
  readonly random: Random;
  readonly fail: (reason: string | undefined) => void;
}

interface Disturbance {
  /** The optional method of the server that this disturbance needs. */
  readonly needs?: "behave" | "moveToServerBehind" | "restart";
  strike(scene: Scene): void | Promise<void>;
}

const tooOld = () => newExpired("too old resource version");

const disturbances = {
  "history is compacted": { strike: ({ server }) => server.compact() },
  "history is compacted in part": {
    strike: ({ server, random }) => server.compact(server.revision - randomBelow(random, 30)),
  },
  "watches end": { strike: ({ server }) => server.endWatches("end") },
  "watches break": { strike: ({ server }) => server.endWatches("reset") },
  "watches expire": { strike: ({ server }) => server.endWatches(tooOld()) },
  "watches expire after compaction": {
    async strike({ server }) {
      await server.compact();
      server.endWatches(tooOld());
    },
  },
  "watches end with 429": { strike: ({ server }) => server.endWatches(newTooManyRequests("busy")) },
  "watches end with 500": { strike: ({ server }) => server.endWatches(newInternalError(new Error("boom"))) },
  "watches end with 503": { strike: ({ server }) => server.endWatches(newServiceUnavailable("draining")) },
  "watches end with 403": {
    strike: ({ server }) =>
      server.endWatches(newForbidden({ group: "", resource: "pods" }, "", { detail: "no longer" })),
  },
  "cache falls behind": { strike: ({ server }) => server.fallBehind() },
  "another server is behind": {
    needs: "moveToServerBehind",
    strike: ({ server, random }) => server.moveToServerBehind?.(1 + randomBelow(random, 30)),
  },
  "another server is behind, and this one forgets": {
    needs: "moveToServerBehind",
    strike({ server, random }) {
      server.endWatches(tooOld());
      server.moveToServerBehind?.(1 + randomBelow(random, 30));
    },
  },
  "cache catches up": { strike: ({ server }) => server.catchUp() },
  "server goes away": { strike: ({ fail }) => fail("ConnectionRefused") },
  "server breaks connections": { strike: ({ fail }) => fail("ConnectionReset") },
  "server comes back": { strike: ({ fail }) => fail(undefined) },
  "server comes back elsewhere": {
    strike({ fail, server }) {
      fail(undefined);
      server.catchUp();
    },
  },
  "server streams lists": behaving({ watchList: "supported", initialEndAfterMs: 0 }),
  "server streams lists slowly": {
    needs: "behave",
    strike({ server }) {
      server.behave?.({ watchList: "supported", initialEndAfterMs: 9_000 });
      // The watches end immediately, so that lists are streamed now. Most faults of streamed lists occur only then.
      server.endWatches(tooOld());
    },
  },
  "server refuses to stream lists": behaving({ watchList: "refused" }),
  "server never ends streamed lists": behaving({ watchList: "ignored" }),
  "bookmarks come often": behaving({ bookmarkMs: 2_000 }),
  "bookmarks come rarely": behaving({ bookmarkMs: 600_000 }),
  "expiry is told by status": behaving({ expiredWatch: "answer" }),
  "expiry is told in the stream": behaving({ expiredWatch: "event" }),
  "lists come from the storage": behaving({ listsFrom: "storage" }),
  "lists come from the cache": behaving({ listsFrom: "cache" }),
  "server is restarted": { needs: "restart", strike: ({ server }) => server.restart?.() },
} as const satisfies Record<string, Disturbance>;

function behaving(behaviour: Partial<ServerBehaviour>): Disturbance {
  return { needs: "behave", strike: ({ server }) => server.behave?.(behaviour) };
}

type DisturbanceName = keyof typeof disturbances;

function isPossible(name: DisturbanceName, server: SimulatedServer): boolean {
  const { needs }: Disturbance = disturbances[name];
  return needs === undefined || server[needs] !== undefined;
}

/** The disturbances of a seed: all of them, or one kind that has an effect only if it occurs repeatedly. */
export type Theme = "anything" | "outages" | "servers behind" | "internal errors";

const choices: Record<Theme, readonly DisturbanceName[]> = {
  anything: Object.keys(disturbances) as DisturbanceName[],
  outages: ["server goes away", "server breaks connections", "server comes back", "watches expire after compaction"],
  "servers behind": ["another server is behind, and this one forgets", "watches expire", "cache catches up"],
  "internal errors": ["watches end with 500", "watches break"],
};

/** The names of all disturbances, for coverage. */
export const disturbanceNames: readonly string[] = Object.keys(disturbances);
