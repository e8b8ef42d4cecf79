// `kubeloop apply`: client-side apply. Each object is created, patched or left alone, and said so; a failure does not keep the next from
// its turn.
import { isConflict, isNotFound, StatusError } from "@kubeloop/core/api";
import { isAborted } from "@kubeloop/core/base";
import type { WriteOptions } from "@kubeloop/core/client";
import { Failures } from "../failures.ts";
import { KubectlError, withSource } from "../kubectl-error.ts";
import { type PlacedManifest, placeManifest } from "../manifest-place.ts";
import { type Manifest, readManifests } from "../manifests.ts";
import { type AnyObject, kindName } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { printCompactJson } from "../print-json.ts";
import { objectsAt } from "../requests.ts";
import type { KubectlWorld } from "../world.ts";
import type { ApplyOptions } from "./apply-options.ts";
import { lastApplied, lastAppliedAnnotation, withLastApplied } from "./last-applied.ts";
import { type PatchAndBody, patchOf } from "./patch-of.ts";

type Outcome = "created" | "configured" | "unchanged";

/** So often somebody else may change the object meanwhile. */
const maxTries = 5;

export async function apply(
  options: ApplyOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Failures();
  const manifests = await readManifests(options.filenames, options.isRecursive, world, signal);
  if (manifests.length === 0) throw new KubectlError("no objects passed to apply");
  const placed: PlacedManifest[] = [];
  await each(manifests, async (manifest: Manifest) => {
    placed.push(await placeManifest(manifest, cluster, signal));
  });
  await each(placed, async (manifest: PlacedManifest) => {
    const outcome = await applyOne(manifest, options, cluster, world, signal);
    world.print(describe(manifest, outcome, options));
  });
  failures.throw();

  async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      try {
        await work(item);
      } catch (error) {
        if (isAborted(error, signal)) throw error;
        failures.add(error);
      }
    }
  }
}

async function applyOne(
  manifest: PlacedManifest,
  options: ApplyOptions,
  { client }: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<Outcome> {
  const { place, source } = manifest;
  const { generateName = "" } = manifest.object.metadata ?? {};
  if (place.name === "" && generateName !== "")
    throw new KubectlError(`from ${generateName}: cannot use generate name with apply`);
  const modified = withLastApplied(manifest.object);
  const objects = objectsAt(client, place);
  const write: WriteOptions = {
    fieldManager: "kubectl-client-side-apply",
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === "server",
  };

  const read = async (): Promise<AnyObject | undefined> => {
    try {
      return await objects.get(place.name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw withSource(
        error,
        `retrieving current configuration of:\n${describePlace(manifest)}\nfrom server for:`,
        source,
      );
    }
  };

  for (let left = maxTries; ; left--) {
    const current = await read();
    if (current === undefined) {
      if (options.dryRun !== "client")
        await failing("creating", () => objects.create(withoutNulls(modified), write, signal));
      return "created";
    }
    if (left === maxTries && lastApplied(current) === undefined) world.complain(missingAnnotation(manifest));
    const change = patchOf(modified, current, options.overwrites);
    const outcome = change === undefined ? "unchanged" : "configured";
    if (current.metadata.deletionTimestamp !== undefined)
      world.complain(`Warning: Detected changes to resource ${place.name} which is currently being deleted.\n`);
    if (change === undefined || options.dryRun === "client") return outcome;
    try {
      await objects.patch(place.name, change.patch, write, signal);
      return outcome;
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw refusedPatch(error, change, manifest);
    }
  }

  async function failing(verb: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      throw withSource(error, verb, source);
    }
  }
}

function refusedPatch(error: unknown, { body }: PatchAndBody, manifest: PlacedManifest): unknown {
  if (!(error instanceof StatusError)) return error;
  const what = `applying patch:\n${printCompactJson(body)}\nto:\n${describePlace(manifest)}\nfor:`;
  return withSource(withSource(error, "patching", manifest.source), what, manifest.source);
}

function describePlace({ place }: PlacedManifest): string {
  const { group, version, plural, kind } = place.resource;
  const versioned = `${group}/${version}`;
  const first = `Resource: "${versioned}, Resource=${plural}", GroupVersionKind: "${versioned}, Kind=${kind}"`;
  return `${first}\nName: "${place.name}", Namespace: "${place.namespace ?? ""}"`;
}

function describe({ place }: PlacedManifest, outcome: Outcome, { output, dryRun }: ApplyOptions): string {
  const name = `${kindName(place.resource)}/${place.name}`;
  if (output === "name") return `${name}\n`;
  return `${name} ${outcome}${{ none: "", client: " (dry run)", server: " (server dry run)" }[dryRun]}\n`;
}

function missingAnnotation({ place }: PlacedManifest): string {
  const name = `${place.resource.plural}/${place.name}`;
  return `Warning: resource ${name} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`;
}

/** A new object has nothing to remove. */
function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(pairs.map(([key, inner]) => [key, withoutNulls(inner)])) as T;
}
