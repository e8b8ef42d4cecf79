// `kubeloop wait`: one object after the other, until each is as it should be or the time is over.
import { isNotFound, newNotFound } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import { Failures } from "../failures.ts";
import { KubectlError } from "../kubectl-error.ts";
import { placeManifest } from "../manifest-place.ts";
import { readManifests } from "../manifests.ts";
import { kindName } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { listObjects, objectsAt } from "../requests.ts";
import { findTargets, type NamedPlace } from "../targets.ts";
import { untilObject, withinTime } from "../until-object.ts";
import type { KubectlWorld } from "../world.ts";
import { type Condition, isMet } from "./condition.ts";
import type { WaitOptions } from "./wait-options.ts";

export async function wait(
  options: WaitOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const isFor = (what: Condition["is"]) => options.conditions.some(({ is }) => is === what);
  const endsAtMs = world.clock.monotonic() + options.timeoutMs;
  const leftMs = () => Math.max(1, endsAtMs - world.clock.monotonic());
  const failures = new Failures();
  const places = await findPlaces(options, cluster, world, signal);
  let count = 0;
  for (const place of places) {
    try {
      if (!isFor("create") && !(await isThere(place, cluster, isFor("delete"), signal))) continue;
      count++;
      for (const condition of options.conditions) {
        await waitFor(condition, place, options.timeoutMs === 0 ? 0 : leftMs(), cluster, world, signal);
        const name = `${kindName(place.resource)}/${place.name}`;
        world.print(options.output === "name" ? `${name}\n` : `${name} condition met\n`);
      }
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      failures.add(error);
    }
  }
  failures.throw();
  if (count === 0 && !isFor("delete")) throw new KubectlError("no matching resources found");
}

async function findPlaces(
  options: WaitOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<readonly NamedPlace[]> {
  const { asked, selection } = options;
  const places: NamedPlace[] = [];
  if (asked.by === "nothing") {
    for (const manifest of await readManifests(options.filenames, options.isRecursive, world, signal))
      places.push((await placeManifest(manifest, cluster, signal)).place);
    return places;
  }
  const targets = await findTargets(asked, selection, cluster, signal);
  if (targets.are === "objects") return targets.objects;
  for (const { resource, namespace } of targets.lists) {
    const { items } = await listObjects(cluster.client, { resource, namespace }, selection, signal);
    for (const { metadata } of items)
      places.push({ resource, namespace: metadata.namespace, name: metadata.name ?? "" });
  }
  return places;
}

/** What is to be deleted and is not there is nothing to wait for. */
async function isThere(
  place: NamedPlace,
  { client }: OpenCluster,
  mayBeGone: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await objectsAt(client, place).get(place.name, signal);
    return true;
  } catch (error) {
    if (mayBeGone && isNotFound(error)) return false;
    throw error;
  }
}

async function waitFor(
  condition: Condition,
  place: NamedPlace,
  timeoutMs: number,
  { client }: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const { resource, name } = place;
  const what = `${resource.plural}/${name}`;
  if (timeoutMs === 0) {
    const object = await objectsAt(client, place)
      .get(name, signal)
      .catch((error: unknown) => {
        if (condition.is === "delete" && isNotFound(error)) return undefined;
        throw error;
      });
    if (isMet(condition, object)) return;
    throw new KubectlError(`condition not met for ${what}`);
  }
  const mustExist = condition.is !== "delete" && condition.is !== "create";
  const check = (object: Parameters<typeof isMet>[1], isFirst: boolean) => {
    if (object === undefined && isFirst && mustExist)
      throw newNotFound({ group: resource.group, resource: resource.plural }, name);
    return isMet(condition, object);
  };
  const follow = (limited: AbortSignal) => untilObject({ client, clock: world.clock }, place, check, limited);
  // Who waits for an object to be made has no object to name.
  const named = condition.is === "create" ? undefined : what;
  await withinTime({ timeoutMs, clock: world.clock, what: named }, follow, signal);
}
