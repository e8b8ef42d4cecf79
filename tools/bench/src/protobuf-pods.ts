// The pods of the informer benches in protobuf: as a list in pieces, and as frames of updates, which are made as they are sent because all of them would take half a gigabyte.
import { loadProtobuf } from "@kubeloop/core/api";

const identity = { kind: "Pod", apiVersion: "v1" } as const;

export interface ProtobufPods {
  readonly list: readonly Uint8Array[];
  /** So many updates from this pod on, with versions one after the other. */
  updates(first: number, count: number, version: number): Uint8Array;
}

/** `pods` are JSON without kind and version. All versions have as many digits. */
export async function encodePods(pods: readonly string[], listVersion: number): Promise<ProtobufPods> {
  const protobuf = await loadProtobuf();
  const raws = pods.map((text) => protobuf.encodeRaw({ ...(JSON.parse(text) as object), ...identity }));
  const head = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: String(listVersion) } };
  const frames = raws.map((raw, index) => {
    const frame = Buffer.from(protobuf.encodeWatchFrame("MODIFIED", protobuf.wrapRaw(identity, raw)));
    const { metadata } = JSON.parse(pods[index] ?? "") as { readonly metadata: { readonly resourceVersion: string } };
    return { frame, versionAt: frame.indexOf(metadata.resourceVersion, frame.indexOf("k8s\0")) };
  });
  return {
    list: [...protobuf.listEnvelopePieces(head, raws)],
    updates(first, count, version) {
      const some = frames.slice(first, first + count);
      some.forEach(({ frame, versionAt }, i) => {
        frame.write(String(version + i), versionAt, "latin1");
      });
      return Buffer.concat(some.map(({ frame }) => frame));
    },
  };
}
