import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FakeClock, MetricsRegistry, noLog } from "../../base/index.ts";
import type { CertificatePair } from "./client-certificate.ts";
import { execCredentials } from "./exec-plugin.ts";
import { FakeHost, type FakeHostParts } from "./fake-host.fixture.ts";

const { first, second }: Record<"first" | "second", CertificatePair> = JSON.parse(
  readFileSync(new URL("./certificates.facts.json", import.meta.url), "utf8"),
);
const never = new AbortController().signal;
const apiVersion = "client.authentication.k8s.io/v1";

function setUp(spawn: NonNullable<FakeHostParts["spawn"]>) {
  const metrics = new MetricsRegistry();
  const clock = new FakeClock();
  const credentials = execCredentials({
    plugin: { command: "plug", apiVersion, interactiveMode: "Never" },
    host: new FakeHost({ spawn }),
    clock,
    log: noLog,
    metrics,
  });
  return { metrics, clock, credentials };
}
const missing = () => Promise.reject(Object.assign(new Error("spawn plug ENOENT"), { code: "ENOENT" }));
const printed = (status: unknown) => ({
  stdout: JSON.stringify({ kind: "ExecCredential", apiVersion, status }),
  exitCode: 0,
});

test.each([
  ["one that answers", async () => printed({ token: "t" }), 'code="0",call_status="no_error"'],
  ["one that fails", async () => ({ stdout: "", exitCode: 3 }), 'code="3",call_status="plugin_execution_error"'],
  ["one that is not installed", missing, 'code="1",call_status="plugin_not_found_error"'],
  [
    "one that cannot be run",
    () => Promise.reject(new Error("no memory")),
    'code="1",call_status="client_internal_error"',
  ],
])("a call is counted: %s", async (_fact, spawn, labels) => {
  const { metrics, credentials } = setUp(spawn);
  await credentials.current(never).catch(() => undefined);
  expect(metrics.print()).toContain(`rest_client_exec_plugin_call_total{${labels}} 1\n`);
});

test("the life of its certificate is told, and its age when another one replaces it", async () => {
  const answers = [first, second];
  const { metrics, clock, credentials } = setUp(async () => {
    const { certificatePem, keyPem } = answers.shift() ?? first;
    return printed({ clientCertificateData: certificatePem, clientKeyData: keyPem });
  });
  expect(metrics.print()).toContain("rest_client_exec_plugin_ttl_seconds +Inf\n");
  const { validFrom } = new X509Certificate(first.certificatePem);
  clock.setWallTime(Date.parse(validFrom) + 700_000);
  const shown = await credentials.current(never);
  const ttl = (Date.parse(new X509Certificate(first.certificatePem).validTo) - clock.now()) / 1000;
  const ttlOf = (text: string) => Number(/^rest_client_exec_plugin_ttl_seconds (.*)$/m.exec(text)?.[1]);
  expect(ttlOf(metrics.print())).toBe(ttl);
  expect(metrics.print()).toContain("rest_client_exec_plugin_certificate_rotation_age_count 0\n");
  await credentials.rejected(shown, never);
  expect(metrics.print()).toContain("rest_client_exec_plugin_certificate_rotation_age_sum 700\n");
});
