// A store for tests that holds what it is given and remembers each call: "add a@5", "replace [a@1 b@2] at 10".
import { keyOf } from "../../api/index.ts";
import type { ReflectorStore, ReplaceOptions } from "../store/reflector-store.ts";
import type { Transform } from "../store/store.ts";
import type { Pod } from "./scripted-source.fixture.ts";

export class RecordingStore implements ReflectorStore<Pod> {
  readonly calls: string[] = [];
  readonly objects = new Map<string, Pod>();
  readonly transform: Transform<Pod> | undefined;
  /** Thrown by the next call of that name, once. */
  readonly faults = new Map<string, Error>();

  constructor(transform?: Transform<Pod>) {
    this.transform = transform;
  }

  add(object: Pod): void {
    this.#write("add", object);
  }

  update(object: Pod): void {
    this.#write("update", object);
  }

  delete(object: Pod): void {
    this.#record("delete", print(object));
    this.objects.delete(keyOf(object));
  }

  replace(objects: readonly Pod[], resourceVersion: string, options: ReplaceOptions = {}): void {
    this.#record("replace", `[${objects.map(print).join(" ")}] at ${resourceVersion}`);
    const keep = options.isTransformed === true ? (object: Pod) => object : (object: Pod) => this.#transformed(object);
    this.objects.clear();
    for (const object of objects) this.objects.set(keyOf(object), keep(object));
  }

  resync(): void {
    this.#record("resync", "");
  }

  bookmark(resourceVersion: string): void {
    this.#record("bookmark", resourceVersion);
  }

  /** What it holds, as "a@5", sorted. */
  get content(): readonly string[] {
    return [...this.objects.values()].map(print).sort();
  }

  #write(name: string, object: Pod): void {
    this.#record(name, print(object));
    this.objects.set(keyOf(object), this.#transformed(object));
  }

  #transformed(object: Pod): Pod {
    return this.transform === undefined ? object : this.transform(object);
  }

  #record(name: string, what: string): void {
    this.calls.push(`${name} ${what}`.trim());
    const fault = this.faults.get(name);
    this.faults.delete(name);
    if (fault !== undefined) throw fault;
  }
}

function print({ metadata }: Pod): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}
