// The events of a watch, and their decoder.
import type { Status } from "../../api/generated/types/meta/v1.ts";
import { isJsonObject } from "../../api/json-value.ts";
import { DecodeError, decodeObject } from "../../api/object.ts";
import type { KubernetesObject } from "../../api/resource.ts";
import { decodeStatus } from "../../api/status-error.ts";

/** Contains only the version that the watch has reached: of the object, kind, apiVersion and metadata are present. */
export interface BookmarkEvent {
  readonly type: "BOOKMARK";
  readonly object: KubernetesObject & { readonly metadata: { readonly resourceVersion: string } };
}

/** An error of the server, after which it closes the stream. */
export interface ErrorEvent {
  readonly type: "ERROR";
  readonly object: Status;
}

export interface ObjectEvent<T extends KubernetesObject = KubernetesObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

export type WatchEvent<T extends KubernetesObject = KubernetesObject> = ObjectEvent<T> | BookmarkEvent | ErrorEvent;

/** Throws a DecodeError. Returns `json` itself: nothing is copied or added. */
export function decodeWatchEvent<T extends KubernetesObject>(json: unknown): WatchEvent<T> {
  if (!isJsonObject(json)) throw new DecodeError("", "event must be an object");
  const { type, object } = json as { readonly type?: unknown; readonly object?: unknown };
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      decodeObject(object);
      break;
    case "BOOKMARK":
      if (!decodeObject(object).metadata.resourceVersion) {
        throw new DecodeError("metadata.resourceVersion", "must be in a bookmark");
      }
      break;
    case "ERROR":
      if (decodeStatus(object) === undefined) throw new DecodeError("object", "must be a Status in an error event");
      break;
    default:
      throw new DecodeError("type", `unknown event type ${JSON.stringify(type)}`);
  }
  return json as unknown as WatchEvent<T>;
}
