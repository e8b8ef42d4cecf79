// Asked by a real kube-apiserver: what defaulters, validators and converters answer is what its clients get.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { type CertificateAuthority, createAuthority, RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  configMaps,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "../../api/generated/resources.ts";
import {
  type apiextensionsv1,
  collectBytes,
  type corev1,
  defineResource,
  fieldPath,
  findStatusError,
  invalidFault,
  isNotFound,
  type KubernetesObject,
  noBody,
} from "../../api/index.ts";
import { deferred, type Log, MetricsRegistry, noLog, systemClock } from "../../base/index.ts";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "../../client/index.ts";
import { ServingCertificateFiles } from "../serving/index.ts";
import { defineDefaulter, defineValidator } from "./admission-webhook.ts";
import { defineConverter, spoke } from "./converter.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  type WebhookAddress,
  webhookConversion,
} from "./webhook-manifests.ts";
import { WebhookServer } from "./webhook-server.ts";

const signal = new AbortController().signal;
const onlyHere = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } };
type ConfigMap = corev1.ConfigMap;

/** v1 says it in one word, v2 in parts. */
interface TabV1 extends KubernetesObject {
  readonly hostPort?: string;
  readonly big?: number;
}
interface TabV2 extends KubernetesObject {
  readonly host?: string;
  readonly port?: string;
  readonly big?: number;
}
const tab = { group: "test.kubeloop.dev", kind: "Tab", plural: "tabs" };
const tabsV1 = defineResource<TabV1>({ ...tab, version: "v1" });
const tabsV2 = defineResource<TabV2>({ ...tab, version: "v2" });

let cluster: RealCluster;
let client: Client;
let folder: string;
let authority: CertificateAuthority;
let certificate: ServingCertificateFiles;
let server: WebhookServer;
let address: WebhookAddress;
const stop = new AbortController();
let running: Promise<void>;
const warnings: string[] = [];
const aborted = deferred<unknown>();
const dryRuns: boolean[] = [];
const metrics = new MetricsRegistry();

const defaults = defineDefaulter({
  ...onlyHere,
  name: "maps.defaults.kubeloop.dev",
  resource: configMaps,
  default: (map, { request }) => {
    dryRuns.push(request.isDryRun);
    const { color, "old/key~": old, ...rest } = map.data ?? {};
    const data = { ...rest, color: color ?? "blue", "asked-by": request.userInfo.username ?? "" };
    return {
      ...map,
      data,
      metadata: { ...map.metadata, labels: { ...map.metadata.labels, had: String(old !== undefined) } },
    };
  },
});
const rules = defineValidator({
  ...onlyHere,
  name: "maps.rules.kubeloop.dev",
  resource: configMaps,
  create({ data }: ConfigMap, context) {
    if (data?.["color"] === "bug") throw new TypeError("no such color");
    if (data?.["color"] === "red") return "red is taken";
    if (data?.["color"] === "pink") context.warn("pink will be gone soon");
    return data?.["color"] === "grey" ? [invalidFault(fieldPath("data", "color"), "grey", "must be a color")] : [];
  },
  update: (before, after) => (before.data?.["color"] === after.data?.["color"] ? undefined : "color cannot be changed"),
  delete: ({ data }) => (data?.["color"] === "pink" ? "pink is to stay" : undefined),
});
const slow = defineValidator({
  ...onlyHere,
  name: "slow.rules.kubeloop.dev",
  resource: configMaps,
  path: "/slow",
  objectSelector: { matchLabels: { slow: "yes" } },
  timeoutSeconds: 1,
  failurePolicy: "Ignore",
  create: (_map, _context, each) =>
    new Promise<string>((resolve) =>
      each.addEventListener("abort", () => {
        aborted.resolve(each.reason);
        resolve("too late");
      }),
    ),
});
const convertTabs = defineConverter(tabsV2, [
  spoke<TabV2, TabV1>(tabsV1, {
    toHub: ({ hostPort = "", ...rest }) => {
      const [host = "", port] = hostPort.split(":");
      if (port === undefined) throw new Error(`"${hostPort}" has no port`);
      return { ...rest, host, port };
    },
    fromHub: ({ host = "", port = "", ...rest }) => ({ ...rest, hostPort: `${host}:${port}` }),
  }),
]);

async function renew(from: CertificateAuthority): Promise<void> {
  const { certPem, keyPem } = await from.issueServer({ commonName: "webhooks", names: ["127.0.0.1"] });
  await writeFile(join(folder, "tls.crt"), certPem);
  await writeFile(join(folder, "tls.key"), keyPem);
}

beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, signal);
  const log: Log = { ...noLog, warn: (_message, fields) => warnings.push(JSON.stringify(fields)), with: () => log };
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  const credentials = tokenCredentials(cluster.adminToken);
  client = openClient(clusterConfig({ server: cluster.url, tls, credentials }), { log });
  folder = await mkdtemp(join(tmpdir(), "kubeloop-webhooks-"));
  authority = await createAuthority("first");
  await renew(authority);
  certificate = new ServingCertificateFiles({ certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") });
  server = new WebhookServer({ certificate, port: 0, host: "127.0.0.1", metrics }).add(
    defaults,
    rules,
    slow,
    convertTabs,
  );
  running = server.run(stop.signal);
  await server.whenReady(signal);
  address = { url: `https://127.0.0.1:${server.port}`, caPem: authority.pair.certPem };
  const parts = { name: "kubeloop-test", webhooks: [defaults, rules, slow], address };
  await client.resource(mutatingWebhookConfigurations).create(mutatingWebhookConfiguration(parts), signal);
  await client.resource(validatingWebhookConfigurations).create(validatingWebhookConfiguration(parts), signal);
  await client.resource(customResourceDefinitions).create(tabDefinition(), signal);
  await untilWebhooksAreAsked();
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  stop.abort();
  await running;
  await cluster?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function tabDefinition(): apiextensionsv1.CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tabs.test.kubeloop.dev" },
    spec: {
      group: tab.group,
      scope: "Namespaced",
      names: { kind: tab.kind, plural: tab.plural, singular: "tab", listKind: "TabList" },
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v2", served: true, storage: false, schema },
      ],
      conversion: webhookConversion(address),
    },
  } as apiextensionsv1.CustomResourceDefinition;
}

/** The API server takes a moment until it heeds configurations, and serves a new resource. */
async function untilWebhooksAreAsked(): Promise<void> {
  for (;;) {
    const asked = await maps().create(map("probe", {}), { dryRun: true }, signal);
    const served = await client
      .resource(tabsV2)
      .in("default")
      .get("probe", signal)
      .catch((error: unknown) => (isNotFound(error) ? String(findStatusError(error)?.message) : "not yet"));
    if (asked.data?.["color"] === "blue" && String(served).includes('"probe" not found')) return;
    await systemClock.sleep(100, signal);
  }
}

const maps = () => client.resource(configMaps).in("default");
const map = (name: string, data: Record<string, string>, labels = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, labels },
  data,
});
const refusal = async (asking: Promise<unknown>) => {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, reason, message, details } = findStatusError(error)?.status ?? {};
  return { code, reason, message, details };
};

describe("admission", () => {
  test("what the defaulter adds, changes and removes is stored", async () => {
    const made = await maps().create(map("plain", { "old/key~": "x", kept: "y" }), signal);
    expect(made.data).toEqual({ kept: "y", color: "blue", "asked-by": expect.stringContaining("admin") });
    expect(made.metadata.labels).toEqual({ had: "true" });
    expect(await maps().get("plain", signal)).toEqual(made);
  });

  test("a sentence of the validator reaches who asked, with the webhook's name", async () => {
    expect(await refusal(maps().create(map("red", { color: "red" }), signal))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: 'admission webhook "maps.rules.kubeloop.dev" denied the request: red is taken',
    });
  });

  test("faults reach who asked, each with its field", async () => {
    expect(await refusal(maps().create(map("grey", { color: "grey" }), signal))).toEqual({
      code: 422,
      reason: "Invalid",
      message:
        'admission webhook "maps.rules.kubeloop.dev" denied the request: ConfigMap "grey" is invalid: data.color: Invalid value: "grey": must be a color',
      details: {
        name: "grey",
        kind: "ConfigMap",
        causes: [
          { reason: "FieldValueInvalid", field: "data.color", message: 'Invalid value: "grey": must be a color' },
        ],
      },
    });
  });

  test("warnings reach who asked", async () => {
    await maps().create(map("pink", { color: "pink" }), signal);
    expect(warnings.join()).toContain("pink will be gone soon");
  });

  test("updates and deletions are looked at too", async () => {
    const made = await maps().create(map("green", { color: "green" }), signal);
    const changed = { ...made, data: { ...made.data, color: "white" } };
    expect((await refusal(maps().update(changed, signal))).message).toContain("color cannot be changed");
    await maps().update({ ...made, data: { ...made.data, more: "1" } }, signal);
    await maps().create(map("stays", { color: "pink" }), signal);
    expect((await refusal(maps().delete("stays", signal))).message).toContain("pink is to stay");
    await maps().delete("green", signal);
  });

  test("a bug of the webhook refuses, with 500", async () => {
    expect(await refusal(maps().create(map("bug", { color: "bug" }), signal))).toMatchObject({
      code: 500,
      message: 'admission webhook "maps.rules.kubeloop.dev" denied the request: panic: no such color [recovered]',
    });
  });

  test("a dry run is known as one", async () => {
    dryRuns.length = 0;
    await maps().create(map("dry", {}), { dryRun: true }, signal);
    expect(dryRuns).toEqual([true]);
  });

  test("one that takes too long is aborted, and the policy decides", async () => {
    const made = await maps().create(map("slow", {}, { slow: "yes" }), signal);
    expect(made.metadata.name).toBe("slow");
    await aborted.promise;
  });

  test("it is counted", () => {
    expect(metrics.print()).toMatch(
      /controller_runtime_webhook_requests_total\{webhook="\/mutate--v1-configmap",code="200"\} [1-9]/,
    );
  });
});

