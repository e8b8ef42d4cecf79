// A list as one stream of objects over all pages. A page is requested when the reader reaches it and decoded
// as it arrives, so neither a page nor an unpaged list is ever held whole. It can be read once.
//
// A continue token lives about five minutes. If it has expired, the list starts again without pages at the requested version,
// as in Kubernetes' own clients; only for readers that can drop the items read so far (`onRestart`).
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
  /** Known after the batches were read. */
  readonly metadata: metav1.ListMeta;
}

/** The items of a list, and its metadata after they were read. */
export interface PagedList<T extends KubernetesObject> extends Batched<T> {
  /** The metadata of the last page, with the resourceVersion to watch from. Throws before the last item was read. */
  readonly metadata: metav1.ListMeta;
  /** Reads the whole list into one array, instead of iterating. Handles an expired token without `onRestart`. */
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
      // The token contains the version; the server rejects a request with both.
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
