// The HTTPS endpoints of a component (controller manager or scheduler): certificate, guards and routes, from the options. Served from the start, leader or not; what controllers add
// (health checks, debug pages) appears when they are started.
import { readFile } from "node:fs/promises";
import type { Transport } from "@kubeloop/core/api";
import { type Clock, type Log, type Random, TaskScope } from "@kubeloop/core/base";
import {
  type CertificatePair,
  type Client,
  inClusterConfig,
  KubeconfigError,
  loadClusterConfig,
  openClient,
} from "@kubeloop/core/client";
import {
  Authentication,
  type ClientAuthorities,
  fixedCertificate,
  followPublishedAuthorities,
  type HealthChecks,
  HttpServer,
  healthRoutes,
  metricsHandler,
  type Routes,
  readPublishedAuthoritiesNow,
  routed,
  type ServingCertificate,
  ServingCertificateFiles,
  type TlsSettings,
} from "@kubeloop/core/runtime";
import { type ComponentName, userAgentOf } from "../app/client-builder.ts";
import type { FlagGroup } from "../flags/index.ts";
import { type PrintedMetrics, servingMetrics } from "../metrics/index.ts";
import type { ComponentOptions, FeatureGates } from "../options/index.ts";
import { Authorization } from "./authorization.ts";
import { readGivenAuthorities } from "./client-authorities.ts";
import { guarded } from "./guarded.ts";
import { profileRoutes } from "./profiles.ts";
import { newSelfSignedCertificate } from "./self-signed-certificate.ts";
import { newSlis } from "./slis.ts";
import { tlsSettings } from "./tls-settings.ts";
import { configzHandler, flagzHandler, statuszHandler } from "./zpages.ts";

export interface SecureServingOptions {
  /** The program's name: of its certificate, in its pages, and towards the cluster that reviews. */
  readonly component: ComponentName;
  readonly options: ComponentOptions;
  /** All that the program has, for /flagz. */
  readonly flagGroups: readonly FlagGroup[];
  /** What /configz says. */
  readonly configz: () => unknown;
  readonly isProfiling: boolean;
  /** Endpoints for probes beside /healthz. */
  readonly probes?: Readonly<Record<"livez" | "readyz", HealthChecks>>;
  /** More endpoints, which /statusz does not list. */
  readonly moreRoutes?: Routes;
  readonly featureGates: FeatureGates;
  readonly healthz: HealthChecks;
  readonly metrics: PrintedMetrics;
  /** By path below /debug/controllers/<name>; grows when controllers start. Undefined: the program has none. */
  readonly debugHandlers?: ReadonlyMap<string, Transport>;
  /** Reads and sets `-v` while the process runs. */
  readonly verbosity?: { get(): number; set(level: number): void };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Not yet open; `run` serves until aborted. */
export interface SecureServing {
  readonly server: HttpServer;
  run(signal: AbortSignal): Promise<void>;
}

/** Undefined with --secure-port=0. Throws for certificates and settings that cannot be used. */
export async function newSecureServing(
  parts: SecureServingOptions,
  signal: AbortSignal,
): Promise<SecureServing | undefined> {
  const { component, options, clock, random, log } = parts;
  const { secureServing } = options;
  if (secureServing.bindPort === 0) return undefined;
  if (secureServing.permitPortSharing && !isPortSharing(process.versions.node)) {
    log.warn("this Node cannot share ports, so --permit-port-sharing has no effect", { node: process.versions.node });
  }
  const certificate = await openCertificate(parts, signal);
  const remote = await openRemoteClients(options, { component, clock, log, metrics: parts.metrics }, signal);
  let authorities = await findAuthorities(options, remote.authentication, log, signal);
  const metrics = servingMetrics(parts.metrics);
  const guards = {
    clock,
    metrics,
    authentication: new Authentication({
      clock,
      metrics: metrics.authentication,
      authorities: () => authorities,
      client: remote.authentication,
      tokenTtlMs: options.authentication.cacheTTLMs,
    }),
    authorization: new Authorization({
      clock,
      metrics: metrics.authorization,
      alwaysAllowPaths: options.authorization.alwaysAllowPaths,
      client: remote.authorization,
      allowTtlMs: options.authorization.allowCacheTTLMs,
      denyTtlMs: options.authorization.denyCacheTTLMs,
    }),
  };
  const tls: TlsSettings = { ...tlsSettings(secureServing), byName: await readNamedCertificates(secureServing) };
  const server = new HttpServer(component, guarded(routed(routesOf(parts)), guards), {
    ...hostOf(secureServing.bindAddress),
    port: secureServing.bindPort,
    certificate,
    tls,
    reusePort: secureServing.permitPortSharing,
    clock,
    log,
  });
  const { authentication: client } = remote;
  const isFollowing = client !== undefined && !options.authentication.skipLookup;
  return {
    server,
    async run(each) {
      await using scope = new TaskScope(each);
      if (isFollowing) {
        const given = await readGivenAuthorities(options.authentication, readText);
        const onChange = (found: ClientAuthorities) => {
          authorities = overlay(given, found);
        };
        void scope.spawn((one) => followPublishedAuthorities({ client, clock, random, log, onChange }, one));
      }
      void scope.spawn((one) => server.run(one));
      await scope.join();
    },
  };
}

/** Of both unspecified addresses, Node chooses IPv6 with IPv4, or IPv4 alone where the machine has nothing else. */
const hostOf = (bindAddress: string) => (/^(?:0\.0\.0\.0|[0:]+)$/.test(bindAddress) ? {} : { host: bindAddress });

/** The first Node that shares ports. */
const isPortSharing = (version: string) => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 23 || (major === 23 && minor >= 1);
};

