// What is wrong with options that each could be read by themselves, in upstream's words and order. An empty list is none.
import { controllerNames } from "@kubeloop/controllers";
import { printGoDuration } from "../flags/index.ts";
import { selectControllers } from "../select-controllers.ts";
import { readFeatureGates, readVersions } from "./feature-gates.ts";
import type { ComponentConfig, ComponentOptions, KubeControllerManagerOptions } from "./options.ts";

export function validateOptions(options: KubeControllerManagerOptions): readonly string[] {
  const { componentConfig } = options;
  const first = validateFirst(options);
  if (first.length > 0) return first;
  return [
    ...checkGeneric(componentConfig),
    ...checkControllers(componentConfig),
    ...checkServing(options),
    ...checkMetrics(options),
    ...checkCloud(componentConfig),
  ];
}

/** What any component checks, before and after what is its own. */
export function validateComponent(options: ComponentOptions, own: readonly string[] = []): readonly string[] {
  const first = validateFirst(options);
  return first.length > 0 ? first : [...own, ...checkServing(options), ...checkMetrics(options)];
}

/** Upstream reads feature gates and the log's settings before all else, and stops at a fault in them. */
function validateFirst(options: ComponentOptions): readonly string[] {
  const globals = [...checkGlobals(options)];
  return globals.length > 0 ? globals : [...checkLogs(options)];
}

