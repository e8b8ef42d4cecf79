// A list that a server in the same process passes as a value: its frozen items are passed on without a copy, checked
// once, in batches like those of a list of bytes. Only an item without kind and apiVersion is copied, to add them.
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import { isJsonList, isJsonObject, ownValue } from "../../api/json-value.ts";
import { decodeObject } from "../../api/object.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { YieldBudget } from "../../base/yield-budget.ts";
import { ListDecodeError } from "./decode-errors.ts";
import type { SliceOptions } from "./decode-stream.ts";
import type { ItemIdentity } from "./item-identity.ts";
import { checkIsList, decodeListMeta, itemIdentity } from "./list-envelope.ts";

const batchSize = 256;

export class ValueList<T extends KubernetesObject> {
  readonly #json: unknown;
  readonly #options: SliceOptions & Partial<ItemIdentity>;
  #metadata: ListMeta | undefined;

  constructor(json: unknown, options: SliceOptions & Partial<ItemIdentity>) {
    this.#json = json;
    this.#options = options;
  }

  /** Known after the last item. */
  get metadata(): ListMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    throw fault("metadata is known only after the last item", 0);
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly T[], void, undefined> {
    const list = this.#json;
    if (!isJsonObject(list)) throw fault("not a list: not an object", 0);
    const items = ownValue(list, "items") ?? [];
    checkIsList(list, { hasItems: Object.hasOwn(list, "items") });
    if (!isJsonList(items)) throw fault("items is not a list", 0);
    const metadata = decodeListMeta(list);
    const identity = itemIdentity(list, this.#options);
    const budget = new YieldBudget(this.#options.clock, this.#options.budgetMs);
    for (let from = 0; from < items.length; from += batchSize) {
      signal.throwIfAborted();
      yield items.slice(from, from + batchSize).map((item, index) => toItem<T>(item, from + index, identity));
      if (budget.isUsedUp()) await budget.yield();
    }
    this.#metadata = metadata;
  }
}

function toItem<T extends KubernetesObject>(json: unknown, index: number, identity: Partial<ItemIdentity>): T {
  try {
    return decodeObject(json, identity) as T;
  } catch (cause) {
    throw fault(`items[${index}]: ${cause instanceof Error ? cause.message : "cannot be decoded"}`, index, cause);
  }
}

function fault(what: string, position: number, cause?: unknown): ListDecodeError {
  return new ListDecodeError(what, { reason: "Decode", position, cause });
}
