import { describe, expect, test } from "vitest";
import { pods } from "../../api/generated/resources.ts";
import { type corev1, isResourceExpired, queryValue } from "../../api/index.ts";
import type { ListOptions } from "./options.ts";
import { ResourceClient } from "./resource-client.ts";
import {
  type Answer,
  type BodyStyle,
  collect,
  failureOf,
  type Script,
  ScriptedServer,
} from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const styles: readonly BodyStyle[] = ["bytes", "values"];
const pod = (name: string): corev1.Pod => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name },
  spec: { containers: [] },
});
const page = (names: string, metadata: object) => ({
  json: { kind: "PodList", apiVersion: "v1", metadata, items: names.split(" ").filter(Boolean).map(pod) },
});
const expired = {
  status: 410,
  json: { kind: "Status", apiVersion: "v1", metadata: { continue: "inconsistent" }, code: 410, reason: "Expired" },
};
const gone = { status: 410, text: "too old" };
const listOf = (server: ScriptedServer, options: Partial<ListOptions> = {}, signalGiven = signal) =>
  new ResourceClient<corev1.Pod>(pods, server.context()).list(options, signalGiven);
const names = (items: readonly corev1.Pod[]) => items.map((item) => item.metadata.name).join(" ");

/** Two objects a page, five in all. */
const threePages: Script = ({ query }) => {
  switch (queryValue(query, "continue")) {
    case undefined:
      return page("a b", { resourceVersion: "9", continue: "two" });
    case "two":
      return page("c d", { resourceVersion: "9", continue: "three" });
    default:
      return page("e", { resourceVersion: "9" });
  }
};

/** The same, but the second page has been forgotten. */
const forgotten =
  (answer: Answer = expired): Script =>
  ({ query }) => {
    if (queryValue(query, "continue") !== undefined) return answer;
    return queryValue(query, "limit") === undefined
      ? page("a c d e f", { resourceVersion: "12" })
      : page("a b", { resourceVersion: "9", continue: "two" });
  };

describe.each(styles)("a list in pages (%s)", (style) => {
  test("is one stream of objects", async () => {
    const server = new ScriptedServer(style, threePages);
    expect(names(await collect(listOf(server, { pageSize: 2 })))).toBe("a b c d e");
    expect([server.lines, server.open]).toEqual([
      ["GET /api/v1/pods?limit=2", "GET /api/v1/pods?limit=2&continue=two", "GET /api/v1/pods?limit=2&continue=three"],
      0,
    ]);
  });

  test("keeps its selectors, but names its version only once", async () => {
    const server = new ScriptedServer(style, threePages);
    const options = { pageSize: 2, labelSelector: "a=b", resourceVersion: "9", resourceVersionMatch: "Exact" } as const;
    await listOf(server, { ...options, timeoutSeconds: 5 }).toArray();
    expect(server.lines.slice(0, 2)).toEqual([
      "GET /api/v1/pods?labelSelector=a=b&limit=2&resourceVersion=9&resourceVersionMatch=Exact&timeoutSeconds=5",
      "GET /api/v1/pods?labelSelector=a=b&limit=2&continue=two&timeoutSeconds=5",
    ]);
  });

  test("knows its metadata at its end, and not before", async () => {
    const server = new ScriptedServer(style, threePages);
    const list = listOf(server, { pageSize: 2 });
    const early: unknown[] = [await failureOf(async () => list.metadata)];
    for await (const _ of list) early.push(await failureOf(async () => list.metadata));
    expect(early).toHaveLength(6);
    for (const error of early) expect(error).toMatchObject({ reason: "Invalid" });
    expect(list.metadata).toEqual({ resourceVersion: "9" });
  });

  test("has no metadata when its reader left early", async () => {
    const list = listOf(new ScriptedServer(style, threePages), { pageSize: 2 });
    for await (const item of list) if (item.metadata.name === "c") break;
    expect(() => list.metadata).toThrow("once its items have been read");
  });

  test("asks for a page only when the reader gets there", async () => {
    const server = new ScriptedServer(style, threePages);
    const list = listOf(server, { pageSize: 2 });
    expect(server.requests).toEqual([]);
    for await (const item of list) if (item.metadata.name === "b") break;
    expect([server.requests.length, server.open]).toEqual([1, 0]);
  });

  test.each([1, 3])("lets go of its response when the reader leaves at item %i", async (wanted) => {
    const server = new ScriptedServer(style, threePages);
    let count = 0;
    for await (const _ of listOf(server, { pageSize: 2 })) if (++count === wanted) break;
    expect(server.open).toBe(0);
  });

  test("also when the reader throws", async () => {
    const server = new ScriptedServer(style, threePages);
    const bug = new Error("bug");
    const read = async () => {
      for await (const _ of listOf(server, { pageSize: 2 })) throw bug;
    };
    expect([await failureOf(read), server.open]).toEqual([bug, 0]);
  });

  test("is taken whole from a server that ignores the limit", async () => {
    const server = new ScriptedServer(style, () => page("a b c d e", { resourceVersion: "9" }));
    const { items, metadata } = await listOf(server, { pageSize: 2, resourceVersion: "0" }).toArray();
    expect([names(items), metadata]).toEqual(["a b c d e", { resourceVersion: "9" }]);
    expect(server.lines).toEqual(["GET /api/v1/pods?limit=2&resourceVersion=0"]);
  });

  test("is asked for whole with a page size of 0", async () => {
    const server = new ScriptedServer(style, () => page("a b", {}));
    await listOf(server, { pageSize: 0 }).toArray();
    expect(server.lines).toEqual(["GET /api/v1/pods"]);
  });

  test("goes on over an empty page that has a token", async () => {
    const server = new ScriptedServer(style, ({ query }) =>
      queryValue(query, "continue") === undefined ? page("", { continue: "two" }) : page("a", { resourceVersion: "9" }),
    );
    expect(names((await listOf(server).toArray()).items)).toBe("a");
  });

  test("comes in batches", async () => {
    const batches = await collect(listOf(new ScriptedServer("values", threePages), { pageSize: 2 }).batches());
    expect(batches.map(names)).toEqual(["a b", "c d", "e"]);
  });

  test("is read once, whichever way", async () => {
    const ways = [
      (list: ReturnType<typeof listOf>) => list.toArray(),
      (list: ReturnType<typeof listOf>) => collect(list),
      (list: ReturnType<typeof listOf>) => collect(list.batches()),
    ];
    for (const first of ways) {
      for (const second of ways) {
        const server = new ScriptedServer(style, threePages);
        const list = listOf(server, { pageSize: 2 });
        await first(list);
        expect(await failureOf(async () => await second(list))).toMatchObject({
          message: "a stream can be read only once",
        });
        expect([server.requests.length, list.metadata]).toEqual([3, { resourceVersion: "9" }]);
      }
    }
  });

  test("ends with the signal's reason between two pages", async () => {
    const server = new ScriptedServer(style, threePages);
    const controller = new AbortController();
    const seen: (string | undefined)[] = [];
    const read = async () => {
      for await (const item of listOf(server, { pageSize: 2 }, controller.signal)) {
        seen.push(item.metadata.name);
        if (seen.length === 2) controller.abort("enough");
      }
    };
    expect([await failureOf(read), seen, server.requests.length, server.open]).toEqual(["enough", ["a", "b"], 1, 0]);
  });
});

