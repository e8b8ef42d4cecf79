// Writes to the server like many clients, one write after the other.

import { configMaps, pods } from "../../api/generated/resources.ts";
import { type corev1, keyOf } from "../../api/index.ts";
import { type Random, randomBelow } from "../../base/index.ts";
import { pick } from "./draw.fixture.ts";
import type { SimulatedServer } from "./simulated-server.fixture.ts";

export interface WriterOptions {
  readonly server: SimulatedServer;
  readonly random: Random;
}

export const writtenNamespaces: readonly string[] = ["alpha", "beta", "gamma"];
const namesEach = 150;

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #there: corev1.Pod[] = [];
  #count = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async create(): Promise<void> {
    const { server, random } = this.#options;
    const draw = () => ({ namespace: pick(random, writtenNamespaces), name: `pod-${randomBelow(random, namesEach)}` });
    let place = draw();
    while (server.get(pods, `${place.namespace}/${place.name}`) !== undefined) place = draw();
    await this.#create(place);
  }

  /**
   * Does one write, a delete and a create with the same name, or one write that is outside of
   * the informer's watch. Returns the number of writes to pods.
   */
  async write(): Promise<number> {
    const at = randomBelow(this.#options.random, this.#there.length);
    const chosen = this.#there[at];
    const what = pick(this.#options.random, [
      "create",
      "update",
      "update",
      "update",
      "update",
      "delete",
      "again",
      "other",
    ]);
    if (what === "other") return await this.#writeOther();
    if (what === "create" || chosen === undefined) await this.create();
    else if (what === "update") await this.#update(at, chosen);
    else await this.#delete(at, chosen);
    if (what !== "again" || chosen === undefined) return 1;
    await this.#create(placeOf(chosen));
    return 2;
  }

  async #create(place: Place): Promise<void> {
    this.#there.push(await this.#options.server.create(pods, this.#newPod(place)));
  }

  async #update(at: number, before: corev1.Pod): Promise<void> {
    this.#there[at] = await this.#options.server.update(pods, this.#newPod(placeOf(before)));
  }

  async #delete(at: number, before: corev1.Pod): Promise<void> {
    await this.#options.server.delete(pods, keyOf(before));
    this.#there.splice(at, 1);
  }

  /** Writes an object of another resource, which only increases the revision. */
  async #writeOther(): Promise<number> {
    const metadata = { namespace: "alpha", name: `other-${this.#count++}` };
    await this.#options.server.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata });
    return 0;
  }

  #newPod(place: Place): corev1.Pod {
    const shard = pick(this.#options.random, ["a", "b", "c"]);
    const write = String(this.#count++);
    // In the form in which a real server prints it, so that it is the same in either encoding.
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...place, labels: { shard }, annotations: { write } },
      spec: { containers: [{ name: "main", image: "none", resources: {} }] },
      status: {},
    };
  }
}

function placeOf({ metadata: { namespace = "", name = "" } }: corev1.Pod): Place {
  return { namespace, name };
}
