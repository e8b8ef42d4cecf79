// Merges the notifications of one object, for a handler that cannot keep up: the first old state and the last
// new one are kept, and the states in between are dropped.
//
// Promises, for a handler that received everything before: it receives an ordered subsequence of the object's states. The old
// state of each update is the one it received last. An object that it received and that was deleted is reported as deleted. An object that
// was added and deleted meanwhile is not reported. At most two notifications are left: the delete of the old object, and the
// add of another one with the same name. (These are not merged into an update: its old state would be wrong, because a
// delete carries a state that the handler has not received.)
import { assertNever } from "../../base/index.ts";
import type { EventCause, EventDetails, Notification } from "../handler/handlers.ts";

/** The notifications left for one object, in order. */
export type Pending<T> = readonly Notification<T>[];

export function coalesce<T>(pending: Pending<T>, next: Notification<T>): Pending<T> {
  const last = pending.at(-1);
  if (last === undefined) return [next];
  const before = pending.slice(0, -1);
  switch (last.type) {
    case "add":
      if (next.type === "delete") return before;
      return [...before, { type: "add", object: newest(next), details: last.details }];
    case "update":
      if (next.type === "delete") return [...before, next];
      return [...before, { ...last, after: newest(next), details: merged(last.details, next.details) }];
    case "delete":
      return next.type === "delete" ? [...before, next] : [...pending, next];
    default:
      return assertNever(last);
  }
}

/** How many of these belong to the handler's initial list: it has not synced before it has received them. */
export function countInitial<T>(pending: Pending<T>): number {
  return pending.filter(({ details }) => details.isInInitialList).length;
}

function newest<T>(notification: Exclude<Notification<T>, { readonly type: "delete" }>): T {
  return notification.type === "add" ? notification.object : notification.after;
}

// A cause that reports a change wins over `resync`, which does not; and one after which the changes in between are not known (`initial`,
// `relist`) wins over `change`.
const weight: Record<EventCause, number> = { resync: 0, change: 1, initial: 2, relist: 3 };

function merged(first: EventDetails, second: EventDetails): EventDetails {
  const { cause } = weight[second.cause] > weight[first.cause] ? second : first;
  return { cause, isInInitialList: first.isInInitialList || second.isInInitialList };
}
