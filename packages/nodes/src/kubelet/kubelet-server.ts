// The port of the hollow nodes of a process: one HTTPS server for all of them, where a kube-apiserver finds logs, exec and attach. Callers show a certificate
// of the cluster's client authority (kube-system/extension-apiserver-authentication) or a token that the cluster knows; it is asked what they may.
import type { corev1 } from "@kubeloop/core/api";
import type { Clock, Log } from "@kubeloop/core/base";
import type { CertificatePair, Client } from "@kubeloop/core/client";
import {
  AccessReviews,
  Authentication,
  type ClientAuthorities,
  fixedCertificate,
  HttpServer,
  readPublishedAuthorities,
} from "@kubeloop/core/runtime";
import { type KubeletParts, kubeletHandler } from "./kubelet-handler.ts";

export interface KubeletServing {
  /** The address to listen on; the nodes should have it, too. */
  readonly host: string;
  /** Default: any that is free. The nodes report it. */
  readonly port?: number;
  /** A kube-apiserver looks at it only with --kubelet-certificate-authority. */
  readonly certificate: CertificatePair;
}

export interface KubeletServerOptions extends Pick<KubeletParts, "connector" | "findPod" | "pods"> {
  readonly serving: KubeletServing;
  readonly client: Client;
  /** The ConfigMap kube-system/extension-apiserver-authentication as it is now. */
  readonly authorities: () => corev1.ConfigMap | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

// As long as a kubelet remembers them.
const tokenTtlMs = 120_000;
const allowTtlMs = 300_000;
const denyTtlMs = 30_000;

export function newKubeletServer(options: KubeletServerOptions): HttpServer {
  const { serving, client, clock, log, ...parts } = options;
  const authentication = new Authentication({
    clock,
    client,
    tokenTtlMs,
    authorities: rememberLast(options.authorities, log),
  });
  const reviews = new AccessReviews({ clock, client, allowTtlMs, denyTtlMs });
  return new HttpServer("kubelet", kubeletHandler({ ...parts, authentication, reviews }), {
    host: serving.host,
    port: serving.port ?? 0,
    certificate: fixedCertificate(serving.certificate),
    tls: { asksForCertificate: true },
    takesUpgrades: true,
    // Whoever follows a log waits for no end.
    closeGraceMs: 0,
    clock,
    log,
  });
}

const noAuthorities: ClientAuthorities = { clientAuthorities: [], requestHeader: undefined };

/** Reads each state of the ConfigMap once. A kubelet knows no front proxies. One that cannot be read vouches for nobody. */
function rememberLast(find: () => corev1.ConfigMap | undefined, log: Log): () => ClientAuthorities {
  let seen: corev1.ConfigMap | undefined;
  let read = noAuthorities;
  return () => {
    const map = find();
    if (map === seen) return read;
    seen = map;
    try {
      read = map === undefined ? noAuthorities : { ...readPublishedAuthorities(map), requestHeader: undefined };
    } catch (error) {
      read = noAuthorities;
      log.error("the cluster's client authorities cannot be read", { error });
    }
    return read;
  };
}
