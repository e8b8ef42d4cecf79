// The resourceVersion that a store's content has reached. Writes only increase it, because the
// objects of a list come in no order, and a tombstone's object is old. Only a new list sets it, also to a lower version:
// a cluster restored from a backup continues from there.
import { compareResourceVersions, isResourceVersion } from "../../api/index.ts";
import type { GaugeSeries, MetricDefinition, Metrics } from "../../base/index.ts";

export class StoreResourceVersion {
  #current = "";
  readonly #gauge: GaugeSeries | undefined;

  constructor(gauge?: GaugeSeries) {
    this.#gauge = gauge;
  }

  get current(): string {
    return this.#current;
  }

  /** Advances to the version of a written object or a bookmark, if it is newer. Objects without a version are ignored. */
  advance(version: string | undefined): void {
    if (version === undefined || version === "" || this.#isOld(version)) return;
    this.set(version);
  }

  set(version: string): void {
    this.#current = version;
    const value = this.#gauge === undefined ? undefined : toGaugeValue(version);
    if (value !== undefined) this.#gauge?.set(value);
  }

  #isOld(version: string): boolean {
    // Versions that cannot be compared are assumed to arrive in order.
    if (!isResourceVersion(version) || !isResourceVersion(this.#current)) return false;
    return compareResourceVersions(version, this.#current) <= 0;
  }
}

/** Undefined for an object without metadata or resourceVersion. */
export function resourceVersionOf(object: unknown): string | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: unknown } | null };
  const version = metadata?.resourceVersion;
  return typeof version === "string" ? version : undefined;
}

/** Upstream's labels of all metrics of one informer: its name and its resource. */
export type InformerLabel = "name" | "group" | "version" | "resource";

export const storeResourceVersionMetric: MetricDefinition<InformerLabel> = {
  name: "informer_store_resource_version",
  help: "Last resource version the store has seen: its last 15 digits, which a number holds exactly.",
  labels: ["name", "group", "version", "resource"],
};

export function storeResourceVersionGauge(metrics: Metrics, labels: Readonly<Record<InformerLabel, string>>) {
  return metrics.gauge(storeResourceVersionMetric).labels(labels);
}

function toGaugeValue(version: string): number | undefined {
  const digits = version.slice(-15);
  return /^\d*$/.test(digits) ? Number(digits) : undefined;
}
