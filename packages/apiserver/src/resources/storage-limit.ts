// The largest object that etcd takes by its defaults, and what is answered for a larger one. A storage in memory would take it; whoever tests
// with this server wants to know before a real cluster says so.
import { type KubernetesObject, newStatusError } from "@kubeloop/core/api";
import { protobufOn } from "../wire/protobuf-encodings.ts";
import type { RequestScope } from "./request-scope.ts";

const mostStored = 1.5 * 1024 * 1024;
/** What a real server's connection to etcd carries at a time. */
const mostSent = 2 * 1024 * 1024;
/** What is sent beside the object itself, about. */
const besides = 15;

/** Throws 500, in etcd's words. */
export async function refuseTooLarge(object: KubernetesObject, { server }: RequestScope): Promise<void> {
  // To know exactly takes an encoding, and hardly ever is there need to.
  if (spareOf(object, mostStored) >= 0) return;
  const protobuf = await protobufOn(server.clock);
  const size = protobuf.encodeEnvelope(object).length + besides;
  if (size > mostSent) {
    const why = `trying to send message larger than max (${size} vs. ${mostSent})`;
    throw refused(`rpc error: code = ResourceExhausted desc = ${why}`);
  }
  if (size > mostStored) throw refused("etcdserver: request is too large");
}

const refused = (message: string) => newStatusError({ code: 500, reason: "", message });

/** Of so many bytes, those that would be left at least: letters take three at most, all else less than its name and sixteen. */
export function spareOf(value: unknown, bytes: number): number {
  if (typeof value === "string") return bytes - 3 * value.length - 16;
  if (typeof value !== "object" || value === null) return bytes - 16;
  let left = bytes - 16;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = spareOf(value[i], left);
    return left;
  }
  for (const name in value) {
    left = spareOf((value as Readonly<Record<string, unknown>>)[name], left - 3 * name.length);
    if (left < 0) return left;
  }
  return left;
}
