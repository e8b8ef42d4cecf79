// A list as one stream of objects, however many pages it takes. Pages are asked for as the reader gets there and cut from
// the answer as it arrives, so neither a page nor a list that the server does not page is ever held whole. It is read once.
//
// A continue token lives about five minutes. When it has expired, the list is begun anew without pages at the version that
// was asked for, as Kubernetes' own clients do; only a reader who can drop what it has read (`onRestart`) gets that.
import { isResourceExpired, type KubernetesObject, type metav1 } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
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
  /** Reads the whole list into one array, instead of iterating. Survives an expired token without `onRestart`. */
  toArray(): Promise<{ readonly items: readonly T[]; readonly metadata: metav1.ListMeta }>;
}

export function pagedList<T extends KubernetesObject>(
  readPage: (page: PageRequest) => Promise<Page<T>>,
  options: Partial<ListOptions>,
): PagedList<T> {
  let metadata: metav1.ListMeta | undefined;
  let onRestart = options.onRestart;
  const stream = readOnce(batches());
  const finished = () => {
    if (metadata !== undefined) return metadata;
    throw new KubeloopError("a list's metadata is known once its items have been read", {
      reason: "Invalid",
      retry: "never",
    });
  };
  return {
    ...stream,
    get metadata() {
      return finished();
    },
    async toArray() {
      const reading = stream.batches();
      let items: T[] = [];
      onRestart = () => {
        items = [];
        options.onRestart?.();
      };
      for await (const batch of reading) for (const item of batch) items.push(item);
      return { items, metadata: finished() };
    },
  };

  async function* batches(): AsyncGenerator<readonly T[], void, undefined> {
    let request: PageRequest = firstPage(options);
    for (;;) {
      let ofPage: metav1.ListMeta;
      try {
        const page = await readPage(request);
        yield* page.batches();
        ofPage = page.metadata;
      } catch (error) {
        if (request.continue === "" || onRestart === undefined || !isResourceExpired(error)) throw error;
        onRestart();
        request = { ...firstPage(options), limit: 0 };
        continue;
      }
      const token = ofPage.continue ?? "";
      if (token === "") {
        metadata = ofPage;
        return;
      }
      // The token holds the version; the server refuses both.
      request = { limit: request.limit, continue: token, resourceVersion: undefined, resourceVersionMatch: undefined };
    }
  }
}

function firstPage(options: Partial<ListOptions>): PageRequest {
  return {
    limit: options.pageSize ?? defaultPageSize,
    continue: "",
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}
