// Answers a scrape in Prometheus' text format, which every scraper accepts. Like Kubernetes' own components, it uses this format even if the
// scraper prefers another one. The response is compressed with gzip if the scraper accepts that.
import { headerValue, type Transport } from "../../api/index.ts";
import { prometheusContentType, toError } from "../../base/index.ts";
import { accepts } from "./accept-encoding.ts";
import { readOnly } from "./health-handler.ts";
import { textResponse, wholeResponse } from "./responses.ts";

/** Prints metrics in that format: a MetricsRegistry, or `{ print: () => registry.metrics() }` for a registry of prom-client. */
export interface PrintableMetrics {
  print(): string | Promise<string>;
}

export function metricsHandler(metrics: PrintableMetrics): Transport {
  return readOnly(async ({ headers }) => {
    let text: string;
    try {
      text = await metrics.print();
    } catch (error) {
      return textResponse(500, `metrics could not be collected: ${toError(error).message}\n`);
    }
    const common = { "content-type": prometheusContentType, vary: "Accept-Encoding" };
    const bytes = new TextEncoder().encode(text);
    if (!accepts(headerValue(headers, "accept-encoding"), "gzip")) return wholeResponse(200, bytes, common);
    return wholeResponse(200, await gzipped(bytes), { ...common, "content-encoding": "gzip" });
  });
}

async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  return await new Promise((resolve, reject) =>
    gzip(bytes, (error, compressed) => (error === null ? resolve(compressed) : reject(error))),
  );
}
