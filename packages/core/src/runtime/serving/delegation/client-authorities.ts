// Which authorities sign the certificates of clients and of front proxies, as the cluster publishes them in the ConfigMap
// kube-system/extension-apiserver-authentication, which can be followed while the process runs.
import type { X509Certificate } from "node:crypto";
import { configMaps } from "../../../api/generated/resources.ts";
import type { corev1 } from "../../../api/index.ts";
import { type Clock, type Log, type Random, toError } from "../../../base/index.ts";
import type { Client } from "../../../client/index.ts";
import { SharedInformerFactory } from "../../../informer/index.ts";
import { readAuthorities } from "./verify-certificate.ts";

export interface RequestHeaderAuthorities {
  readonly authorities: readonly X509Certificate[];
  /** Common names of proxies; any unless given. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface ClientAuthorities {
  readonly clientAuthorities: readonly X509Certificate[];
  readonly requestHeader: RequestHeaderAuthorities | undefined;
}

const namespace = "kube-system";
const name = "extension-apiserver-authentication";

/** From the cluster's ConfigMap; what it does not say is not there. */
export function readPublishedAuthorities({ data = {} }: Pick<corev1.ConfigMap, "data">): ClientAuthorities {
  const list = (key: string): readonly string[] => {
    const text = data[key];
    return text === undefined ? [] : (JSON.parse(text) as readonly string[]);
  };
  const proxy = data["requestheader-client-ca-file"];
  return {
    clientAuthorities: readAuthorities(data["client-ca-file"] ?? ""),
    requestHeader:
      proxy === undefined
        ? undefined
        : {
            authorities: readAuthorities(proxy),
            allowedNames: list("requestheader-allowed-names"),
            usernameHeaders: list("requestheader-username-headers"),
            uidHeaders: list("requestheader-uid-headers"),
            groupHeaders: list("requestheader-group-headers"),
            extraHeaderPrefixes: list("requestheader-extra-headers-prefix"),
          },
  };
}

export interface FollowAuthoritiesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onChange: (authorities: ClientAuthorities) => void;
}

/** Until aborted. A ConfigMap that cannot be read leaves what was read before. */
export async function followPublishedAuthorities(
  options: FollowAuthoritiesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, random, log, onChange } = options;
  await using factory = new SharedInformerFactory(client, {
    namespace,
    clock,
    random,
    log,
    tweak: (scope) => ({ ...scope, fieldSelector: `metadata.name=${name}` }),
  });
  const take = (map: Pick<corev1.ConfigMap, "data">) => {
    try {
      onChange(readPublishedAuthorities(map));
    } catch (error) {
      log.error("the cluster's client authorities cannot be read, the old ones stay", { error: toError(error) });
    }
  };
  factory.of(configMaps).informer.addEventHandler({ onAdd: take, onUpdate: (_before, after) => take(after) });
  await factory.run(signal);
}

/** Throws if it is not there or may not be read. */
export async function readPublishedAuthoritiesNow(client: Client, signal: AbortSignal): Promise<ClientAuthorities> {
  return readPublishedAuthorities(await client.resource(configMaps).in(namespace).get(name, signal));
}
