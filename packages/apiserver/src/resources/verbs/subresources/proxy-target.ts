// To whom a proxied request would go: `name`, `name:port` or `scheme:name:port`. Without machines nobody is reached; what a real server finds
// out before it dials is found out here too.
import {
  type corev1,
  type KubernetesObject,
  newBadRequest,
  newNotFound,
  newServiceUnavailable,
  quote,
  type StatusError,
} from "@kubeloop/core/api";
import { parseIp } from "../../../kinds/shared/ip-address.ts";
import { storageKeyOf } from "../../registry/write-context.ts";
import type { RequestScope } from "../request-scope.ts";

export interface ProxyTarget {
  readonly name: string;
  readonly port: string;
}

/** Throws 400. */
export function proxyTargetOf(asked: string, what: "pod" | "service"): ProxyTarget {
  const parts = asked.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts];
  const isKnown = parts.length <= 3 && ["", "http", "https"].includes(scheme ?? "");
  if (!isKnown || name === undefined || name === "") throw newBadRequest(`invalid ${what} request ${quote(asked)}`);
  return { name, port: port ?? "" };
}

/** Only addresses that are a pod's own are dialled. Throws 400. */
export function checkPodAddress({ status }: corev1.Pod): void {
  const address = status?.podIPs?.[0]?.ip || status?.podIP || "";
  if (!isGlobalUnicast(address)) throw newBadRequest("address not allowed");
}

/** Neither nowhere, nor oneself, nor many, nor only the next cable. */
function isGlobalUnicast(text: string): boolean {
  const address = parseIp(text);
  if (address === undefined) return false;
  const { parts, family } = address;
  const [first = 0, second = 0] = parts;
  if (parts.every((part) => part === 0)) return false;
  if (family === "IPv6") {
    const isLoopback = parts.slice(0, -1).every((part) => part === 0) && parts.at(-1) === 1;
    return !isLoopback && first < 0xff00 && (first & 0xffc0) !== 0xfe80;
  }
  const isBroadcast = parts.every((part) => part === 255);
  return first !== 127 && !(first >= 224 && first < 240) && !(first === 169 && second === 254) && !isBroadcast;
}

/** Why a service cannot be reached, or undefined for one that has somebody behind it. */
export async function serviceFault(scope: RequestScope, { name, port }: ProxyTarget): Promise<StatusError | undefined> {
  const read = async (collection: string): Promise<KubernetesObject> => {
    const { key } = storageKeyOf(scope, name);
    const object = await scope.server.storage.get({ collection, key });
    if (object === undefined) throw newNotFound(scope.served.groupResource, name);
    return object;
  };
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = (await read("services")) as corev1.Service;
    const isServed = (spec?.ports ?? []).some((each) => each.port === Number(port));
    if (!isServed) {
      return newServiceUnavailable(`no service port ${Number(port)} found for service ${quote(name)}`);
    }
  }
  const { subsets = [] } = (await read("endpoints")) as corev1.Endpoints;
  const isReady = subsets.some(({ addresses = [] }) => addresses.length > 0);
  return isReady ? undefined : newServiceUnavailable(`no endpoints available for service ${quote(name)}`);
}
