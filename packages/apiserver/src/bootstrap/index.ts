// `bootstrap`: what a server does by itself: the objects it begins with, and what it does by the clock.
import type { TaskScope } from "@kubeloop/core/base";
import type { ServerParts } from "../resources/request-scope.ts";
import { expireEvents } from "./event-expiry.ts";
import { createFirstObjects } from "./first-objects.ts";

/** Resolves when the server is as a fresh one is; goes on in the scope. */
export async function startBootstrap(server: ServerParts, scope: TaskScope): Promise<void> {
  await createFirstObjects(server, scope.signal);
  void scope.spawn((signal) => expireEvents(server.storage, server.clock, signal));
}
