// Writes the objects of a generated case to a server, and removes them.
import { printTime } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  eventsEvents,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  services,
  storageClasses,
  volumeAttachments,
} from "@kubeloop/core/resources";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@kubeloop/core/types/core/v1";
import { caseNamespaces, type GeneratedCase } from "./generated-case.fixture.ts";
import type { GeneratedStorage } from "./generated-volumes.fixture.ts";

/** How long upstream's caches may take until they hold what was written. */
const settleMs = 500;

export class CaseObjects {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor({ client, clock }: { readonly client: Client; readonly clock: Clock }, signal: AbortSignal) {
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Resolves when upstream has seen it all. */
  async create({ nodes: drawn, storage, ...generated }: GeneratedCase): Promise<void> {
    const [client, signal] = [this.#client, this.#signal];
    for (const node of drawn) await client.resource(nodes).create(node, signal);
    await this.#createStorage(storage);
    await Promise.all([
      ...generated.services.map((service) => client.resource(services).create(service, signal)),
      ...generated.replicaSets.map((set) => client.resource(replicaSets).create(set, signal)),
      ...generated.bound.map((pod) => client.resource(pods).create(pod, signal)),
    ]);
    for (const budget of generated.budgets) {
      const { resourceVersion } = (await client.resource(podDisruptionBudgets).create(budget, signal)).metadata;
      const metadata = { ...budget.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      await client.resource(podDisruptionBudgets).updateStatus({ ...budget, metadata }, signal);
    }
    if (generated.bound.some(({ spec }) => spec.priorityClassName !== undefined)) await this.#startAll(generated.bound);
    for (const { metadata } of generated.bound) {
      const { name = "", namespace = "" } = metadata;
      if (!generated.terminating.includes(name)) continue;
      await client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 3600 }, signal);
    }
    await this.settle();
  }

  /** Creates the bound pods of a case anew, all started at the same time. Resolves when upstream has seen them. */
  async recreatePods({ bound }: Pick<GeneratedCase, "bound">): Promise<void> {
    for (const namespace of Object.keys(caseNamespaces)) await this.deletePods(namespace);
    await Promise.all(
      bound.map(async (pod) => {
        await this.#client.resource(pods).create(pod, this.#signal);
        await this.start(pod, 0);
      }),
    );
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.#clock.sleep(settleMs, this.#signal);
  }

  async start({ metadata: { name = "", namespace = "" } }: Pod, minute: number): Promise<Pod> {
    const startTime = printTime(Date.parse("2026-01-01T00:00:00Z") + minute * 60_000);
    const patch = { type: "merge", body: { status: { startTime, phase: "Running" } } } as const;
    return await this.#client.resource(pods).in(namespace).subresource("status").patch(name, patch, this.#signal);
  }

  /** What upstream sees of it later, the next case waits for. */
  async deleteAll(): Promise<void> {
    const [client, signal] = [this.#client, this.#signal];
    for (const namespace of Object.keys(caseNamespaces)) {
      await this.deletePods(namespace);
      await client.resource(replicaSets).in(namespace).deleteCollection({}, signal);
      await client.resource(podDisruptionBudgets).in(namespace).deleteCollection({}, signal);
      await client.resource(eventsEvents).in(namespace).deleteCollection({}, signal);
      await client.resource(csiStorageCapacities).in(namespace).deleteCollection({}, signal);
      for await (const { metadata } of client.resource(services).in(namespace).list({}, signal)) {
        const { name = "" } = metadata;
        await client.resource(services).in(namespace).delete(name, signal);
      }
      const claims = client.resource(persistentVolumeClaims).in(namespace);
      await claims.deleteCollection({}, signal);
      for await (const { metadata } of claims.list({}, signal)) {
        const patch = { type: "merge", body: { metadata: { finalizers: null } } } as const;
        await claims.patch(metadata.name ?? "", patch, signal);
      }
    }
    await Promise.all([
      client.resource(nodes).deleteCollection({}, signal),
      client.resource(persistentVolumes).deleteCollection({}, signal),
      client.resource(storageClasses).deleteCollection({}, signal),
      client.resource(csiNodes).deleteCollection({}, signal),
      client.resource(csiDrivers).deleteCollection({}, signal),
      client.resource(volumeAttachments).deleteCollection({}, signal),
    ]);
  }

  async deletePods(namespace: string): Promise<void> {
    await this.#client.resource(pods).in(namespace).deleteCollection({ gracePeriodSeconds: 0 }, this.#signal);
  }

  async createVolume(volume: PersistentVolume): Promise<void> {
    const volumes = this.#client.resource(persistentVolumes);
    const created = await volumes.create(volume, this.#signal);
    await volumes.updateStatus({ ...created, status: { ...volume.status } }, this.#signal);
  }

  /** Completes the binding of the claim, as the PersistentVolume controller does. */
  async bindClaim({ metadata }: PersistentVolumeClaim, volumeName: string): Promise<void> {
    const { namespace = "", name = "" } = metadata;
    const volume = { type: "merge", body: { status: { phase: "Bound" } } } as const;
    await this.#client.resource(persistentVolumes).subresource("status").patch(volumeName, volume, this.#signal);
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    const claim = { type: "merge", body: { metadata: { annotations }, spec: { volumeName } } } as const;
    await this.#client.resource(persistentVolumeClaims).in(namespace).patch(name, claim, this.#signal);
  }

  /** Gives each bound pod a start time of its own, so that no two are of the same importance. */
  async #startAll(bound: readonly Pod[]): Promise<void> {
    // A prime number that is larger than any number of pods.
    for (const [index, pod] of bound.entries()) await this.start(pod, (index * 7) % 997);
  }

  async #createStorage(storage: GeneratedStorage): Promise<void> {
    const [client, signal] = [this.#client, this.#signal];
    await Promise.all([
      ...storage.classes.map((each) => client.resource(storageClasses).create(each, signal)),
      ...storage.drivers.map((each) => client.resource(csiDrivers).create(each, signal)),
      ...storage.csiNodes.map((each) => client.resource(csiNodes).create(each, signal)),
      ...storage.capacities.map((each) => client.resource(csiStorageCapacities).create(each, signal)),
      ...storage.attachments.map((each) => client.resource(volumeAttachments).create(each, signal)),
      ...storage.volumes.map((each) => this.createVolume(each)),
      ...storage.claims.map((each) => this.#createClaim(each, storage.terminating)),
    ]);
  }

  async #createClaim(claim: PersistentVolumeClaim, terminating: readonly string[]): Promise<void> {
    const { name = "", namespace = "" } = claim.metadata;
    const claims = this.#client.resource(persistentVolumeClaims).in(namespace);
    const created = await claims.create(claim, this.#signal);
    await claims.updateStatus({ ...created, status: { ...claim.status } }, this.#signal);
    if (terminating.includes(name)) await claims.delete(name, this.#signal);
  }
}
