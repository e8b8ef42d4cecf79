// Typical bugs of caches, each as a change of the source text. The shipped code has none of them: a copy of the source is changed while it is
// loaded (see load-with-bug.fixture.ts), and the simulation must detect the bug.
//
// When you change the source, you may have to update the text to find here. A bug whose text is not found throws an error.
import { KubeloopError } from "../../base/index.ts";

export interface PlantedBug {
  readonly name: string;
  /** The path below packages/core/src. */
  readonly file: string;
  /** The text to find must occur exactly once in the file. */
  readonly edits: readonly (readonly [find: string, replace: string])[];
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "a relist does not tell of what is gone",
    file: "informer/queue/apply-collection.ts",
    edits: [["  yield* deleteSteps(contentBefore, target, details);\n", ""]],
  },
  {
    name: "the older queue makes no tombstones of what only the cache has",
    file: "informer/queue/known-objects.ts",
    edits: [["!listedKeys.has(key) && !newestByKey.has(key)", "false"]],
  },
  {
    name: "the version advances past an event that was not stored",
    file: "informer/reflector/handle-watch-events.ts",
    edits: [
      [
        "    if (fault !== undefined) {\n",
        "    if (fault !== undefined) {\n      resourceVersion = event.object.metadata.resourceVersion || resourceVersion;\n      others++;\n",
      ],
    ],
  },
  {
    name: "a watch that expired is opened again at its version",
    file: "informer/reflector/watch-transitions.ts",
    edits: [
      [
        "when: ({ input }) => isServerUnavailable(input),",
        'when: ({ input }) => isServerUnavailable(input) || input.failure === "expired",',
      ],
    ],
  },
  {
    name: "a failure is tried again at once",
    file: "informer/reflector/reflector-transitions.ts",
    edits: [
      ['command: { kind: "wait", delayMs: Math.max(delayMs, askedMs) }', 'command: { kind: "wait", delayMs: 0 }'],
    ],
  },
  {
    name: "a watch that is opened again starts where the list was",
    file: "informer/reflector/watch-transitions.ts",
    edits: [
      [
        "input.resourceVersion || state.resourceVersion;",
        'state.resourceVersion === "" ? input.resourceVersion : state.resourceVersion;',
      ],
    ],
  },
  {
    name: "a watch that is lost goes on at the newest version",
    file: "informer/reflector/reflector-transitions.ts",
    edits: [
      [
        '    command: { kind: "watch", resourceVersion, timeoutSeconds: watchTimeoutSeconds(context) },',
        '    command: { kind: "watch", resourceVersion: state.failures > 0 ? "0" : resourceVersion, timeoutSeconds: watchTimeoutSeconds(context) },',
      ],
    ],
  },
  {
    name: "a relist takes whatever the server has at hand",
    file: "informer/reflector/reflector-transitions.ts",
    edits: [['return resourceVersion === "" ? "0" : resourceVersion;', 'return "0";']],
  },
  {
    name: "handlers hear of a list before the cache has it",
    file: "informer/queue/apply-collection.ts",
    edits: [
      [
        "  const thrown = yield delta;\n",
        "  for (const [at, object] of delta.objects.entries()) {\n    target.notify(notificationOf(beforeList[at], object, details));\n    if (at % objectsBetweenPauses === 0) yield undefined;\n  }\n  const thrown = yield delta;\n",
      ],
      ["    target.notify(notificationOf(beforeList[at], delta.objects[at] as T, details));\n", ""],
    ],
  },
  {
    name: "a handler that joins late misses an object",
    file: "informer/shared/shared-index-informer.ts",
    edits: [["objects: this.#indexer.list(),", "objects: this.#indexer.list().slice(1),"]],
  },
  {
    name: "a handler that joins in the midst of a relist is told twice",
    file: "informer/shared/shared-index-informer.ts",
    edits: [["if (this.#isApplying) this.#joining.push(registration);\n    else ", ""]],
  },
  {
    name: "merging updates forgets what was before the first",
    file: "informer/shared/coalesce.ts",
    edits: [["{ ...last, after: newest(next), ", "{ ...last, ...next, "]],
  },
  {
    name: "merging drops a deletion that follows a deletion and an add",
    file: "informer/shared/coalesce.ts",
    edits: [['if (next.type === "delete") return before;', 'if (next.type === "delete") return [];']],
  },
  {
    name: "a list is transformed twice",
    file: "informer/reflector/reflector.ts",
    edits: [["isTransformed ? { isTransformed } : {}", "{}"]],
  },
  {
    name: "a bookmark overtakes the changes before it",
    file: "informer/shared/shared-index-informer.ts",
    edits: [
      [
        "    const controller = this.#makeController(queue);\n",
        "    queue.bookmark = (version) => this.#indexer.bookmark(version);\n    const controller = this.#makeController(queue);\n",
      ],
    ],
  },
  {
    name: "what is deleted while a list is streamed stays",
    file: "informer/reflector/streamed-list.ts",
    edits: [["    this.#objects.delete(keyOf(object));\n", ""]],
  },
  {
    name: "a list that begins anew keeps what was read before",
    file: "informer/reflector/reflector.ts",
    edits: [["      objects.length = 0;\n", ""]],
  },
  {
    name: "a resync of the older queue brings back what was before a change",
    file: "informer/queue/delta-fifo.ts",
    edits: [
      [
        "const object = newestByKey.has(key) ? undefined : this.#known.getByKey(key);",
        "const object = this.#known.getByKey(key);",
      ],
    ],
  },
  {
    name: "a relist of what has not changed is told to everyone",
    file: "informer/handler/is-unchanged.ts",
    edits: [
      ["return resourceVersion === before.metadata.resourceVersion && areEqual(before, after);", "return false;"],
    ],
  },
  {
    name: "a relist that found another state is taken for a repetition",
    file: "informer/handler/is-unchanged.ts",
    edits: [
      [
        "return resourceVersion === before.metadata.resourceVersion && areEqual(before, after);",
        'return notification.details.cause === "relist" || areEqual(before, after);',
      ],
    ],
  },
  {
    name: "a dead watch is never given up",
    file: "informer/reflector/watch-guard.ts",
    edits: [['if (leftMs <= 0) this.#onTrouble("overdue");\n    else ', "if (leftMs > 0) "]],
  },
  {
    name: "the timer of a watch is left behind",
    file: "informer/reflector/watch-guard.ts",
    edits: [["    this.complete();\n    this.#overdueTimer[Symbol.dispose]();\n", "    this.complete();\n"]],
  },
  {
    name: "an asynchronous handler is not waited for",
    file: "informer/shared/processor-listener.ts",
    edits: [['if (this.#activity === "ready") this.#activity = "calling";\n', ""]],
  },
  {
    name: "a handler that was removed is still told what waited",
    file: "informer/shared/processor-listener.ts",
    edits: [
      ['    this.#activity = "removed";\n', ""],
      ["    this.#queue.clear();\n", ""],
    ],
  },
  {
    name: "a handler that fails on the first list never syncs",
    file: "informer/shared/processor-listener.ts",
    edits: [
      [
        "      this.#options.onFailure(error, next, this);\n    } finally {",
        "      this.#options.onFailure(error, next, this);\n      return;\n    } finally {",
      ],
    ],
  },
  {
    name: "an index keeps what an object no longer is",
    file: "informer/store/inverted-index.ts",
    edits: [["if (before !== undefined) this.#takeOut(key, before, values);", ""]],
  },
];

/** Returns the source text with the bug. Throws if the text to find does not occur exactly once. */
export function plant(name: string, text: string, edits: PlantedBug["edits"]): string {
  return edits.reduce((before, [find, replace]) => {
    const pieces = before.split(find);
    if (pieces.length === 2) return pieces.join(replace);
    const found = pieces.length === 1 ? "is not there" : `is there ${pieces.length - 1} times`;
    throw new KubeloopError(`cannot plant "${name}": ${JSON.stringify(find)} ${found}`, {
      reason: "Invalid",
      retry: "never",
    });
  }, text);
}
