// The settings of metrics and logs, and those that make the process say something and end.
import {
  bool,
  duration,
  flag,
  levelType,
  moduleLevelsType,
  quantityType,
  string,
  strings,
  stringToStringType,
  versionType,
} from "../flags/index.ts";

export const metrics = {
  allowListMapping: flag(
    stringToStringType,
    "allow-metric-labels",
    {},
    "Values that a metric's label may have: metric,label='value1,value2'. Others become \"unexpected\".",
  ),
  allowListMappingManifest: string(
    "allow-metric-labels-manifest",
    "",
    "File with the same as YAML: allowListMapping, a map of texts. The flag goes before it.",
  ),
  disabledMetrics: strings("disabled-metrics", [], "Names of metrics that are not served."),
  showHiddenMetricsForVersion: string(
    "show-hidden-metrics-for-version",
    "",
    "Serve metrics that this version had deprecated and the next one hid. Only the last minor version means anything, e.g. 1.35.",
  ),
} as const;

export const logs = {
  format: string("logging-format", "text", 'How log lines are written: "text" or "json".'),
  flushFrequencyMs: duration(
    "log-flush-frequency",
    "5s",
    "How often upstream writes buffered log lines. Here each is written at once.",
  ),
  verbosity: flag(levelType, "v", 0, "How much is logged: 0 is what an operator needs, 2 and more is for debugging.", {
    short: "v",
  }),
  vmodule: flag(
    moduleLevelsType,
    "vmodule",
    [],
    "The same by who logs: pattern=N, by commas. Only with the text format.",
  ),
  textSplitStream: bool(
    "log-text-split-stream",
    false,
    "[Alpha] In text format, errors go to stderr and all else to stdout. Needs the gate LoggingAlphaOptions.",
  ),
  textInfoBufferSize: flag(
    quantityType,
    "log-text-info-buffer-size",
    "0",
    "[Alpha] In text format with split streams, how many bytes for stdout upstream buffers. Needs the gate LoggingAlphaOptions. Here nothing is buffered.",
  ),
  jsonSplitStream: bool(
    "log-json-split-stream",
    false,
    "[Alpha] In JSON format, errors go to stderr and all else to stdout. Needs the gate LoggingAlphaOptions.",
  ),
  jsonInfoBufferSize: flag(
    quantityType,
    "log-json-info-buffer-size",
    "0",
    "[Alpha] In JSON format with split streams, how many bytes for stdout upstream buffers. Needs the gate LoggingAlphaOptions. Here nothing is buffered.",
  ),
} as const;

export const global = {
  help: bool("help", false, "help for kube-controller-manager", { short: "h" }),
  version: flag(
    versionType,
    "version",
    "false",
    "Print the version and end; --version=raw prints all there is, --version=vX.Y.Z sets what is told.",
  ),
} as const;

/** Ours: upstream has none of these. */
export const kubeloop = {
  listControllers: bool(
    "list-controllers",
    false,
    "Print the table of controllers, say which are not written yet, and end.",
  ),
  printRbacManifests: bool(
    "print-rbac-manifests",
    false,
    "Print the service accounts, roles and bindings that the manager and its controllers need, as YAML, and end.",
  ),
  listFeatureGates: bool("list-feature-gates", false, "Print all feature gates with their defaults, and end."),
} as const;
