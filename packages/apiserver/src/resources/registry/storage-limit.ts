// The largest object that etcd takes by its defaults, and what is answered for a larger one. A storage in memory would take it; whoever tests
// with this server wants to know before a real cluster says so.
import { type KubernetesObject, newStatusError } from "@kubeloop/core/api";
import { encodeJson } from "../../wire/json-encodings.ts";
import { protobufOn } from "../../wire/protobuf-encodings.ts";
import { spareOf } from "./rough-size.ts";
import type { WriteContext } from "./write-context.ts";

const mostStored = 1.5 * 1024 * 1024;
/** What a real server's connection to etcd carries at a time. */
const mostSent = 2 * 1024 * 1024;
/** What is sent beside the object itself, about. */
const besides = 15;

/** Throws 500, in etcd's words. */
export async function refuseTooLarge(object: KubernetesObject, { server, served }: WriteContext): Promise<void> {
  // To know exactly takes an encoding, and hardly ever is there need to.
  if (spareOf(object, mostStored) >= 0) return;
  const { protobufMessage } = served.storedCodec;
  // What has no message is kept as JSON.
  const bytes =
    protobufMessage === undefined
      ? encodeJson(object)
      : (await protobufOn(server.clock)).encodeEnvelope(object, protobufMessage);
  const size = bytes.length + besides;
  if (size > mostSent) {
    const why = `trying to send message larger than max (${size} vs. ${mostSent})`;
    throw refused(`rpc error: code = ResourceExhausted desc = ${why}`);
  }
  if (size > mostStored) throw refused("etcdserver: request is too large");
}

const refused = (message: string) => newStatusError({ code: 500, reason: "", message });
