// Binds the volumes of a pod that was decided on, before the pod itself is bound: promises volumes to their claims, tells provisioners the node, and waits until
// the PersistentVolume controller has completed all bindings. What was written is not taken back if it fails.
import { type Clock, deferred, KubeloopError, untilAborted } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { persistentVolumeClaims, persistentVolumes } from "@kubeloop/core/resources";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kubeloop/core/types/core/v1";
import type { Listers } from "../framework/listers.ts";
import type { VolumeBinding, VolumesToBind } from "../framework/volumes-to-bind.ts";
import { type BindingProgress, checkBindings } from "../volumes/check-bindings.ts";
import { boundByControllerAnnotation, selectedNodeAnnotation } from "../volumes/claims.ts";
import { TranslationError } from "../volumes/csi-migration.ts";
import type { AssumedVolumes } from "./assumed-volumes.ts";

export class VolumeBindingError extends KubeloopError {
  constructor(message: string) {
    super(`binding volumes: ${message}`, { reason: "VolumeBinding" });
  }
}

export interface VolumeBinderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly assumed: AssumedVolumes;
}

/** What is to be bound for a pod, and the caches that show how far it has got. */
export interface PodVolumes {
  readonly pod: Pod;
  readonly nodeName: string;
  /** As they are to be written. */
  readonly volumes: VolumesToBind;
  readonly cached: {
    readonly node: () => Node | undefined;
    readonly pod: () => Pod | undefined;
    readonly listers: Listers;
  };
  /** Default: 10 minutes. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 600_000;

export class VolumeBinder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #assumed: AssumedVolumes;
  /** Each looks whether what it waits for has come. */
  readonly #waiting = new Set<() => void>();

  constructor({ client, clock, assumed }: VolumeBinderOptions) {
    this.#client = client;
    this.#clock = clock.labelled({ kind: "background", name: "volume bindings" });
    this.#assumed = assumed;
  }

  /** A volume or claim has changed, or a pod has gone. */
  look(): void {
    for (const each of [...this.#waiting]) each();
  }

  /** Throws a VolumeBindingError if the bindings have failed or take too long, and the client's error if they cannot be written. */
  async bind(
    { pod, nodeName, volumes, cached, timeoutMs = defaultTimeoutMs }: PodVolumes,
    signal: AbortSignal,
  ): Promise<void> {
    const written = await this.#write(volumes, signal);
    const check = () => {
      const node = cached.node();
      if (node === undefined) return failed(`failed to get node "${nodeName}": node "${nodeName}" not found`);
      if (cached.pod() === undefined) {
        return failed(`pod does not exist any more: pod "${pod.metadata.name ?? ""}" not found`);
      }
      return checkBindings(written, node, cached.listers);
    };
    await this.#untilBound(check, timeoutMs, signal);
  }

  /** Returns what the server has stored. If a write fails, what is not written is not assumed any more. */
  async #write(volumes: VolumesToBind, signal: AbortSignal): Promise<VolumesToBind> {
    const bindings: VolumeBinding[] = [];
    const provisions: PersistentVolumeClaim[] = [];
    try {
      for (const { volume, claim } of volumes.bindings) {
        bindings.push({ volume: await this.#promise(volume, signal), claim });
      }
      for (const claim of volumes.provisions) provisions.push(await this.#selectNode(claim, signal));
      return { bindings, provisions };
    } catch (error) {
      this.#assumed.revert({
        bindings: volumes.bindings.slice(bindings.length),
        provisions: volumes.provisions.slice(provisions.length),
      });
      throw error;
    }
  }

  async #untilBound(check: () => BindingProgress, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const ended = deferred();
    const look = () => {
      try {
        const progress = check();
        if (progress.at === "bound") ended.resolve();
        else if (progress.at === "failed") ended.reject(new VolumeBindingError(progress.message));
      } catch (error) {
        if (!(error instanceof TranslationError)) throw error;
        ended.reject(new VolumeBindingError(`failed to translate pv to csi: ${error.message}`));
      }
    };
    this.#waiting.add(look);
    using _timer = this.#clock.after(timeoutMs, () =>
      ended.reject(new VolumeBindingError("context deadline exceeded")),
    );
    try {
      look();
      await untilAborted(ended.promise, signal);
    } finally {
      this.#waiting.delete(look);
    }
  }

  async #promise({ metadata, spec }: PersistentVolume, signal: AbortSignal): Promise<PersistentVolume> {
    const { name = "", resourceVersion, annotations } = metadata;
    const bound = annotations?.[boundByControllerAnnotation];
    const body = {
      metadata: {
        resourceVersion,
        ...(bound === undefined ? {} : { annotations: { [boundByControllerAnnotation]: bound } }),
      },
      spec: { claimRef: spec?.claimRef },
    };
    return await this.#client.resource(persistentVolumes).patch(name, { type: "merge", body }, signal);
  }

  async #selectNode({ metadata }: PersistentVolumeClaim, signal: AbortSignal): Promise<PersistentVolumeClaim> {
    const { name = "", namespace = "", resourceVersion, annotations } = metadata;
    const selected = annotations?.[selectedNodeAnnotation];
    const body = { metadata: { resourceVersion, annotations: { [selectedNodeAnnotation]: selected } } };
    const claims = this.#client.resource(persistentVolumeClaims).in(namespace);
    return await claims.patch(name, { type: "merge", body }, signal);
  }
}

function failed(message: string): BindingProgress {
  return { at: "failed", message };
}
