// Volumes and claims that were decided on, until the caches show what was written: a volume counts as promised to its claim, and a claim as provisioned on its
// node, so that the next decision does not give them away. An assumption holds only as long as the cached object is the one that it was made from.
import type { PersistentVolume, PersistentVolumeClaim } from "@kubeloop/core/types/core/v1";
import type { Listers } from "../framework/listers.ts";
import type { VolumesToBind } from "../framework/volumes-to-bind.ts";
import { boundByControllerAnnotation, isPromisedTo, selectedNodeAnnotation } from "../volumes/claims.ts";

type Assumable = PersistentVolume | PersistentVolumeClaim;

export class AssumedVolumes {
  readonly #volumes = new Map<string, PersistentVolume>();
  readonly #claims = new Map<string, PersistentVolumeClaim>();

  /** Returns the objects as they are to be written. */
  assume({ bindings, provisions }: VolumesToBind, nodeName: string): VolumesToBind {
    const assumed = {
      bindings: bindings.map(({ volume, claim }) => ({ volume: promise(volume, claim), claim })),
      provisions: provisions.map((claim) => selectNode(claim, nodeName)),
    };
    for (const { volume } of assumed.bindings) this.#volumes.set(keyOf(volume), volume);
    for (const claim of assumed.provisions) this.#claims.set(keyOf(claim), claim);
    return assumed;
  }

  /** What could not be written is free again. */
  revert({ bindings, provisions }: VolumesToBind): void {
    for (const { volume } of bindings) forget(this.#volumes, volume);
    for (const claim of provisions) forget(this.#claims, claim);
  }

  /** Returns listers that answer with what is assumed. */
  over(listers: Listers): Listers {
    const volumeNow = (cached: PersistentVolume) => current(this.#volumes, cached);
    return {
      ...listers,
      persistentVolume: (name) => {
        const cached = listers.persistentVolume(name);
        return cached === undefined ? undefined : volumeNow(cached);
      },
      persistentVolumes: () =>
        this.#volumes.size === 0 ? listers.persistentVolumes() : [...listers.persistentVolumes()].map(volumeNow),
      persistentVolumeClaim: (namespace, name) => {
        const cached = listers.persistentVolumeClaim(namespace, name);
        return cached === undefined ? undefined : current(this.#claims, cached);
      },
    };
  }
}

function current<T extends Assumable>(assumed: Map<string, T>, cached: T): T {
  const found = assumed.get(keyOf(cached));
  if (found === undefined) return cached;
  if (found.metadata.resourceVersion === cached.metadata.resourceVersion) return found;
  assumed.delete(keyOf(cached));
  return cached;
}

function forget<T extends Assumable>(assumed: Map<string, T>, object: T): void {
  if (assumed.get(keyOf(object)) === object) assumed.delete(keyOf(object));
}

function keyOf({ metadata: { namespace = "", name = "" } }: Assumable): string {
  return `${namespace}/${name}`;
}

/** A volume that its owner had promised to the claim is not marked as bound by a controller. */
function promise(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const reference = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
  const claimRef = Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined));
  const annotations = isPromisedTo(volume, claim)
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, [boundByControllerAnnotation]: "yes" };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      ...volume.spec,
      claimRef: volume.spec?.claimRef?.uid === uid ? (volume.spec?.claimRef ?? claimRef) : claimRef,
    },
  };
}

function selectNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: nodeName };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
