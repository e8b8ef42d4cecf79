// Measures one review by the cluster: the code of its answer, and how long it took.
import { StatusError } from "../../../api/index.ts";
import type { Clock } from "../../../base/index.ts";
import type { ReviewObserver } from "./review-observers.ts";

const created = 201;

export async function observeReview<T>(
  clock: Clock,
  observer: ReviewObserver = () => {},
  ask: () => T | Promise<T>,
): Promise<T> {
  const startMs = clock.monotonic();
  const observe = (code: number | undefined) => observer(code, (clock.monotonic() - startMs) / 1000);
  try {
    const answer = await ask();
    observe(created);
    return answer;
  } catch (error) {
    observe(error instanceof StatusError ? error.code : undefined);
    throw error;
  }
}
