// The hash of a pod template: the label pod-template-hash of a Deployment's ReplicaSets and pods, and the end of their names. Byte for byte
// upstream's: FNV-1a of Go's dump of the template (go-dump.ts), then of the collision count, in the alphabet of generated names.
//
//   podTemplateHash(deployment.spec.template, deployment.status?.collisionCount)   // "5649dfd8cc"
//
// Not promised: the hash that another version of Kubernetes gives. Its templates have other fields. So nobody may compare hashes to tell
// whether templates are equal: that is `isSameTemplate` (pod-template.ts).
import { type corev1, safeEncode } from "@kubeloop/core/api";
import { type DumpOptions, dumpForHash } from "./go-dump.ts";

export function podTemplateHash(
  template: corev1.PodTemplateSpec,
  collisionCount: number | undefined,
  options: DumpOptions = {},
): string {
  const dump = new TextEncoder().encode(dumpForHash("v1.PodTemplateSpec", template, options));
  let hash = fnv1a(dump, fnvBasis);
  if (collisionCount !== undefined) {
    const count = new DataView(new ArrayBuffer(8));
    count.setInt32(0, collisionCount, true);
    hash = fnv1a(new Uint8Array(count.buffer), hash);
  }
  return safeEncode(String(hash));
}

const fnvBasis = 2_166_136_261;
const fnvPrime = 16_777_619;

function fnv1a(bytes: Uint8Array, basis: number): number {
  let hash = basis;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime);
  return hash >>> 0;
}
