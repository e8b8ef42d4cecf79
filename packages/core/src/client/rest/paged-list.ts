// A list as one stream of objects, however many pages it takes. Pages are asked for as the reader gets there and cut from
// the answer as it arrives, so neither a page nor a list that the server does not page is ever held whole.
//
// A continue token lives about five minutes. When it has expired, the list is begun anew without pages at the version that
// was asked for, as Kubernetes' own clients do; only a reader who can drop what it has read (`onRestart`) gets that.
import type { metav1 } from "../../api/index.ts";
import { isResourceExpired, type KubernetesObject } from "../../api/index.ts";
import { type Batched, readOnce } from "../streams/batched.ts";
import type { ListOptions } from "./options.ts";

export const defaultPageSize = 500;

export interface PageRequest {
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string | undefined;
  readonly resourceVersionMatch: string | undefined;
}

export interface Page<T> {
  batches(): AsyncGenerator<readonly T[], void, undefined>;
  /** Known once the batches have been read. */
  readonly metadata: metav1.ListMeta;
}

/** Everything a list gave, once its items have been read. */
export interface PagedList<T extends KubernetesObject> extends Batched<T> {
  /** Of the last page: its resourceVersion is where to watch from. Throws until the last item has been read. */
  readonly metadata: metav1.ListMeta;
  /** Reads the whole list into one array, instead of iterating. */
  toArray(): Promise<{ readonly items: readonly T[]; readonly metadata: metav1.ListMeta }>;
}

export function pagedList<T extends KubernetesObject>(
  readPage: (page: PageRequest) => Promise<Page<T>>,
  options: Partial<ListOptions>,
): PagedList<T> {
  let metadata: metav1.ListMeta | undefined;
  const first: PageRequest = {
    limit: options.pageSize ?? defaultPageSize,
    continue: "",
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };

  async function* batches(onRestart: (() => void) | undefined): AsyncGenerator<readonly T[], void, undefined> {
    let page = first;
    for (;;) {
      try {
        const stream = await readPage(page);
        yield* stream.batches();
        metadata = stream.metadata;
      } catch (error) {
        if (page.continue === "" || onRestart === undefined || !isResourceExpired(error)) throw error;
        onRestart();
        page = { ...first, limit: 0 };
        continue;
      }
      const token = metadata.continue ?? "";
      if (token === "") return;
      // The token holds the version; the server refuses both.
      page = { limit: page.limit, continue: token, resourceVersion: undefined, resourceVersionMatch: undefined };
    }
  }

  const finished = () => {
    if (metadata === undefined) throw new Error("a list's metadata is known once its items have been read");
    return metadata;
  };
  const stream = readOnce(batches(options.onRestart));
  return {
    ...stream,
    get metadata() {
      return finished();
    },
    async toArray() {
      let items: T[] = [];
      const restart = () => {
        items = [];
        options.onRestart?.();
      };
      // Whoever keeps the items can drop them, so this way a list always survives an expired token.
      for await (const batch of batches(restart)) for (const item of batch) items.push(item);
      return { items, metadata: finished() };
    },
  };
}
