// What each admission plugin was asked and refused, read from a server's metrics, and which plugins a run has missed: a fuzzer whose requests never get
// as far as a plugin says nothing about it.
import { admissionMetricName } from "../../admission/admission-metrics.ts";
import type { PluginName } from "../../admission/plugin-order.ts";
import { writtenPlugins } from "../../admission/plugins/index.ts";

export interface PluginCount {
  readonly asked: number;
  readonly refused: number;
}

export type AdmissionCounts = ReadonlyMap<string, PluginCount>;

const countLine = new RegExp(`^${admissionMetricName}_count\\{name="(\\w+)",.*rejected="(\\w+)".*\\} (\\d+)$`);

export function readAdmissionCounts(metrics: string): AdmissionCounts {
  const counts = new Map<string, PluginCount>();
  for (const line of metrics.split("\n")) {
    const [, name = "", rejected, count] = countLine.exec(line) ?? [];
    if (count === undefined) continue;
    const [asked, refused] = [Number(count), rejected === "true" ? Number(count) : 0];
    add(counts, name, { asked, refused });
  }
  return counts;
}

export function addCounts(counts: Map<string, PluginCount>, more: AdmissionCounts): void {
  for (const [name, count] of more) add(counts, name, count);
}

function add(counts: Map<string, PluginCount>, name: string, { asked, refused }: PluginCount): void {
  const { asked: before = 0, refused: refusedBefore = 0 } = counts.get(name) ?? {};
  counts.set(name, { asked: before + asked, refused: refusedBefore + refused });
}

/** Which plugins no request can reach, and why. */
const unreachable: ReadonlyMap<PluginName, string> = new Map<PluginName, string>([
  ["ClusterTrustBundleAttest", "ClusterTrustBundles are not served by default"],
]);

const adds = "it only adds what is missing";
const mayAll = "until roles are read, whoever gets as far as admission may sign for everybody";

/** Which plugins refuse nothing here, and why. */
const neverRefusing: ReadonlyMap<PluginName, string> = new Map<PluginName, string>([
  ["CertificateApproval", mayAll],
  ["CertificateSigning", mayAll],
  ["DefaultIngressClass", adds],
  ["DefaultStorageClass", adds],
  ["DefaultTolerationSeconds", adds],
  ["PodTopologyLabels", adds],
  ["StorageObjectInUseProtection", adds],
  ["TaintNodesByCondition", adds],
]);

/** Returns the written plugins that nobody asked. */
export function neverAsked(counts: AdmissionCounts): readonly PluginName[] {
  const reachable = [...writtenPlugins.keys()].filter((name) => !unreachable.has(name));
  return reachable.filter((name) => (counts.get(name)?.asked ?? 0) === 0);
}

/** Returns the written plugins that refused nothing, though they could. */
export function neverRefused(counts: AdmissionCounts): readonly PluginName[] {
  const refusing = [...writtenPlugins.keys()].filter((name) => !unreachable.has(name) && !neverRefusing.has(name));
  return refusing.filter((name) => (counts.get(name)?.refused ?? 0) === 0);
}