describe("conversion", () => {
  const v1 = () => client.resource(tabsV1).in("default");
  const v2 = () => client.resource(tabsV2).in("default");
  const meta = (name: string) => ({ namespace: "default", name, labels: { l: name } });

  test("what is written in one version is read in the other, alone and in lists, in order", async () => {
    await v1().create(
      { apiVersion: "test.kubeloop.dev/v1", kind: "Tab", metadata: meta("a"), hostPort: "h:1" },
      signal,
    );
    await v2().create(
      { apiVersion: "test.kubeloop.dev/v2", kind: "Tab", metadata: meta("b"), host: "g", port: "2" },
      signal,
    );
    expect(await v2().get("a", signal)).toMatchObject({
      apiVersion: "test.kubeloop.dev/v2",
      host: "h",
      port: "1",
      metadata: { labels: { l: "a" } },
    });
    expect(await v1().get("b", signal)).toMatchObject({ apiVersion: "test.kubeloop.dev/v1", hostPort: "g:2" });
    const listed: TabV2[] = [];
    for await (const each of v2().list({}, signal)) listed.push(each);
    expect(listed.map(({ metadata, host, port }) => [metadata.name, host, port])).toEqual([
      ["a", "h", "1"],
      ["b", "g", "2"],
    ]);
  });

  test("an object that cannot be converted says so to who reads it", async () => {
    await v1().create(
      { apiVersion: "test.kubeloop.dev/v1", kind: "Tab", metadata: meta("bad"), hostPort: "h" },
      signal,
    );
    expect((await refusal(v2().get("bad", signal))).message).toContain(
      'conversion webhook for test.kubeloop.dev/v1, Kind=Tab failed: 1 of 1 objects cannot be converted: Tab default/bad: "h" has no port',
    );
    await v1().delete("bad", signal);
  });

  test("integers beyond 2^53 come through as they are", async () => {
    const path = "/apis/test.kubeloop.dev/v2/namespaces/default/tabs";
    const text =
      '{"apiVersion":"test.kubeloop.dev/v2","kind":"Tab","metadata":{"name":"big"},"host":"h","port":"1","big":9007199254740993}';
    const headers = { "content-type": "application/json", accept: "application/json" };
    const common = { query: [], headers, prefers: "bytes" } as const;
    const bytes = new TextEncoder().encode(text);
    await using _made = await client.transport(
      { ...common, method: "POST", path, body: { kind: "bytes", bytes } },
      signal,
    );
    await using read = await client.transport({ ...common, method: "GET", path: `${path}/big`, body: noBody }, signal);
    if (read.body.kind !== "bytes") throw new Error("no bytes");
    const answer = Buffer.from(await collectBytes(read.body.bytes, { maxBytes: 100_000 })).toString();
    expect(answer).toContain('"big":9007199254740993');
  });
});

describe("a certificate", () => {
  /** The fingerprint of what a new connection is shown. */
  const shown = async () =>
    await new Promise<string>((resolve, reject) => {
      const socket = connect({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.end();
      });
      socket.on("error", reject);
    });

  test("that was renewed while running, by another authority, is what the API server meets; a broken one changes nothing", async () => {
    const first = await shown();
    await writeFile(join(folder, "tls.key"), "half a key");
    expect(await certificate.reload(signal)).toBe(false);
    expect(await shown()).toBe(first);
    const second = await createAuthority("second");
    await renew(second);
    expect(await certificate.reload(signal)).toBe(true);
    expect(await shown()).not.toBe(first);
    // From here on it trusts the new authority only, and so makes new connections; the name shows that it has taken notice.
    const webhooks = [defaults, { ...rules, name: "renewed.rules.kubeloop.dev" }];
    const parts = { name: "kubeloop-test", webhooks, address: { ...address, caPem: second.pair.certPem } };
    for (const configurations of [
      client.resource(mutatingWebhookConfigurations),
      client.resource(validatingWebhookConfigurations),
    ]) {
      await configurations.delete("kubeloop-test", signal);
    }
    await client.resource(mutatingWebhookConfigurations).create(mutatingWebhookConfiguration(parts), signal);
    await client.resource(validatingWebhookConfigurations).create(validatingWebhookConfiguration(parts), signal);
    const red = () => refusal(maps().create(map("red", { color: "red" }), { dryRun: true }, signal));
    while ((await red()).message?.includes("renewed.rules.kubeloop.dev") !== true) await systemClock.sleep(100, signal);
    expect((await red()).message).toContain("red is taken");
    expect((await maps().create(map("renewed", {}), signal)).data?.["color"]).toBe("blue");
  });
});
