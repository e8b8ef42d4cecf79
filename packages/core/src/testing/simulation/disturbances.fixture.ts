// What happens to a server, and to the way to it, while it is being written to: each under a name that coverage counts.
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
import type { FakeApiServer } from "../fake-server/index.ts";
import { chance, pick } from "./draw.fixture.ts";

export interface DisturbanceOptions {
  readonly random: Random;
  readonly theme: Theme;
  readonly onHit: (name: string) => void;
}

export class Disturbances {
  readonly #server: FakeApiServer;
  readonly #random: Random;
  readonly #theme: Theme;
  readonly #onHit: (name: string) => void;
  #outage: string | undefined;

  constructor(server: FakeApiServer, { random, theme, onHit }: DisturbanceOptions) {
    this.#server = server;
    this.#random = random;
    this.#theme = theme;
    this.#onHit = onHit;
  }

  /** The server's transport, while the way there is open. */
  readonly transport: Transport = async (request, signal) => {
    if (this.#outage === undefined) return await this.#server.transport(request, signal);
    const wasSent = this.#outage === "ConnectionRefused" ? "no" : "maybe";
    throw new TransportError("the server is down", { reason: this.#outage, wasSent });
  };

  /** Some troubles pass by themselves. */
  recover(): void {
    if (this.#outage !== undefined && chance(this.#random, 0.15)) this.#goDown(undefined);
    if (chance(this.#random, this.#theme === "servers behind" ? 0.01 : 0.08)) this.#server.resumeCache();
  }

  strike(): void {
    const name = pick(this.#random, choices[this.#theme]);
    this.#onHit(name);
    disturbances[name]({ server: this.#server, random: this.#random, fail: (reason) => this.#goDown(reason) });
  }

  /** Everything works from now on, as far as the server is concerned. */
  calm(): void {
    this.#outage = undefined;
    this.#server.resumeCache();
  }

  #goDown(reason: string | undefined): void {
    this.#outage = reason;
    if (reason !== undefined) this.#server.endWatches("reset");
  }
}

interface Scene {
  readonly server: FakeApiServer;
  readonly random: Random;
  readonly fail: (reason: string | undefined) => void;
}

const disturbances = {
  "history is compacted": ({ server }) => server.compact(),
  "history is compacted in part": ({ server, random }) => server.compact(server.revision - randomBelow(random, 30)),
  "watches end": ({ server }) => server.endWatches("end"),
  "watches break": ({ server }) => server.endWatches("reset"),
  "watches expire": ({ server }) => server.endWatches(newExpired("too old resource version")),
  "watches expire after compaction": ({ server }) => {
    server.compact();
    server.endWatches(newExpired("too old resource version"));
  },
  "watches end with 429": ({ server }) => server.endWatches(newTooManyRequests("busy")),
  "watches end with 500": ({ server }) => server.endWatches(newInternalError(new Error("boom"))),
  "watches end with 503": ({ server }) => server.endWatches(newServiceUnavailable("draining")),
  "watches end with 403": ({ server }) =>
    server.endWatches(newForbidden({ group: "", resource: "pods" }, "", { detail: "no longer" })),
  "cache falls behind": ({ server }) => server.pauseCache(),
  "another server is behind": ({ server, random }) => server.moveToServerBehind(1 + randomBelow(random, 30)),
  "another server is behind, and this one forgets": ({ server, random }) => {
    server.endWatches(newExpired("too old resource version"));
    server.moveToServerBehind(1 + randomBelow(random, 30));
  },
  "cache catches up": ({ server }) => server.resumeCache(),
  "server goes away": ({ fail }) => fail("ConnectionRefused"),
  "server breaks connections": ({ fail }) => fail("ConnectionReset"),
  "server comes back": ({ fail }) => fail(undefined),
  "server comes back elsewhere": ({ fail, server }) => {
    fail(undefined);
    server.resumeCache();
  },
  "server streams lists": ({ server }) => server.behave({ watchList: "supported", initialEndAfterMs: 0 }),
  "server streams lists slowly": ({ server }) => {
    server.behave({ watchList: "supported", initialEndAfterMs: 9_000 });
    // At once: most of what happens while a list is streamed can be seen only then.
    server.endWatches(newExpired("too old resource version"));
  },
  "server refuses to stream lists": ({ server }) => server.behave({ watchList: "refused" }),
  "server never ends streamed lists": ({ server }) => server.behave({ watchList: "ignored" }),
  "bookmarks come often": ({ server }) => server.behave({ bookmarkMs: 2_000 }),
  "bookmarks come rarely": ({ server }) => server.behave({ bookmarkMs: 600_000 }),
  "expiry is told by status": ({ server }) => server.behave({ expiredWatch: "answer" }),
  "expiry is told in the stream": ({ server }) => server.behave({ expiredWatch: "event" }),
  "lists come from the storage": ({ server }) => server.behave({ listsFrom: "storage" }),
  "lists come from the cache": ({ server }) => server.behave({ listsFrom: "cache" }),
} as const satisfies Record<string, (scene: Scene) => void>;

type DisturbanceName = keyof typeof disturbances;

/** What keeps happening in a seed: anything, or one kind of trouble that matters only when it comes back. */
export type Theme = "anything" | "outages" | "servers behind" | "internal errors";

const choices: Record<Theme, readonly DisturbanceName[]> = {
  anything: Object.keys(disturbances) as DisturbanceName[],
  outages: ["server goes away", "server breaks connections", "server comes back", "watches expire after compaction"],
  "servers behind": ["another server is behind, and this one forgets", "watches expire", "cache catches up"],
  "internal errors": ["watches end with 500", "watches break"],
};

/** All of them, for coverage. */
export const disturbanceNames: readonly string[] = Object.keys(disturbances);
