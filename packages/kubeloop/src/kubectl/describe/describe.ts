// `kubeloop describe`: prints all that is known about objects, as kubectl does: the objects that are asked for, or, if a single name is
// not there, those whose names begin with it. Start with kinds.ts for what a kind's description is made of.
import { isNotFound } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import { Failures } from "../failures.ts";
import { KubectlError } from "../kubectl-error.ts";
import { placeManifest } from "../manifest-place.ts";
import { readManifests } from "../manifests.ts";
import type { AnyObject } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { listObjects, objectsAt } from "../requests.ts";
import { findTargets, type NamedPlace, type Targets } from "../targets.ts";
import type { KubectlWorld } from "../world.ts";
import type { DescribeOptions } from "./describe-options.ts";
import { describeObject } from "./kinds.ts";
import { Reading } from "./reading.ts";

/** Failures are thrown after everything else has been printed. */
export async function describe(
  options: DescribeOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Failures();
  const found = await findObjects(options, cluster, world, failures, signal);
  const isSingle = found.length <= 1 && failures.isEmpty;
  const { prefix, chunkSize, showEvents = isSingle } = options;
  const reading = new Reading(cluster.client, { showEvents, chunkSize }, signal);
  const missing = failures.only();
  if (prefix !== undefined && isNotFound(missing))
    return await describeMatching({ prefix, missing, options, reading }, cluster, world, signal);
  let isFirst = true;
  for (const read of found) {
    try {
      const text = await describeObject(await read(), reading, world.clock.now());
      world.print(isFirst ? text : `\n\n${text}`);
      isFirst = false;
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      failures.add(error);
    }
  }
  if (found.length === 0 && failures.isEmpty) {
    const where = options.selection.allNamespaces ? "" : ` in ${cluster.namespace} namespace.`;
    world.complain(`No resources found${where}\n`);
  }
  failures.throw();
}

/** An object that was read already, or is read only now: a manifest is not looked up before it is its turn. */
type Found = () => Promise<AnyObject>;

async function findObjects(
  options: DescribeOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  failures: Failures,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const { client } = cluster;
  if (options.asked.by === "nothing") {
    const manifests = await readManifests(options.filenames, options.isRecursive, world, signal);
    const places: NamedPlace[] = [];
    for (const manifest of manifests) places.push((await placeManifest(manifest, cluster, signal)).place);
    return places.map((place) => () => objectsAt(client, place).get(place.name, signal));
  }
  const targets = await findTargets(options.asked, options.selection, cluster, signal);
  const objects: AnyObject[] = [];
  for (const step of steps(targets, options, cluster, signal)) {
    try {
      objects.push(...(await step()));
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      failures.add(error);
    }
  }
  return objects.map((object) => async () => object);
}

function steps(
  targets: Targets,
  { selection, chunkSize }: DescribeOptions,
  { client }: OpenCluster,
  signal: AbortSignal,
): readonly (() => Promise<readonly AnyObject[]>)[] {
  if (targets.are === "objects")
    return targets.objects.map((place) => async () => [await objectsAt(client, place).get(place.name, signal)]);
  return targets.lists.map((place) => async () => {
    return (await listObjects(client, place, { ...selection, pageSize: chunkSize }, signal)).items;
  });
}

interface Matching {
  readonly prefix: string;
  /** What is said if nothing matches. */
  readonly missing: unknown;
  readonly options: DescribeOptions;
  readonly reading: Reading;
}

async function describeMatching(
  { prefix, missing, options, reading }: Matching,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const types = options.asked.by === "name" ? [...new Set(options.asked.objects.map(({ type }) => type))] : [];
  const isSlashed = prefix.includes("/");
  if (types.length > 1 && !isSlashed) throw new KubectlError("you may only specify a single resource type");
  if (isSlashed) throw missing;
  const selection = { ...options.selection, allNamespaces: false };
  const targets = await findTargets({ by: "type", types }, selection, cluster, signal);
  const lists = await Promise.all(steps(targets, { ...options, selection }, cluster, signal).map((step) => step()));
  const matching = lists.flat().filter(({ metadata }) => (metadata.name ?? "").startsWith(prefix));
  if (matching.length === 0) throw missing;
  for (const object of matching) world.print(`${await describeObject(object, reading, world.clock.now())}\n`);
}
