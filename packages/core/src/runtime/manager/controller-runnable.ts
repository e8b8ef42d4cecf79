// A controller's driver as a runnable. If one of its caches does not sync, or no longer receives events, only this controller is affected: it
// waits, `/readyz` names the cache and the reason, and the other controllers continue.
import { deferred, onAbort } from "../../base/index.ts";
import type { Controller } from "../../contract/index.ts";
import {
  type MetadataSharedInformerFactory,
  ObjectOrMetadataInformerFactory,
  type SharedInformerFactory,
} from "../../informer/index.ts";
import { scopeIdOf } from "../controller-caches.ts";
import type { ControllerDriver } from "../controller-driver.ts";
import type { Placement, Runnable } from "./runnable.ts";

export function controllerRunnable<M>(driver: ControllerDriver<M>, placement: Placement): Runnable {
  return {
    ...placement,
    name: driver.name,
    run: (signal) => driver.run(signal),
    findFault() {
      if (driver.state === "new" || driver.state === "ended") return undefined;
      const unsynced = driver.unsynced().map(({ name, reason }) => `${name}: ${reason}`);
      if (unsynced.length > 0) return `caches are not what the server has: ${unsynced.join("; ")}`;
      return driver.state === "syncing" ? "has not started to work yet" : undefined;
    },
  };
}

/**
 * Keeps the shared informers of a controller synced in replicas that do not lead, so that a new leader starts immediately. This costs the
 * memory and the watches of these informers in each replica. Informers with a namespace or selectors are not kept synced.
 */
export function warmUpRunnable<M>(
  controller: Controller<M>,
  informers: SharedInformerFactory,
  metadata: MetadataSharedInformerFactory,
): Runnable {
  return {
    name: `${controller.name}.warm-up`,
    group: "always",
    async run(signal) {
      const watches = controller.followsDiscovery ? [] : controller.watchesFor(undefined);
      const shared = watches.filter((watch) => scopeIdOf(watch).trim() === "");
      const either = new ObjectOrMetadataInformerFactory(informers, metadata);
      // Whole objects first: a watch of metadata only then shares the informer for whole objects, as it will in the controller itself.
      const held = shared
        .toSorted((a, b) => Number(a.metadataOnly === true) - Number(b.metadataOnly === true))
        .map(({ resource, metadataOnly }) => (metadataOnly ? either.acquire(resource) : informers.acquire(resource)));
      const end = deferred();
      using _ending = onAbort(signal, () => end.resolve());
      await end.promise;
      await Promise.all(held.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
