// Objects and notifications to tell handlers in tests, and a handler that writes down what it hears.
import type { KubernetesObject } from "../../api/index.ts";
import type { EventCause, EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { type Deleted, isFinalStateUnknown } from "../tombstone.ts";

export function pod(name: string, version = 1, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", resourceVersion: `${version}`, labels },
  };
}

const because = (cause: EventCause): EventDetails => ({ cause, isInInitialList: cause === "initial" });

export function added(name: string, version = 1, cause: EventCause = "change"): Notification<KubernetesObject> {
  return { type: "add", object: pod(name, version), details: because(cause) };
}

export function updated(
  name: string,
  from: number,
  to: number,
  cause: EventCause = "change",
): Notification<KubernetesObject> {
  return { type: "update", before: pod(name, from), after: pod(name, to), details: because(cause) };
}

export function deleted(name: string, version = 1, cause: EventCause = "change"): Notification<KubernetesObject> {
  return { type: "delete", gone: pod(name, version), details: because(cause) };
}

const print = (object: KubernetesObject) => `${object.metadata.name}@${object.metadata.resourceVersion}`;

export function printGone(gone: Deleted<KubernetesObject>): string {
  return isFinalStateUnknown(gone) ? `tombstone of ${gone.key}` : print(gone);
}

/** What was told, as `add a@1 (initial)`; `then` runs inside the callback. */
export function recorder(then: (line: string) => void | Promise<void> = () => {}) {
  const heard: string[] = [];
  const note = (line: string) => {
    heard.push(line);
    return then(line);
  };
  const why = ({ cause }: EventDetails) => (cause === "change" ? "" : ` (${cause})`);
  const handler: ResourceEventHandler<KubernetesObject> = {
    onAdd: (object, details) => note(`add ${print(object)}${why(details)}`),
    onUpdate: (before, after, details) => note(`update ${print(before)} to ${print(after)}${why(details)}`),
    onDelete: (gone, details) => note(`delete ${printGone(gone)}${why(details)}`),
  };
  return { heard, handler };
}
