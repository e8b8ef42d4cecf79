// The process: flags, manifests to print, and a manager with probes, metrics, leader election, the controller and its webhook.
import { parseArgs } from "node:util";
import type { Log } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { rbacObjects } from "@kubeloop/core/contract";
import {
  Manager,
  type ManagerOptions,
  type ServingCertificate,
  ServingCertificateFiles,
  validatingWebhookConfiguration,
  type WebhookAddress,
  WebhookServer,
} from "@kubeloop/core/runtime";
import { type Dns, loggedDns } from "./dns.ts";
import { newWebsiteController } from "./website-controller.ts";
import { websiteRules } from "./website-webhook.ts";

export const place = { namespace: "website-system", name: "website-operator" } as const;

export interface OperatorOptions extends Omit<ManagerOptions, "leaderElection"> {
  readonly dns: Dns;
  /** Of the webhook server; without it there is none. */
  readonly certificate?: ServingCertificate;
  /** 9443 unless given. */
  readonly webhookPort?: number;
}

/** A manager is made of options; nothing runs before `manager.run(signal)`. */
export function newOperator({ dns, certificate, webhookPort = 9443, ...options }: OperatorOptions) {
  const manager = new Manager({ ...options, leaderElection: place });
  manager.addController(newWebsiteController(dns));
  if (certificate === undefined) return { manager };
  const { metrics } = manager;
  const webhookServer = new WebhookServer({ certificate, port: webhookPort, metrics }).add(websiteRules);
  manager.add(webhookServer);
  return { manager, webhookServer };
}

/** What the operator must be allowed to do. */
export function rbacManifest() {
  const controller = newWebsiteController({ remove: async () => {} });
  return listOf(rbacObjects(controller, { serviceAccount: place, lease: place }));
}

/** Where the API server finds the webhook. Without `caPem`, cert-manager or another tool has to fill in who signed its certificate. */
export function webhookManifest(address: WebhookAddress = { service: place }) {
  return listOf([validatingWebhookConfiguration({ name: place.name, webhooks: [websiteRules], address })]);
}

function listOf<T extends object>(items: readonly T[]) {
  return { apiVersion: "v1", kind: "List", items };
}

export async function runOperator(args: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      kubeconfig: { type: "string" },
      "health-port": { type: "string", default: "8081" },
      /** Has tls.crt and tls.key, as a mounted secret has. Without it no webhook is served. */
      "certificate-folder": { type: "string" },
      /** Prints a manifest and ends: rbac or webhook. */
      print: { type: "string" },
    },
  });
  if (flags.print !== undefined) {
    const manifest = flags.print === "rbac" ? rbacManifest() : webhookManifest();
    console.log(JSON.stringify(manifest, undefined, 2));
    return;
  }
  const { kubeconfig: path, "certificate-folder": folder } = flags;
  const files = folder === undefined ? undefined : { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
  await using client = openClient(await loadClusterConfig(path === undefined ? {} : { path }, signal));
  const { manager } = newOperator({
    client,
    log,
    dns: loggedDns(log),
    healthServer: { port: Number(flags["health-port"]) },
    ...(files === undefined ? {} : { certificate: new ServingCertificateFiles(files) }),
  });
  await manager.run(signal);
}
