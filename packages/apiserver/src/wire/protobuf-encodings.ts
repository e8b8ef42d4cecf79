// The protobuf of objects, made once for many readers: alone, as lists want it.
import type { KubernetesObject } from "@kubeloop/core/api";
import { type Clock, inFlight } from "@kubeloop/core/base";
import { encodingOf } from "../storage/encodings.ts";
import type { Protobuf } from "./protobuf/index.ts";

/** Of a frozen object, as this message: the bytes are kept. */
export function rawOf(object: KubernetesObject, protobuf: Protobuf, messageName: string | undefined): Uint8Array {
  return encodingOf(object, "protobuf", () => protobuf.encodeRaw(object, messageName));
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
