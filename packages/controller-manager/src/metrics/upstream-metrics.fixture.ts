// Metrics of a component as upstream has them: the rows of `upstream-metrics.facts.json`, ours in the same form, and what is scraped from a port.
import { request } from "node:https";
import type { RegisteredMetric } from "./index.ts";

export interface UpstreamMetric {
  readonly type: string;
  /** Empty for what Go's own library of metrics registers. */
  readonly stability: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** Its sources define it, and it has no value by the time that was recorded. */
  readonly isLater?: boolean;
}

/** A metric of ours, to be compared with one of upstream's that has this stability. */
export function asUpstreamMetric(metric: RegisteredMetric | undefined, { stability }: UpstreamMetric) {
  const { kind, definition } = metric ?? {};
  return {
    type: kind,
    stability: stability === "" ? "" : (definition?.stability ?? "ALPHA"),
    labels: (definition?.labels ?? []).toSorted(),
    buckets: definition !== undefined && "buckets" in definition ? definition.buckets : undefined,
  };
}

/** What a metric must be like, in the form of `asUpstreamMetric`. */
export const shapeOf = ({ type, stability, labels, buckets }: UpstreamMetric) => ({ type, stability, labels, buckets });

/** The certificate is the component's own, which nobody knows. */
export const scrape = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    asked.on("error", reject).end();
  });
