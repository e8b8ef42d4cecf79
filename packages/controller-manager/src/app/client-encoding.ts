// The encoding that --kube-api-content-type asks for: protobuf, unless the flag names JSON. What is written is always JSON, which every server reads;
// a server without protobuf answers in JSON, whatever the flag says.
import type { Encoding } from "@kubeloop/core/client";

export function encodingOfContentType(contentType: string): Encoding {
  return contentType.split(";")[0]?.trim() === "application/json" ? "json" : "protobuf";
}