describe.each(styles)("a list whose token has expired (%s)", (style) => {
  for (const [name, answer] of [
    ["Expired", expired],
    ["410 without a Status", gone],
  ] as const) {
    test(`begins anew, whole, for a reader who can (${name})`, async () => {
      const server = new ScriptedServer(style, forgotten(answer));
      let seen: corev1.Pod[] = [];
      let restarts = 0;
      const onRestart = () => {
        seen = [];
        restarts++;
      };
      const options = { pageSize: 2, resourceVersion: "9", resourceVersionMatch: "NotOlderThan", onRestart } as const;
      const list = listOf(server, options);
      for await (const item of list) seen.push(item);
      expect([names(seen), restarts, list.metadata]).toEqual(["a c d e f", 1, { resourceVersion: "12" }]);
      expect([server.lines.at(-1), server.open]).toEqual([
        "GET /api/v1/pods?resourceVersion=9&resourceVersionMatch=NotOlderThan",
        0,
      ]);
    });
  }

  test("begins anew by itself when read into an array", async () => {
    const server = new ScriptedServer(style, forgotten());
    const { items, metadata } = await listOf(server, { pageSize: 2 }).toArray();
    expect([names(items), metadata, server.open]).toEqual(["a c d e f", { resourceVersion: "12" }, 0]);
  });

  test("tells the reader of the array too, if asked", async () => {
    let restarts = 0;
    const onRestart = () => void restarts++;
    await listOf(new ScriptedServer(style, forgotten()), { pageSize: 2, onRestart }).toArray();
    expect(restarts).toBe(1);
  });

  test("fails for a reader who cannot", async () => {
    const server = new ScriptedServer(style, forgotten());
    const error = await failureOf(() => collect(listOf(server, { pageSize: 2 })));
    expect([isResourceExpired(error), server.requests.length, server.open]).toEqual([true, 2, 0]);
  });

  test("fails when the version asked for is gone from the beginning", async () => {
    const server = new ScriptedServer(style, () => expired);
    const error = await failureOf(() => listOf(server, { resourceVersion: "3" }).toArray());
    expect([isResourceExpired(error), server.requests.length, server.open]).toEqual([true, 1, 0]);
  });

  test("fails when it has expired for the second time", async () => {
    const server = new ScriptedServer(style, ({ query }, number) =>
      number === 0 && queryValue(query, "limit") !== undefined ? page("a", { continue: "two" }) : expired,
    );
    const error = await failureOf(() => listOf(server, { pageSize: 1 }).toArray());
    expect([isResourceExpired(error), server.requests.length, server.open]).toEqual([true, 3, 0]);
  });

  test("passes other errors on", async () => {
    const server = new ScriptedServer(style, (_, number) =>
      number === 0 ? page("a", { continue: "two" }) : { status: 500 },
    );
    const error = await failureOf(() => listOf(server, { pageSize: 1 }).toArray());
    expect([error, server.open]).toMatchObject([{ reason: "InternalError" }, 0]);
  });
});
