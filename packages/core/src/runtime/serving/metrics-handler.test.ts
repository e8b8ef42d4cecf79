import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { collectBytes, noBody } from "../../api/index.ts";
import { MetricsRegistry } from "../../base/index.ts";
import { accepts } from "./accept-encoding.ts";
import { metricsHandler } from "./metrics-handler.ts";

const never = new AbortController().signal;
const registry = new MetricsRegistry();
registry.counter({ name: "things_total", help: "Things." }).labels({}).inc(3);

async function scrape(headers: Record<string, string>, method = "GET", print = () => registry.print()) {
  const handler = metricsHandler({ print });
  const response = await handler(
    { method, path: "/metrics", query: [], headers, body: noBody, prefers: "bytes" },
    never,
  );
  const { body } = response;
  const bytes = body.kind === "bytes" ? await collectBytes(body.bytes, { maxBytes: 100_000 }) : new Uint8Array();
  return { status: response.status, headers: response.headers, bytes };
}

describe("a scrape", () => {
  for (const [fact, accept] of [
    ["without wishes", undefined],
    ["that would rather have another format", "application/openmetrics-text;version=1.0.0,text/plain;q=0.1"],
    ["that wants another format only", "application/vnd.google.protobuf"],
  ] as const) {
    test(`${fact} gets the text format`, async () => {
      const { status, headers, bytes } = await scrape(accept === undefined ? {} : { accept });
      expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
      expect(Buffer.from(bytes).toString()).toBe(
        "# HELP things_total Things.\n# TYPE things_total counter\nthings_total 3\n",
      );
      expect(headers["content-length"]).toBe(String(bytes.length));
    });
  }

  test("that can take it gets it compressed", async () => {
    const { headers, bytes } = await scrape({ "accept-encoding": "gzip" });
    expect(headers).toMatchObject({ "content-encoding": "gzip", "content-length": String(bytes.length) });
    expect(gunzipSync(bytes).toString()).toContain("things_total 3");
  });

  test("is a GET or a HEAD", async () => expect((await scrape({}, "PUT")).status).toBe(405));

  test("that fails says so", async () => {
    const { status, bytes } = await scrape({}, "GET", () => {
      throw new Error("no numbers");
    });
    expect([status, Buffer.from(bytes).toString()]).toEqual([500, "metrics could not be collected: no numbers\n"]);
  });
});

describe("Accept-Encoding", () => {
  const rows: readonly [header: string | undefined, isAccepted: boolean][] = [
    [undefined, false],
    ["", false],
    ["gzip", true],
    ["GZIP", true],
    ["deflate, gzip;q=0.5", true],
    ["gzip;q=0", false],
    ["gzip; q=0.000", false],
    ["identity", false],
    ["*", true],
    ["*;q=0", false],
    ["gzip;q=0, *", false],
    ["gzip;q=1.0;level=3", true],
    ["gzip;q=nonsense", false],
  ];
  for (const [header, isAccepted] of rows) {
    test(`${header} ${isAccepted ? "takes" : "does not take"} gzip`, () =>
      expect(accepts(header, "gzip")).toBe(isAccepted));
  }
});
