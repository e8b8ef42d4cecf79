// Writes to the server as many clients would, and writes down beside it what each write means for the informer.

import { configMaps, pods } from "../../api/generated/resources.ts";
import { type corev1, keyOf } from "../../api/index.ts";
import { type Random, randomBelow } from "../../base/index.ts";
import type { FakeApiServer } from "../fake-server/index.ts";
import { pick } from "./draw.fixture.ts";
import type { Truth } from "./truth.fixture.ts";

export interface WriterOptions {
  readonly server: FakeApiServer;
  readonly random: Random;
  readonly truth: Truth;
  /** Whether the informer is to see it. */
  readonly isShown: (pod: corev1.Pod) => boolean;
  /** How the informer is to see it. */
  readonly shownAs: (pod: corev1.Pod) => corev1.Pod;
}

const namespaces = ["alpha", "beta", "gamma"];
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

  isShown(pod: corev1.Pod): boolean {
    return this.#options.isShown(pod);
  }

  create(): void {
    const { server, random } = this.#options;
    const draw = () => ({ namespace: pick(random, namespaces), name: `pod-${randomBelow(random, namesEach)}` });
    let place = draw();
    while (server.get(pods, `${place.namespace}/${place.name}`) !== undefined) place = draw();
    this.#create(place);
  }

  /** One write, two that belong together, or one that the informer is not to hear of. Returns how many it is to hear of. */
  write(): number {
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
    if (what === "other") return this.#writeOther();
    if (what === "create" || chosen === undefined) this.create();
    else if (what === "update") this.#update(at, chosen);
    else this.#delete(at, chosen);
    if (what !== "again" || chosen === undefined) return 1;
    this.#create(placeOf(chosen));
    return 2;
  }

  #create(place: Place): void {
    const pod = this.#options.server.create(pods, this.#newPod(place));
    this.#there.push(pod);
    this.#record(undefined, pod);
  }

  #update(at: number, before: corev1.Pod): void {
    const after = this.#options.server.update(pods, this.#newPod(placeOf(before)));
    this.#there[at] = after;
    this.#record(before, after);
  }

  #delete(at: number, before: corev1.Pod): void {
    const last = this.#options.server.delete(pods, keyOf(before));
    this.#there.splice(at, 1);
    this.#record(before, undefined, last);
  }

  /** Raises the version, and no more. */
  #writeOther(): number {
    const metadata = { namespace: "alpha", name: `other-${this.#count++}` };
    this.#options.server.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata });
    return 0;
  }

  #newPod(place: Place): corev1.Pod {
    const shard = pick(this.#options.random, ["a", "b", "c"]);
    const write = String(this.#count++);
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...place, labels: { shard }, annotations: { write } },
      spec: { containers: [] },
    };
  }

  #record(before: corev1.Pod | undefined, after: corev1.Pod | undefined, last?: corev1.Pod): void {
    const { server, truth, isShown, shownAs } = this.#options;
    const version = server.revision;
    if (after !== undefined && isShown(after)) {
      truth.record(keyOf(after), { version, isGone: false, object: shownAs(after) });
    } else if (before !== undefined && isShown(before)) {
      const metadata = { ...before.metadata, resourceVersion: String(version) };
      truth.record(keyOf(before), { version, isGone: true, object: shownAs(last ?? { ...before, metadata }) });
    }
  }
}

function placeOf({ metadata: { namespace = "", name = "" } }: corev1.Pod): Place {
  return { namespace, name };
}
