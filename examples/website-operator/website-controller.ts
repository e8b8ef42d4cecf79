// Keeps a Deployment, a Service and an Ingress for each Website, and has its host removed from DNS before the Website goes.
import {
  type appsv1,
  isConditionTrue,
  isControlledBy,
  type KubernetesObject,
  keyOf,
  type Resource,
} from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import type { Controller, Wanted } from "@kubeloop/core/contract";
import { deployments, ingresses, services } from "@kubeloop/core/resources";
import {
  defineController,
  ensure,
  ensureFinalizer,
  type ReconcileContext,
  releaseFinalizer,
  writeStatus,
} from "@kubeloop/core/runtime";
import type { Dns } from "./dns.ts";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { wantedDeployment, wantedIngress, wantedService } from "./website-children.ts";
import { formerHost, newStatus, withReady } from "./website-status.ts";

export const dnsFinalizer = "web.example.com/dns";

export function newWebsiteController(dns: Dns): Controller {
  return defineController<Website>({
    name: "website-operator",
    for: websites,
    owns: [deployments, services, ingresses],
    workers: 2,
    async reconcile({ key }, context) {
      const website = context.reader.get(websites, key);
      if (website === undefined) return;
      if (website.metadata.deletionTimestamp === undefined) await serve(website, dns, context);
      else await cleanUp(website, dns, context);
    },
  });
}

async function serve(cached: Website, dns: Dns, context: ReconcileContext): Promise<void> {
  // Before anything is made that only the finalizer would remove.
  const website = await ensureFinalizer(context, websites, cached, dnsFinalizer);
  const former = formerHost(website);
  if (former !== undefined) await removeHosts([former], website, dns, context);
  if (!website.spec.paused) await ensureChildren(website, context);
  const deployment = ownDeployment(website, context);
  const { object } = await writeStatus(context, websites, website, (draft) => {
    draft.status = newStatus(website, deployment, context.nowMs);
  });
  if (isReady(object) && !isReady(website))
    context.recorder.event(website, "Normal", "Ready", `serving ${object.status?.url}`);
}

/** What the Website owns goes with it, by its owner references. The DNS service knows nothing of those. */
async function cleanUp(website: Website, dns: Dns, context: ReconcileContext): Promise<void> {
  if (!website.metadata.finalizers?.includes(dnsFinalizer)) return;
  const former = formerHost(website);
  await removeHosts([website.spec.host, ...(former === undefined ? [] : [former])], website, dns, context);
  await releaseFinalizer(context, websites, website, dnsFinalizer);
}

/** Reports a failure and throws it: the key is tried again with backoff. */
async function removeHosts(
  hosts: readonly string[],
  website: Website,
  dns: Dns,
  context: ReconcileContext,
): Promise<void> {
  try {
    for (const host of hosts) await dns.remove(host, context.signal);
  } catch (error) {
    await refuse(website, "DnsRemovalFailed", error, context);
  }
  context.recorder.event(website, "Normal", "DnsRemoved", `removed ${hosts.join(", ")}`);
}

async function ensureChildren(website: Website, context: ReconcileContext): Promise<void> {
  await ensureChild(deployments, wantedDeployment(website), website, context);
  await ensureChild(services, wantedService(website), website, context);
  await ensureChild(ingresses, wantedIngress(website), website, context);
}

/** What has the same name and is not ours is left alone. */
async function ensureChild<T extends KubernetesObject>(
  resource: Resource<T>,
  wanted: Wanted<T>,
  website: Website,
  context: ReconcileContext,
): Promise<void> {
  const there = context.reader.get(resource, keyOf(website));
  if (there !== undefined && !isControlledBy(there, website)) {
    const message = `${resource.singular} ${keyOf(website)} is there and belongs to somebody else`;
    await refuse(website, "NotOwned", new KubeloopError(message, { reason: "NotOwned" }), context);
  }
  const { result } = await ensure(context, resource, wanted, { owner: website });
  if (result === "created") context.recorder.event(website, "Normal", "Created", `created the ${resource.singular}`);
  if (result === "updated") context.recorder.event(website, "Normal", "Updated", `updated the ${resource.singular}`);
}

/** Tells people why it is not ready, then throws. */
async function refuse(website: Website, reason: string, error: unknown, context: ReconcileContext): Promise<never> {
  context.signal.throwIfAborted(); // stopping is no failure
  const message = error instanceof Error ? error.message : String(error);
  context.recorder.event(website, "Warning", reason, message);
  await writeStatus(context, websites, website, (draft) => {
    draft.status = withReady(website, { status: "False", reason, message }, context.nowMs);
  });
  throw error;
}

function ownDeployment(website: Website, context: ReconcileContext): appsv1.Deployment | undefined {
  const there = context.reader.get(deployments, keyOf(website));
  return there !== undefined && isControlledBy(there, website) ? there : undefined;
}

function isReady({ status }: Website): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}
