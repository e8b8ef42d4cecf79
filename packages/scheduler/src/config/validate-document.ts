// What is wrong with a complete document, in upstream's words and order. An empty list is nothing.
import { parseDurationMs, validateQualifiedName } from "@kubeloop/core/api";
import {
  type ExtenderDocument,
  extensionPoints,
  hasArguments,
  type PluginArgs,
  type ProfileDocument,
  type SchedulerDocument,
} from "./document-shape.ts";
import { duplicate, invalid, required } from "./field-faults.ts";
import { validateArguments } from "./validate-arguments.ts";

export function validateDocument(document: SchedulerDocument): readonly string[] {
  return [...checkConnection(document), ...checkElection(document), ...checkRest(document)];
}

function* checkConnection({ clientConnection: { burst } }: SchedulerDocument) {
  if (burst < 0) yield invalid("clientConnection.burst", burst, "must be non-negative");
}

function* checkElection({ leaderElection }: SchedulerDocument) {
  const { leaderElect, leaseDuration, renewDeadline, retryPeriod, resourceLock } = leaderElection;
  if (!leaderElect) return;
  const [lease = 0, renew = 0, retry = 0] = [leaseDuration, renewDeadline, retryPeriod].map(parseDurationMs);
  const zero = "must be greater than zero";
  if (lease <= 0) yield invalid("leaderElection.leaseDuration", leaseDuration, zero);
  if (renew <= 0) yield invalid("leaderElection.renewDeadline", renewDeadline, zero);
  if (retry <= 0) yield invalid("leaderElection.retryPeriod", retryPeriod, zero);
  // As upstream: the value is that of the other field.
  if (lease < renew)
    yield invalid("leaderElection.leaseDuration", renewDeadline, "must be greater than `RenewDeadline`");
  if (resourceLock !== "leases") {
    yield invalid("leaderElection.resourceLock", resourceLock, 'resourceLock value must be "leases"');
  }
}

function* checkRest(document: SchedulerDocument) {
  const { parallelism, profiles, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = document;
  if (parallelism <= 0) yield invalid("parallelism", parallelism, "should be an integer value greater than zero");
  for (const [index, profile] of profiles.entries()) yield* checkProfile(profile, `profiles[${index}]`, profiles);
  yield* checkQueueSort(profiles);
  yield* checkPercentage("percentageOfNodesToScore", document.percentageOfNodesToScore);
  if (initial <= 0) yield invalid("podInitialBackoffSeconds", initial, "must be greater than 0");
  if (max < initial) {
    yield invalid("podMaxBackoffSeconds", max, "must be greater than or equal to PodInitialBackoffSeconds");
  }
  yield* checkExtenders(document.extenders ?? []);
}

function* checkPercentage(path: string, percentage: number | undefined) {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return;
  yield invalid(path, percentage, "not in valid range [0-100]");
}

/** Plugins of earlier versions. */
const removed = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

function* checkProfile(profile: ProfileDocument, path: string, all: readonly ProfileDocument[]) {
  const { schedulerName, plugins, pluginConfig } = profile;
  const version = '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")';
  const wasRemoved = `was invalid in version "v1" ${version}`;
  if (schedulerName === "") yield required(`${path}.schedulerName`);
  yield* checkPercentage(`${path}.percentageOfNodesToScore`, profile.percentageOfNodesToScore);
  for (const point of extensionPoints) {
    for (const [index, { name }] of (plugins[point].enabled ?? []).entries()) {
      if (removed.includes(name)) yield invalid(`${path}.plugins.${point}.enabled[${index}]`, name, wasRemoved);
    }
  }
  for (const [index, { name, args }] of pluginConfig.entries()) {
    const below = `${path}.pluginConfig[${index}]`;
    if (pluginConfig.findIndex((each) => each.name === name) < index) yield duplicate(below, name);
    if (removed.includes(name)) yield invalid(below, name, wasRemoved);
    // Upstream looks at those of NodeResourcesFit only when it creates the plugin.
    else if (hasArguments(name) && name !== "NodeResourcesFit") {
      yield* checkArguments(name, args as PluginArgs[typeof name], `${below}.args`);
    }
  }
  // As upstream, whose printing of a path shows nothing of it.
  const first = all.findIndex((each) => each.schedulerName === schedulerName);
  if (first < all.indexOf(profile)) yield duplicate(`${path}.schedulerName`, {});
}

export function checkArguments<Name extends keyof PluginArgs>(
  name: Name,
  args: PluginArgs[Name],
  path: string,
): Iterable<string> {
  return validateArguments[name](args, path);
}

function* checkQueueSort([first, ...others]: readonly ProfileDocument[]) {
  const enabledIn = ({ plugins }: ProfileDocument) => plugins.queueSort.enabled ?? [];
  const common = first === undefined ? [] : enabledIn(first);
  if (common.length > 1) {
    const path = "profiles[0].plugins.queueSort.Enabled";
    yield invalid(path, common.length, "only one queue sort plugin can be enabled");
  }
  const print = (entries: readonly { readonly name: string; readonly weight: number }[] | undefined) =>
    entries?.map(({ name, weight }) => ({ Name: name, Weight: weight })) ?? null;
  for (const [index, { plugins }] of others.entries()) {
    const { queueSort } = plugins;
    if (JSON.stringify(queueSort) === JSON.stringify(first?.plugins.queueSort)) continue;
    const value = { Enabled: print(queueSort.enabled), Disabled: print(queueSort.disabled) };
    yield invalid(`profiles[${index + 1}].plugins.queueSort`, value, "must be the same for all profiles");
  }
}

function* checkExtenders(extenders: readonly ExtenderDocument[]) {
  const seen = new Set<string>();
  for (const [index, { prioritizeVerb = "", weight = 0, managedResources = [] }] of extenders.entries()) {
    if (prioritizeVerb !== "" && weight <= 0) {
      yield invalid(`extenders[${index}].weight`, weight, "must have a positive weight applied to it");
    }
    for (const [at, { name = "" }] of managedResources.entries()) {
      const path = `extenders[${index}].managedResources[${at}].name`;
      const faults = validateQualifiedName(name);
      for (const fault of faults) yield invalid(path, name, fault);
      const isExtended = name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");
      if (faults.length === 0 && !isExtended) yield invalid(path, name, "is an invalid extended resource name");
      if (seen.has(name)) yield invalid(path, name, "duplicate extender managed resource name");
      seen.add(name);
    }
  }
  const binders = extenders.filter(({ bindVerb = "" }) => bindVerb !== "").length;
  if (binders > 1) {
    yield invalid("extenders", `found ${binders} extenders implementing bind`, "only one extender can implement bind");
  }
}