function routesOf(parts: SecureServingOptions): Routes {
  const { component, options, featureGates, healthz, probes, metrics, verbosity, isProfiling, clock, log } = parts;
  const slis = newSlis(clock.now());
  const probeRoutes = Object.entries({ healthz, ...probes }).map(([name, checks]) => {
    const routes = healthRoutes(name, slis.observe(name, checks), log);
    return [`/${name}`, routes[`/${name}`] ?? notServed, routes[`/${name}/`] ?? notServed] as const;
  });
  // A component whose checks come and go has no paths for single ones.
  const checkRoutes = probes === undefined ? [] : probeRoutes.map(([path, , each]) => [`${path}/`, each] as const);
  const listed: Routes = {
    ...Object.fromEntries(probeRoutes.map(([path, all]) => [path, all])),
    "/metrics": metricsHandler(metrics),
    "/configz": configzHandler(parts.configz),
    ...(featureGates.isEnabled("ComponentFlagz")
      ? { "/flagz": flagzHandler(component, parts.flagGroups, options.parsedFlags) }
      : {}),
  };
  const statusz = {
    component,
    clock,
    startedMs: clock.now(),
    emulatedVersion: options.componentGlobals.emulatedVersion.at(-1) ?? "",
    paths: Object.keys(listed),
  };
  return {
    ...listed,
    ...Object.fromEntries(checkRoutes),
    "/metrics/slis": slis.handler,
    ...parts.moreRoutes,
    ...(featureGates.isEnabled("ComponentStatusz") ? { "/statusz": statuszHandler(statusz) } : {}),
    ...(isProfiling ? profileRoutes(clock) : {}),
    ...(isProfiling && verbosity !== undefined ? { "/debug/flags/v": verbosityHandler(verbosity) } : {}),
    ...(parts.debugHandlers === undefined ? {} : { "/debug/controllers/": controllerHandler(parts.debugHandlers) }),
  };
}

const notServed: Transport = routed({});

/** PUT a number to set it, as klog's components do. */
function verbosityHandler(verbosity: { get(): number; set(level: number): void }): Transport {
  return async (request) => {
    const { textResponse } = await import("@kubeloop/core/runtime");
    if (request.method !== "PUT") return textResponse(406, "unsupported http method\n");
    const text = request.body.kind === "bytes" ? await readBody(request.body.bytes) : "";
    if (!/^[0-9]+$/.test(text.trim())) return textResponse(400, `failed set klog.logging.verbosity ${text}\n`);
    verbosity.set(Number(text));
    return textResponse(200, `successfully set klog.logging.verbosity to ${text.trim()}\n`);
  };
}

