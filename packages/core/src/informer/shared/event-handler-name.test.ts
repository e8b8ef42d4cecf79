import { describe, expect, test } from "vitest";
import { resourceEventHandlerFuncs } from "../handler/handler-funcs.ts";
import type { ResourceEventHandler } from "../handler/handlers.ts";
import { nameOfHandler } from "./event-handler-name.ts";

class PodWatcher {
  onAdd(): void {}
}
const enqueue = () => {};
const forget = () => {};
const watcher = new PodWatcher();

const rows: readonly [fact: string, handler: ResourceEventHandler<unknown>, name: string][] = [
  ["an instance is called by its class", watcher, "PodWatcher"],
  ["one function names the handler", { onAdd: enqueue }, "enqueue"],
  ["the same function everywhere names it once", { onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue }, "enqueue"],
  ["different functions are all named, in order", { onDelete: forget, onAdd: enqueue }, "enqueue+forget"],
  ["functions written in place have no name of their own", { onAdd: () => {}, onDelete() {} }, "anonymous"],
  ["a mixture is called by what has a name", { onAdd: () => {}, onUpdate: enqueue }, "enqueue"],
  ["a bound function keeps its name", { onAdd: enqueue.bind(undefined) }, "enqueue"],
  ["functions under client-go's names keep theirs", resourceEventHandlerFuncs({ addFunc: enqueue }), "enqueue"],
  ["a handler without functions has no name", {}, "anonymous"],
  ["an object without a prototype has no class", Object.assign(Object.create(null), { onAdd: enqueue }), "enqueue"],
];

describe("the name of a handler", () => {
  for (const [fact, handler, name] of rows) test(fact, () => expect(nameOfHandler(handler)).toBe(name));
});
