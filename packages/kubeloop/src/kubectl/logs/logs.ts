// `kubeloop logs`: of one container, of all of a pod, of a pod that stands for its Deployment, or of all pods with some labels. Several
// are printed one after the other, and side by side when they are followed.
import { type corev1, fromLabelSelector, isNotFound, printSelector, selectorFromLabels } from "@kubeloop/core/api";
import { runTogether } from "@kubeloop/core/base";
import { pods } from "@kubeloop/core/resources";
import { findType } from "../find-types.ts";
import { KubectlError } from "../kubectl-error.ts";
import type { AnyObject } from "../object-printer.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { objectsAt } from "../requests.ts";
import { askedObjects } from "../resource-args.ts";
import type { KubectlWorld } from "../world.ts";
import { containersOf, requireContainer, sortForLogs } from "./choose-pod.ts";
import { type LogSource, logText, prefixed } from "./log-text.ts";
import type { LogsOptions } from "./logs-options.ts";

export async function logs(
  options: LogsOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const sources = sourcesOf(await findPods(options, cluster, world, signal), options, world);
  const print = async (source: LogSource, each: AbortSignal) => await printLog(source, options, cluster, world, each);
  if (options.log.follow !== true || sources.length < 2) {
    for (const source of sources) await print(source, signal);
    return;
  }
  if (sources.length > options.mostStreams) {
    const limit = `maximum allowed concurrency is ${options.mostStreams}`;
    throw new KubectlError(
      `you are attempting to follow ${sources.length} log streams, but ${limit}, use --max-log-requests to increase the limit`,
    );
  }
  const followed = sources.map((source) => (each: AbortSignal) => print(source, each));
  try {
    // If one fails, the others end.
    await runTogether(signal, followed);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

async function findPods(
  options: LogsOptions,
  cluster: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<readonly corev1.Pod[]> {
  if (options.of === undefined) {
    const found = await podsWith(options.labelSelector ?? "", cluster.namespace, cluster, signal);
    if (found.length === 0) world.complain(`No resources found in ${cluster.namespace} namespace.\n`);
    return found;
  }
  const object = await readNamed(options.of, cluster, signal);
  if (object.kind === "Pod") return [object as unknown as corev1.Pod];
  const { namespace = cluster.namespace } = object.metadata;
  const found = sortForLogs(await podsWith(podSelectorOf(object), namespace, cluster, signal));
  const [first] = found;
  if (first === undefined) throw new KubectlError("timed out waiting for the condition");
  if (options.allPods) return found;
  if (found.length > 1) world.complain(`Found ${found.length} pods, using pod/${first.metadata.name}\n`);
  return [first];
}

async function readNamed(of: string, cluster: OpenCluster, signal: AbortSignal): Promise<AnyObject> {
  const asked = askedObjects([of.includes("/") ? of : `pods/${of}`]);
  const [object] = asked.by === "name" ? asked.objects : [];
  if (object === undefined) throw new KubectlError("expected a resource");
  const resource = await findType(cluster.client, object.type, signal);
  const namespace = resource.namespaced ? cluster.namespace : undefined;
  try {
    return await objectsAt(cluster.client, { resource, namespace }).get(object.name, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { message } = error as Error;
    throw new KubectlError(
      `error from server (NotFound): ${message} in namespace ${JSON.stringify(cluster.namespace)}`,
    );
  }
}

async function podsWith(
  labelSelector: string,
  namespace: string,
  { client }: OpenCluster,
  signal: AbortSignal,
): Promise<readonly corev1.Pod[]> {
  const { items } = await client.resource(pods).in(namespace).list({ labelSelector }, signal).toArray();
  return items;
}

/** Deployments and the like select with expressions, Services and ReplicationControllers with labels. */
function podSelectorOf(object: AnyObject): string {
  const { selector } = (object["spec"] ?? {}) as { readonly selector?: object };
  if (selector === undefined || Object.keys(selector).length === 0) {
    const kind = `*v1.${object.kind}`;
    throw new KubectlError(`cannot get the logs from ${kind}: selector for ${kind} not implemented`);
  }
  const isPlain = object.kind === "ReplicationController" || object.kind === "Service";
  return printSelector(
    isPlain ? selectorFromLabels(selector as Readonly<Record<string, string>>) : fromLabelSelector(selector),
  );
}

function sourcesOf(found: readonly corev1.Pod[], options: LogsOptions, world: KubectlWorld): readonly LogSource[] {
  return found.flatMap((pod) => {
    const { container, allContainers, allPods } = options;
    const { names, notice } = containersOf(pod, { container, allContainers, isQuiet: allPods });
    if (notice !== "") world.complain(notice);
    const { name = "", namespace = "" } = pod.metadata;
    return names.map((one) => {
      requireContainer(pod, one);
      return { pod: name, namespace, container: one };
    });
  });
}

async function printLog(
  source: LogSource,
  options: LogsOptions,
  { client }: OpenCluster,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<void> {
  const text = logText(client, source, options.log, signal);
  const printed = options.hasPrefix ? prefixed(text, `[pod/${source.pod}/${source.container}] `) : text;
  for await (const piece of printed) world.print(piece);
}