async function readBody(bytes: AsyncIterable<Uint8Array> | Uint8Array): Promise<string> {
  if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The handler of a controller sees paths below its own. */
function controllerHandler(handlers: ReadonlyMap<string, Transport>): Transport {
  return async (request, signal) => {
    const [name = "", ...rest] = request.path.slice("/debug/controllers/".length).split("/");
    const handler = handlers.get(name) ?? notServed;
    return await handler({ ...request, path: `/${rest.join("/")}` }, signal);
  };
}

async function openCertificate(
  { component, options, clock, log }: SecureServingOptions,
  signal: AbortSignal,
): Promise<ServingCertificate> {
  const { tlsCertFile, tlsPrivateKeyFile, certDirectory, bindAddress } = options.secureServing;
  if (tlsCertFile !== "" || tlsPrivateKeyFile !== "") {
    return await readFiles(tlsCertFile, tlsPrivateKeyFile);
  }
  if (certDirectory === "") {
    log.info("Generated self-signed cert in-memory");
    return fixedCertificate(await newSelfSignedCertificate({ commonName: component, bindAddress, clock }));
  }
  const { join } = await import("node:path");
  const certFile = join(certDirectory, `${component}.crt`);
  const keyFile = join(certDirectory, `${component}.key`);
  if (!(await arePair(certFile, keyFile))) {
    const pair = await newSelfSignedCertificate({ commonName: component, bindAddress, clock });
    await writePair(certDirectory, certFile, keyFile, pair);
    log.info("Generated self-signed cert", { certFile, keyFile });
  }
  return await readFiles(certFile, keyFile);

  async function readFiles(certFile: string, keyFile: string) {
    const files = new ServingCertificateFiles({ certFile, keyFile, clock, log });
    await files.reload(signal);
    return files;
  }
}

/** Whether both files are there. Throws upstream's complaint if only one of them is: what belongs to it is not ours to make. */
async function arePair(certFile: string, keyFile: string): Promise<boolean> {
  const { access } = await import("node:fs/promises");
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  const [hasCertificate, hasKey] = await Promise.all([isThere(certFile), isThere(keyFile)]);
  if (hasCertificate === hasKey) return hasCertificate;
  throw new Error(
    hasCertificate
      ? `error reading ${keyFile}, certificate and key must be supplied as a pair`
      : `error reading ${certFile}, certificate and key must be supplied as a pair`,
  );
}

async function writePair(folder: string, certFile: string, keyFile: string, pair: CertificatePair): Promise<void> {
  const { mkdir, writeFile } = await import("node:fs/promises");
  await mkdir(folder, { recursive: true });
  await writeFile(keyFile, pair.keyPem, { mode: 0o600 });
  await writeFile(certFile, pair.certificatePem, { mode: 0o644 });
}

async function readNamedCertificates({ tlsSniCertKeys }: ComponentOptions["secureServing"]) {
  const { X509Certificate } = await import("node:crypto");
  return await Promise.all(
    tlsSniCertKeys.map(async ({ certFile, keyFile, names }) => {
      const [certificatePem, keyPem] = await Promise.all([readText(certFile), readText(keyFile)]);
      const own = (new X509Certificate(certificatePem).subjectAltName ?? "")
        .split(", ")
        .flatMap((entry) => (entry.startsWith("DNS:") ? [entry.slice(4)] : []));
      return { certificatePem, keyPem, names: names.length > 0 ? names : own };
    }),
  );
}

interface RemoteClients {
  readonly authentication: Client | undefined;
  readonly authorization: Client | undefined;
}

/** The clusters that review tokens and access. A pod's own, where neither is named and the process runs in a pod. */
async function openRemoteClients(
  { authentication, authorization }: ComponentOptions,
  {
    component,
    ...parts
  }: {
    readonly component: ComponentName;
    readonly clock: Clock;
    readonly log: Log;
    readonly metrics: PrintedMetrics;
  },
  signal: AbortSignal,
): Promise<RemoteClients> {
  const open = async (path: string): Promise<Client | undefined> => {
    // Upstream's rate: what waits here, waits at the endpoints.
    const limits = { timeoutMs: 10_000, qps: 200, burst: 400, userAgent: userAgentOf("delegated-reviews", component) };
    if (path !== "") return openClient(await loadClusterConfig({ path }, signal), { ...parts, ...limits });
    if ((process.env["KUBERNETES_SERVICE_HOST"] ?? "") === "") return undefined;
    try {
      return openClient(await inClusterConfig({}, signal), { ...parts, ...limits });
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error;
      parts.log.warn("failed to read in-cluster kubeconfig for delegated authentication and authorization", { error });
      return undefined;
    }
  };
  return {
    authentication: await open(authentication.remoteKubeconfig),
    authorization: await open(authorization.remoteKubeconfig),
  };
}

async function findAuthorities(
  { authentication: settings }: ComponentOptions,
  client: Client | undefined,
  log: Log,
  signal: AbortSignal,
): Promise<ClientAuthorities> {
  const given = await readGivenAuthorities(settings, readText);
  if (client === undefined || settings.skipLookup) return given;
  try {
    return overlay(given, await readPublishedAuthoritiesNow(client, signal));
  } catch (error) {
    if (!settings.tolerateInClusterLookupFailure) throw error;
    log.warn("Unable to get configmap/extension-apiserver-authentication in kube-system. Requests are anonymous", {
      error,
    });
    return given;
  }
}

/** What the flags say goes before what the cluster publishes. */
const overlay = (given: ClientAuthorities, published: ClientAuthorities): ClientAuthorities => ({
  clientAuthorities: given.clientAuthorities.length > 0 ? given.clientAuthorities : published.clientAuthorities,
  requestHeader: given.requestHeader ?? published.requestHeader,
});

const readText = (path: string) => readFile(path, "utf8");
