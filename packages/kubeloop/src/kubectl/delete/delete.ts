// `kubeloop delete`: one object after the other, each said when the server has taken the delete, and then until all of them are gone.
import { isForbidden, isMethodNotSupported, isNotFound } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import { Failures } from "../failures.ts";
import { withSource } from "../kubectl-error.ts";
import { placeManifest } from "../manifest-place.ts";
import { readManifests } from "../manifests.ts";
import { kindName } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { listObjects, objectsAt } from "../requests.ts";
import { findTargets, type NamedPlace } from "../targets.ts";
import { untilObject, withinTime } from "../until-object.ts";
import type { KubectlWorld } from "../world.ts";
import type { DeleteOptions } from "./delete-options.ts";

interface Doomed extends NamedPlace {
  readonly source?: string;
}

const weekMs = 7 * 24 * 3_600_000;

export async function deleteObjects(
  options: DeleteOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  if (options.isForced) world.complain(`Warning: ${forceWarning}\n`);
  const failures = new Failures();
  const doomed = await findDoomed(options, cluster, world, failures, signal);
  warnOfScope(doomed, options, cluster, world);
  const deleted: { readonly place: Doomed; readonly uid: string | undefined }[] = [];
  for (const place of doomed) {
    try {
      const uid = options.dryRun === "client" ? undefined : await deleteOne(place, options, cluster, signal);
      world.print(describeDeletion(place, options));
      deleted.push({ place, uid });
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      if (!(options.ignoresNotFound && isNotFound(error)))
        failures.add(place.source === undefined ? error : withSource(error, "deleting", place.source));
    }
  }
  failures.throw();
  if (doomed.length === 0) world.print("No resources found\n");
  if (!options.waits || options.dryRun !== "none") return;
  for (const { place, uid } of deleted) await untilGone(place, uid, options, cluster, world, signal);
}

async function findDoomed(
  options: DeleteOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  failures: Failures,
  signal: AbortSignal,
): Promise<readonly Doomed[]> {
  if (options.asked.by === "nothing") {
    const manifests = await readManifests(options.filenames, options.isRecursive, world, signal);
    const doomed: Doomed[] = [];
    for (const manifest of manifests) {
      const { place, source } = await placeManifest(manifest, cluster, signal);
      doomed.push({ ...place, source });
    }
    return doomed;
  }
  const targets = await findTargets(options.asked, options.selection, cluster, signal);
  if (targets.are === "objects") return targets.objects;
  const doomed: Doomed[] = [];
  for (const place of targets.lists) {
    try {
      const { items } = await listObjects(cluster.client, place, options.selection, signal);
      for (const { metadata } of items)
        doomed.push({ resource: place.resource, namespace: metadata.namespace, name: metadata.name ?? "" });
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      failures.add(error);
    }
  }
  return doomed;
}

/** Who names a namespace may not expect that something outside of it goes. */
function warnOfScope(
  doomed: readonly Doomed[],
  options: DeleteOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
): void {
  const isScoped = cluster.isNamespaceGiven && !options.selection.allNamespaces;
  if (!isScoped || doomed.every(({ resource }) => resource.namespaced)) return;
  world.complain("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n");
}

/** Returns the uid of what goes, if the server says it. */
async function deleteOne(
  place: Doomed,
  options: DeleteOptions,
  { client }: OpenCluster,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { gracePeriodSeconds, propagationPolicy } = options;
  const answer = await objectsAt(client, place).delete(
    place.name,
    {
      propagationPolicy,
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(options.dryRun === "server" ? { dryRun: true } : {}),
    },
    signal,
  );
  if ("details" in answer && answer.kind === "Status")
    return (answer.details as { readonly uid?: string } | undefined)?.uid;
  return (answer.metadata as { readonly uid?: string } | undefined)?.uid;
}

function describeDeletion({ resource, namespace, name }: Doomed, options: DeleteOptions): string {
  const kind = kindName(resource);
  if (options.output === "name") return `${kind}/${name}\n`;
  const what = options.gracePeriodSeconds === 0 ? "force deleted" : "deleted";
  const where = namespace === undefined ? "" : ` from ${namespace} namespace`;
  const how = { none: "", client: " (dry run)", server: " (server dry run)" }[options.dryRun];
  return `${kind} "${name}" ${what}${where}${how}\n`;
}

async function untilGone(
  place: Doomed,
  uid: string | undefined,
  options: DeleteOptions,
  { client }: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const what = `${place.resource.plural}/${place.name}`;
  const timeoutMs = options.timeoutMs === 0 ? weekMs : options.timeoutMs;
  // Another object of the same name may have taken its place.
  const isGone = (seen: { readonly metadata: { readonly uid?: string } } | undefined) =>
    seen === undefined || (uid !== undefined && seen.metadata.uid !== uid);
  try {
    const wait = (limited: AbortSignal) => untilObject({ client, clock: world.clock }, place, isGone, limited);
    await withinTime({ timeoutMs, clock: world.clock, what }, wait, signal);
  } catch (error) {
    if (!isForbidden(error) && !isMethodNotSupported(error)) throw error;
  }
}

const forceWarning =
  "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.";