/** As Go joins errors: one stands alone, several in brackets. */
export function joinFaults(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  return distinct.length < 2 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

function* checkGlobals({ componentGlobals }: ComponentOptions) {
  const { version, faults } = readVersions(componentGlobals);
  if (faults.length > 0) yield* faults;
  else yield* readFeatureGates({ entries: componentGlobals.featureGates, emulatedVersion: version }).faults;
}

function* checkLogs(options: ComponentOptions) {
  const { logs } = options;
  if (logs.flushFrequencyMs <= 0) {
    yield `flushFrequency: Invalid value: "${printGoDuration(logs.flushFrequencyMs)}": Must be greater than zero`;
  }
  if (logs.format !== "text" && logs.format !== "json") {
    yield `format: Invalid value: "${logs.format}": Unsupported log format`;
  }
  if (logs.format !== "text" && logs.vmodule.length > 0) yield "vmodule: Forbidden: Only supported for text log format";
  const hasAlphaOptions = readFeatureGates(gateOptions(options)).gates.isEnabled("LoggingAlphaOptions");
  for (const [field, isUsed] of [
    ["text.splitStream", logs.textSplitStream],
    ["text.infoBufferSize", logs.textInfoBufferSize !== "0"],
    ["json.splitStream", logs.jsonSplitStream],
    ["json.infoBufferSize", logs.jsonInfoBufferSize !== "0"],
  ] as const) {
    if (isUsed && !hasAlphaOptions) yield `options.${field}: Forbidden: Feature LoggingAlphaOptions is disabled`;
  }
}

/** For `readFeatureGates`. */
export function gateOptions({ componentGlobals }: ComponentOptions) {
  return { entries: componentGlobals.featureGates, emulatedVersion: readVersions(componentGlobals).version };
}

function* checkGeneric({ generic }: ComponentConfig) {
  if (generic.leaderElect && generic.resourceLock !== "leases") yield 'resourceLock value must be "leases"';
  yield* selectControllers(generic.controllers, controllerNames).faults;
}

interface Bounds {
  readonly least: number;
  readonly most?: number;
}

function* checkControllers(config: ComponentConfig) {
  if (config.attachDetachController.reconcilerSyncLoopPeriodMs < 1000) {
    yield "duration time must be greater than one second as set via command line option reconcile-sync-loop-period";
  }
  yield* checkSigners(config);
  yield* positive("concurrent-daemonset-syncs", config.daemonSetController.concurrentDaemonSetSyncs);
  const { concurrentSyncs: evictions } = config.deviceTaintEvictionController;
  if (evictions <= 0) yield `concurrent-device-taint-eviction-syncs must be greater than zero, got ${evictions}`;
  const { concurrentSyncs: claims } = config.resourceClaimController;
  if (claims <= 0) yield `concurrent-resourceclaim-syncs must be larger than 0, got ${claims}`;
  yield* positive("concurrent-statefulset-syncs", config.statefulSetController.concurrentStatefulSetSyncs);
  const slices = config.endpointSliceController;
  yield* within("concurrent-service-endpoint-syncs", slices.concurrentServiceEndpointSyncs, { least: 1, most: 50 });
  yield* within("max-endpoints-per-slice", slices.maxEndpointsPerSlice, { least: 1, most: 1000 });
  const mirrored = config.endpointSliceMirroringController;
  yield* within("mirroring-concurrent-service-endpoint-syncs", mirrored.mirroringConcurrentServiceEndpointSyncs, {
    least: 1,
    most: 50,
  });
  yield* within("mirroring-max-endpoints-per-subset", mirrored.mirroringMaxEndpointsPerSubset, {
    least: 1,
    most: 1000,
  });
  yield* positive("concurrent-ephemeralvolume-syncs", config.ephemeralVolumeController.concurrentEphemeralVolumeSyncs);
  const { concurrentHorizontalPodAutoscalerSyncs } = config.hpaController;
  yield* positive("concurrent-horizontal-pod-autoscaler-syncs", concurrentHorizontalPodAutoscalerSyncs);
  yield* positive("concurrent-job-syncs", config.jobController.concurrentJobSyncs);
  yield* positive("concurrent-cron-job-syncs", config.cronJobController.concurrentCronJobSyncs);
  if (config.nodeIPAMController.serviceCIDR.split(",").length > 2) {
    yield "--service-cluster-ip-range can not contain more than two entries";
  }
}

function* positive(name: string, value: number) {
  if (value < 1) yield `${name} must be greater than 0, but got ${value}`;
}

function* within(name: string, value: number, { least, most = Infinity }: Bounds) {
  if (value < least) yield `${name} must not be less than ${least}, but got ${value}`;
  if (value > most) yield `${name} must not be more than ${most}, but got ${value}`;
}

function* checkSigners({ csrSigningController: files }: ComponentConfig) {
  // The names are those of upstream's complaints, which call two signers otherwise than its flags do.
  const signers = [
    ["cluster-signing-kubelet-serving", files.kubeletServingCertFile, files.kubeletServingKeyFile],
    ["cluster-signing-kube-apiserver-client", files.kubeletClientCertFile, files.kubeletClientKeyFile],
    ["cluster-signing-kube-apiserver", files.kubeAPIServerClientCertFile, files.kubeAPIServerClientKeyFile],
    ["cluster-signing-legacy-unknown", files.legacyUnknownCertFile, files.legacyUnknownKeyFile],
  ] as const;
  for (const [name, cert, key] of signers) {
    if (cert === "" && key !== "") yield `"${name}": cannot specify key without cert`;
    if (cert !== "" && key === "") yield `"${name}": cannot specify cert without key`;
  }
  const hasCommon = files.clusterSigningCertFile !== "" || files.clusterSigningKeyFile !== "";
  const hasOwn = signers.some(([, cert, key]) => cert !== "" || key !== "");
  if (hasCommon && hasOwn) {
    yield "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time";
  }
}

function* checkServing({ secureServing, authentication }: ComponentOptions) {
  const { bindPort } = secureServing;
  if (bindPort > 65535) {
    yield `--secure-port ${bindPort} must be between 1 and 65535, inclusive. It cannot be turned off with 0`;
  } else if (bindPort < 0) {
    yield `--secure-port ${bindPort} must be between 0 and 65535, inclusive. 0 for turning off secure port`;
  }
  for (const [name, values] of [
    ["requestheader-username-headers", authentication.requestHeaderUsernameHeaders],
    ["requestheader-group-headers", authentication.requestHeaderGroupHeaders],
    ["requestheader-extra-headers-prefix", authentication.requestHeaderExtraHeaderPrefixes],
    ["requestheader-allowed-names", authentication.requestHeaderAllowedNames],
    ["requestheader-uid-headers", authentication.requestHeaderUIDHeaders],
  ] as const) {
    if (values.some((value) => value.trim() === "")) yield `empty value in "${name}"`;
  }
  const uidHeaders = authentication.requestHeaderUIDHeaders;
  if (uidHeaders.length > 0 && !uidHeaders.some((header) => header.toLowerCase() === "x-remote-uid")) {
    yield "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work";
  }
}

function* checkMetrics({ metrics }: ComponentOptions) {
  const { showHiddenMetricsForVersion: version } = metrics;
  if (version !== "" && version !== "1.35") {
    yield `metrics.showHiddenMetricsForVersion: Invalid value: "${version}": must be omitted or have the value '1.35'; only the previous minor version is allowed`;
  }
  const { disabledMetrics, allowListMapping, allowListMappingManifest } = metrics;
  const unnamed = disabledMetrics.find((name) => !new RegExp(`^${metricName}$`).test(name));
  if (unnamed !== undefined) {
    yield `metrics.disabledMetrics: Invalid value: ${JSON.stringify(disabledMetrics)}: must be fully qualified metric names matching "^${metricName}$", got ${JSON.stringify(unnamed)}`;
  }
  const fault = findAllowListFault(allowListMapping, "metrics.allowListMapping");
  if (fault !== undefined) yield fault;
  if (Object.keys(allowListMapping).length > 0 && allowListMappingManifest !== "") {
    const both = JSON.stringify({ allowListMapping, allowListMappingManifest });
    yield `metrics: Invalid value: ${both}: cannot specify both allowListMapping and allowListMappingManifest`;
  }
}

const metricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelName = "[a-zA-Z_][a-zA-Z0-9_]*";

/** Of `--allow-metric-labels`, or of the file that says the same. */
export function findAllowListFault(mapping: Readonly<Record<string, string>>, field: string): string | undefined {
  const key = new RegExp(`^${metricName},${labelName}$`);
  if (Object.keys(mapping).every((each) => key.test(each))) return undefined;
  const format = `metricName matches ${JSON.stringify(metricName)} and labelName matches ${JSON.stringify(labelName)}`;
  const value = JSON.stringify(mapping);
  return `${field}: Invalid value: ${value}: must have keys with format \`metricName,labelName\` where ${format}`;
}

function* checkCloud({ kubeCloudShared: { cloudProviderName, cidrAllocatorType } }: ComponentConfig) {
  if (cloudProviderName !== "" && cloudProviderName !== "external") {
    yield `cloud provider "${cloudProviderName}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`;
  }
  if (cidrAllocatorType !== "" && cidrAllocatorType !== "RangeAllocator") {
    yield `built-in cloud providers are disabled. The ipam ${cidrAllocatorType} is not available`;
  }
}
