// `kubeloop up --demo`: a small shop is created, rolled, overfilled and moved off a node, and each step is told with what the cluster shows: nothing is
// told that was not seen. The shop stays in the end.
//
// Promises: it is a client like any other and uses public API only. A shop of an earlier demonstration is removed first.
import { isNotFound, isTooManyRequests, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import { type Clock, KubeloopError } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import {
  deployments,
  endpointSlices,
  events,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  resourceQuotas,
  serviceAccounts,
  services,
} from "@kubeloop/core/resources";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { podLimit, shopBudget, shopDeployments, shopNamespace, shopQuota, shopServices } from "./shop.ts";

export interface DemoParts {
  readonly client: Client;
  readonly clock: Clock;
  /** One step, in sentences. */
  say(text: string): void;
}

const lookEveryMs = 100;
const patienceMs = 120_000;

export async function runDemo(parts: DemoParts, signal: AbortSignal): Promise<void> {
  const demo = new Demo(parts, signal);
  await demo.open();
  await demo.createShop();
  await demo.roll();
  await demo.overfill();
  await demo.drain();
  parts.say(`The shop stays: kubectl get all --namespace ${shopNamespace}`);
}

class Demo {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #say: (text: string) => void;
  readonly #signal: AbortSignal;

  constructor({ client, clock, say }: DemoParts, signal: AbortSignal) {
    this.#client = client;
    this.#clock = clock;
    this.#say = (text) => say(text);
    this.#signal = signal;
  }

  async open(): Promise<void> {
    const all = this.#client.resource(namespaces);
    if ((await this.#find(namespaces, shopNamespace)) !== undefined) {
      await all.delete(shopNamespace, {}, this.#signal);
      await this.#until(
        "the last shop is gone",
        async () => (await this.#find(namespaces, shopNamespace)) === undefined,
      );
      this.#say("The shop of the last demonstration is gone: the namespace controller has deleted what was in it.");
    }
    await all.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: shopNamespace } }, this.#signal);
    const hasAccount = async () => (await this.#find(serviceAccounts, "default", shopNamespace)) !== undefined;
    await this.#until("the namespace has its account", hasAccount);
    this.#say(
      `Namespace ${shopNamespace} is there; the serviceaccount controller has given it the account that pods run as.`,
    );
  }

  async createShop(): Promise<void> {
    const beganMs = this.#clock.monotonic();
    await this.#create(resourceQuotas, shopQuota);
    await this.#create(podDisruptionBudgets, shopBudget);
    for (const service of shopServices) await this.#create(services, service);
    for (const deployment of shopDeployments) await this.#create(deployments, deployment);
    for (const { metadata } of shopDeployments) await this.#untilRolledOut(metadata.name ?? "");
    const web = await this.#podsOf("web");
    const sets = (await this.#list(replicaSets)).filter(({ metadata }) => metadata.labels?.["app"] === "web");
    this.#say(
      `Deployment web: the deployment controller made ReplicaSet ${sets[0]?.metadata.name}, the replicaset controller ${web.length} pods, ` +
        `the scheduler put them on ${placesOf(web)}, and they are ready after ${this.#seconds(beganMs)} s.`,
    );
    const addresses = await this.#until("the service has its addresses", async () => {
      const found = (await this.#list(endpointSlices))
        .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web")
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready === true)
        .flatMap(({ addresses: own }) => own);
      return found.length === web.length && found;
    });
    this.#say(`Service web: the endpointslice controller has found ${addresses.join(", ")}.`);
  }

  async roll(): Promise<void> {
    const beganMs = this.#clock.monotonic();
    const container = { name: "web", image: "shop/web:2" };
    const body = { spec: { template: { spec: { containers: [container] } } } };
    await this.#client.resource(deployments).in(shopNamespace).patch("web", { type: "strategic", body }, this.#signal);
    let fewest = Number.POSITIVE_INFINITY;
    await this.#untilRolledOut("web", ({ status }) => {
      fewest = Math.min(fewest, status?.availableReplicas ?? 0);
    });
    this.#say(
      `Image shop/web:2: the deployment controller has replaced the pods step by step in ${this.#seconds(beganMs)} s; ` +
        `never fewer than ${fewest} were available. \`kubectl rollout undo deployment web --namespace ${shopNamespace}\` goes back.`,
    );
  }

  async overfill(): Promise<void> {
    await this.#scale("api", 20);
    const refusal = await this.#until("the quota refuses pods", async () =>
      (await this.#list(events)).find(({ reason, message }) => reason === "FailedCreate" && message?.includes("quota")),
    );
    const used = (await this.#list(resourceQuotas))[0]?.status?.used?.["pods"];
    this.#say(
      `Deployment api wants 20 pods, and the quota holds at ${podLimit} (${used} are there): "${refusal.message?.split(", requested")[0]}".`,
    );
    await this.#scale("api", 2);
    await this.#untilRolledOut("api");
    this.#say("Scaled back to 2: the replicaset controller has deleted the rest, and the quota has room again.");
  }

  async drain(): Promise<void> {
    const [first] = (await this.#podsOf("web")).map(({ spec }) => spec.nodeName ?? "").sort();
    if (first === undefined) return;
    await this.#client
      .resource(nodes)
      .patch(first, { type: "merge", body: { spec: { unschedulable: true } } }, this.#signal);
    const leaving = (await this.#list(pods)).filter(({ spec }) => spec.nodeName === first);
    let refusals = 0;
    for (const pod of leaving)
      await this.#until(`${pod.metadata.name} may leave`, async () => {
        const mayLeave = await this.#evict(pod);
        if (!mayLeave) refusals++;
        return mayLeave;
      });
    await this.#until(`${first} is empty`, async () =>
      (await this.#list(pods)).every(
        ({ spec, metadata }) => spec.nodeName !== first || metadata.deletionTimestamp !== undefined,
      ),
    );
    for (const { metadata } of shopDeployments) await this.#untilRolledOut(metadata.name ?? "");
    const budget =
      refusals === 0
        ? "the disruption budget of web had no objection"
        : `the disruption budget of web said no ${refusals} times`;
    this.#say(
      `Node ${first} is drained: ${leaving.length} pods were evicted, ${budget}, and web runs on ${placesOf(await this.#podsOf("web"))}.`,
    );
    await this.#client
      .resource(nodes)
      .patch(first, { type: "merge", body: { spec: { unschedulable: null } } }, this.#signal);
  }

  async #evict({ metadata: { name = "" } }: Pod): Promise<boolean> {
    const metadata = { name, namespace: shopNamespace };
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata } as const;
    try {
      await this.#client.resource(pods).in(shopNamespace).subresource("eviction").create(name, eviction, this.#signal);
      return true;
    } catch (error) {
      if (isNotFound(error)) return true;
      if (isTooManyRequests(error)) return false;
      throw error;
    }
  }

  async #scale(name: string, replicas: number): Promise<void> {
    const body = { spec: { replicas } };
    await this.#client.resource(deployments).in(shopNamespace).patch(name, { type: "merge", body }, this.#signal);
  }

  async #untilRolledOut(name: string, look: (seen: Deployment) => void = () => {}): Promise<void> {
    await this.#until(`${name} is rolled out`, async () => {
      const seen = await this.#client.resource(deployments).in(shopNamespace).get(name, this.#signal);
      look(seen);
      const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = seen.status ?? {};
      const isObserved = observedGeneration >= (seen.metadata.generation ?? 0);
      const wanted = seen.spec?.replicas ?? 1;
      return isObserved && [updatedReplicas, availableReplicas, replicas].every((count) => count === wanted);
    });
  }

  async #podsOf(app: string): Promise<readonly Pod[]> {
    return (await this.#list(pods)).filter(
      ({ metadata }) => metadata.labels?.["app"] === app && metadata.deletionTimestamp === undefined,
    );
  }

  async #create<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<void> {
    await this.#client
      .resource(resource)
      .in(shopNamespace)
      .create(object as never, this.#signal);
  }

  async #list<T extends KubernetesObject>(resource: Resource<T>): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const object of this.#client.resource(resource).in(shopNamespace).list({}, this.#signal))
      found.push(object as T);
    return found;
  }

  async #find<T extends KubernetesObject>(
    resource: Resource<T>,
    name: string,
    namespace?: string,
  ): Promise<T | undefined> {
    const all = this.#client.resource(resource);
    try {
      return (await (namespace === undefined ? all : all.in(namespace)).get(name, this.#signal)) as T;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #until<T>(what: string, look: () => Promise<T>): Promise<Exclude<T, false | undefined>> {
    const lastMs = this.#clock.monotonic() + patienceMs;
    for (;;) {
      const seen = await look();
      if (seen !== false && seen !== undefined) return seen as Exclude<T, false | undefined>;
      if (this.#clock.monotonic() > lastMs)
        throw new KubeloopError(`the demonstration waited ${patienceMs / 1000} s in vain: ${what}`, {
          reason: "Timeout",
        });
      await this.#clock.sleep(lookEveryMs, this.#signal);
    }
  }

  #seconds(sinceMs: number): string {
    return ((this.#clock.monotonic() - sinceMs) / 1000).toFixed(1);
  }
}

const placesOf = (placed: readonly Pod[]) => [...new Set(placed.map(({ spec }) => spec.nodeName))].sort().join(", ");
