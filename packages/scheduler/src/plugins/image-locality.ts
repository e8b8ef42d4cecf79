// ImageLocality: prefers nodes that have the pod's images already, larger ones more. An image that few nodes have counts less, so that not every
// pod of a set goes to the first node that pulled it.

import type { Pod } from "@kubeloop/core/types/core/v1";
import { maxNodeScore, type Plugin } from "../framework/plugin.ts";
import type { ImageState, Snapshot } from "../snapshot/snapshot.ts";

const mebibyte = 1024 * 1024;
const minBytes = 23 * mebibyte;
const maxBytesPerContainer = 1000 * mebibyte;

export const imageLocality: Plugin = {
  name: "ImageLocality",
  preScore: ({ pod: { pod }, snapshot }) => {
    const images = presentImages(pod, snapshot);
    const containers = pod.spec.containers.length + (pod.spec.initContainers?.length ?? 0);
    const maxBytes = maxBytesPerContainer * containers;
    if (images.length === 0) return { score: () => 0 };
    const total = snapshot.nodes.length;
    const scaled = images.map(({ size, nodes }) => ({ nodes, bytes: Math.trunc(size * (nodes.size / total)) }));
    return {
      score: ({ name }) => {
        let sum = 0;
        for (const { nodes, bytes } of scaled) if (nodes.has(name)) sum += bytes;
        const bounded = Math.max(minBytes, Math.min(maxBytes, sum));
        return Math.trunc((maxNodeScore * (bounded - minBytes)) / (maxBytes - minBytes));
      },
    };
  },
};

/** Returns those of the pod's images that some node has; one that several containers use is there as often. */
function presentImages(pod: Pod, snapshot: Snapshot): readonly ImageState[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ image = "" }) => image);
  const volumes = (pod.spec.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : [image.reference ?? ""]));
  return [...containers, ...volumes].flatMap((name) => snapshot.image(withTag(name)) ?? []);
}

/** Appends `:latest` if the name has no tag. A colon before the last slash is a registry's port. */
function withTag(name: string): string {
  return name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
}
