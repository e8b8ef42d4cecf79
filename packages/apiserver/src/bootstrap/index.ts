// `bootstrap`: what a server does by itself: the objects it begins with, and what it does by the clock.
//
// Promise: only a fresh server makes objects. One that goes on from another's state holds exactly that state.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { TaskScope } from "@kubeloop/core/base";
import type { ServerParts } from "../resources/request-scope.ts";
import { expireEvents } from "./event-expiry.ts";
import { createFirstObjects, createOwn } from "./first-objects.ts";

/** Resolves when the server is as a fresh one is; goes on in the scope. */
export async function startBootstrap(server: ServerParts, scope: TaskScope): Promise<void> {
  await createFirstObjects(server, scope.signal);
  startHousekeeping(server, scope);
}

/** What is done by the clock, as long as the scope lasts. */
export function startHousekeeping(server: ServerParts, scope: TaskScope): void {
  void scope.spawn((signal) => expireEvents(server.storage, server.clock, signal));
}

/**
 * Who serves beside this server (an aggregated API, a controller manager) learns from this object which authority vouches for clients. A
 * real server writes it when it starts; this one when it begins to listen.
 */
export async function publishClientAuthority(server: ServerParts, caPem: string, signal: AbortSignal): Promise<void> {
  const object = {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: { "client-ca-file": caPem },
  };
  await createOwn(server, object as KubernetesObject, signal);
}
