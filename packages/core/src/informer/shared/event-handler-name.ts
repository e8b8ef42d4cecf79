// The name of a handler in logs and errors if none was given: its class, or the names of its functions.
// Names that the language derives from the property (`onAdd: (pod) => …`) carry no information
// and are ignored.
import type { ResourceEventHandler } from "../handler/handlers.ts";

export const anonymousHandler = "anonymous";

const callbacks = ["onAdd", "onUpdate", "onDelete"] as const;

export function nameOfHandler(handler: ResourceEventHandler<never>): string {
  const className = handler.constructor?.name;
  if (className !== undefined && className !== "" && className !== "Object") return className;
  const names = callbacks.map((callback) => ownName(handler[callback]?.name ?? "", callback));
  const distinct = new Set(names.filter((name) => name !== ""));
  return distinct.size === 0 ? anonymousHandler : [...distinct].join("+");
}

function ownName(name: string, property: string): string {
  const bare = name.replace(/^(?:bound )+/, "");
  return bare === property ? "" : bare;
}
