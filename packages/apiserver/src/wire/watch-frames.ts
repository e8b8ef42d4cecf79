// The bytes of watch messages, one frame each, made once per message and form for all watchers that get it at about the same time. Only tables are made
// for each watcher: the first one of a stream carries the columns, and ages depend on when it is sent.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { recentEncodingOf } from "../storage/encodings.ts";
import type { WatchMessage, WatchType } from "./answer.ts";
import { encodeJson, jsonOf } from "./json-encodings.ts";
import type { OutputForm } from "./output-form.ts";
import { metadataOf, type Presentation, rowOf, tableOf } from "./presentation.ts";
import { protobufOn, rawOf } from "./protobuf-encodings.ts";

export type FrameOf = (message: WatchMessage) => Uint8Array;

/** For one watcher: it keeps count of whether columns were sent. */
export async function frameOf(presentation: Presentation, { view, media }: OutputForm, clock: Clock): Promise<FrameOf> {
  if (view.kind === "table") {
    let hasColumns = true;
    return ({ type, object }) => {
      if (type === "ERROR") return jsonFrame(type, encodeJson(object));
      const served = presentation.toServed(object);
      const row = rowOf(served, presentation, view, { nowMs: clock.now() });
      const { resourceVersion } = object.metadata;
      const table = tableOf([row], { resourceVersion }, { presentation, view, hasColumns });
      hasColumns = false;
      return jsonFrame(type, encodeJson(table));
    };
  }
  // Built-in conversions leave metadata as it is.
  const isAsStored = view.kind === "metadata" && presentation.convertAll === undefined;
  const served = (object: KubernetesObject) => (isAsStored ? object : presentation.toServed(object));
  const show = (object: KubernetesObject) =>
    view.kind === "metadata" ? metadataOf(served(object), view.version) : served(object);
  const name = `${media} ${presentation.resource.apiVersion} ${view.kind === "metadata" ? view.version : ""}`;
  if (media !== "protobuf") {
    return kept(name, served, ({ type, object }) => {
      if (type === "ERROR") return jsonFrame(type, encodeJson(object));
      const shown = show(object);
      return jsonFrame(type, view.kind === "object" ? jsonOf(shown) : encodeJson(shown));
    });
  }
  const protobuf = await protobufOn(clock);
  return kept(name, served, ({ type, object }) => {
    const shown = (type === "ERROR" ? object : show(object)) as KubernetesObject;
    const isKept = type !== "ERROR" && view.kind === "object";
    const enveloped = isKept
      ? protobuf.wrapRaw(shown, rawOf(shown, protobuf, presentation.codec.protobufMessage))
      : protobuf.encodeEnvelope(shown);
    return protobuf.encodeWatchFrame(type, enveloped);
  });
}

/** Beside the object as it is shown, because another conversion may show the stored one otherwise. */
function kept(form: string, served: (object: KubernetesObject) => KubernetesObject, make: FrameOf): FrameOf {
  const names = new Map<WatchType, string>();
  return (message) => {
    const { type, object } = message;
    let name = names.get(type);
    if (name === undefined) {
      name = `${type} ${form}`;
      names.set(type, name);
    }
    return recentEncodingOf(type === "ERROR" ? object : served(object), name, () => make(message));
  };
}

function jsonFrame(type: WatchType, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, frameEnd]);
}

const frameEnd = Buffer.from("}\n");
