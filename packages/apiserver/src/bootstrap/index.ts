// `bootstrap`: what a server does by itself: the objects it begins with, what it does by the clock, and (serving-objects.ts,
// loaded only then) what it says of itself while it listens.
//
// Promise: only a fresh server makes objects. One that goes on from another's state holds exactly that state, until it listens.
import type { TaskScope } from "@kubeloop/core/base";
import type { ServerParts } from "../resources/registry/write-context.ts";
import { expireEvents } from "./event-expiry.ts";
import { createFirstObjects } from "./first-objects.ts";

/** Resolves when the server is as a fresh one is; goes on in the scope. */
export async function startBootstrap(server: ServerParts, scope: TaskScope): Promise<void> {
  await createFirstObjects(server, scope.signal);
  startHousekeeping(server, scope);
}

/** What is done by the clock, as long as the scope lasts. */
export function startHousekeeping(server: ServerParts, scope: TaskScope): void {
  void scope.spawn((signal) => expireEvents(server.storage, server.clock, signal));
}
