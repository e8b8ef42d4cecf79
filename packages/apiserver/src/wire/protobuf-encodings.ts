// The protobuf of objects, made at most once each and kept for as long as the object is: alone, as lists want it.
import type { KubernetesObject } from "@kubeloop/core/api";
import { type Clock, inFlight } from "@kubeloop/core/base";
import type { Protobuf } from "./protobuf/index.ts";

const encodings = new WeakMap<object, Uint8Array>();

/** Of a frozen object: the bytes are kept. */
export function rawOf(object: KubernetesObject, protobuf: Protobuf): Uint8Array {
  const known = encodings.get(object);
  if (known !== undefined) return known;
  const bytes = protobuf.encodeRaw(object);
  encodings.set(object, bytes);
  return bytes;
}

let loaded: Protobuf | undefined;

/** Loaded when the first client asks for it. */
export async function protobufOn(clock: Clock): Promise<Protobuf> {
  loaded ??= await inFlight(clock, "loading protobuf", async () => {
    const { loadProtobuf } = await import("./protobuf/index.ts");
    return await loadProtobuf();
  });
  return loaded;
}
