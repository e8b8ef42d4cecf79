// How two things to tell about one object become one, for a handler that cannot keep up: the first old state and the last
// new one are kept, what lay between is not told.
//
// Promises, for a handler that got everything told before: it hears an ordered subsequence of the object's states, the old
// state of each update is the one it heard last, an object it heard of and that has gone is reported gone, and one that came
// and went meanwhile is not mentioned. There are never more than two things to tell: that the old object has gone, and that
// another one of that name is there. (They are not made one update: its old state could not be the right one, since a
// deletion carries a state nobody was told before.)
import { assertNever } from "../../base/index.ts";
import type { EventCause, EventDetails, Notification } from "../handler/handlers.ts";

/** What is left to tell about one object, in order. */
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

/** How many of these the handler must have heard before it knows all there was when it joined. */
export function countInitial<T>(pending: Pending<T>): number {
  return pending.filter(({ details }) => details.isInInitialList).length;
}

function newest<T>(told: Exclude<Notification<T>, { readonly type: "delete" }>): T {
  return told.type === "add" ? told.object : told.after;
}

// Something happened if something happened in either; and if that is not known to be all, then it is not known.
const weight: Record<EventCause, number> = { resync: 0, change: 1, initial: 2, relist: 3 };

function merged(first: EventDetails, second: EventDetails): EventDetails {
  const { cause } = weight[second.cause] > weight[first.cause] ? second : first;
  return { cause, isInInitialList: first.isInInitialList || second.isInInitialList };
}
