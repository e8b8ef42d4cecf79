// A version that is converted in batches, later: lists, watches, reads and writes ask for as few conversions as there can be, and keep their order.
import { newStatusError } from "@kubeloop/core/api";
import { deferred, FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { type Asked, ask, namesAt, requestFor } from "../ask.fixture.ts";
import {
  type Conversions,
  convertedWidgets,
  countedConversions,
  type NewWidget,
  newWidget,
  newWidgetsPath,
  storedWidgets,
  type Widget,
  widget,
  widgetsPath,
} from "./widgets.fixture.ts";

const never = new AbortController().signal;
const refused = () => newStatusError({ code: 500, reason: "InternalError", message: "conversion failed: no answer" });
let server: ApiServer;
let conversions: Conversions;
beforeEach(async () => {
  conversions = countedConversions();
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  server.catalogue.add([storedWidgets(), convertedWidgets(conversions)]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function createStored(...names: readonly string[]): Promise<void> {
  for (const [i, name] of names.entries()) {
    const { code } = await ask(server, widgetsPath, { method: "POST", value: widget(name, i) });
    expect(code).toBe(201);
  }
}

interface Event {
  readonly type: string;
  readonly object: NewWidget & { readonly message?: string };
}

async function openWatch(query: Asked["query"] = []) {
  const request = requestFor(newWidgetsPath, { query: [["watch", "1"], ...query] });
  const response = await server.transport(request, never);
  if (response.body.kind !== "values") throw new Error("no watch");
  const events = response.body.values[Symbol.asyncIterator]();
  return {
    /** Undefined at the end. */
    async next(): Promise<Event | undefined> {
      const { done, value } = await events.next();
      return done === true ? undefined : (value as Event);
    },
    async [Symbol.asyncDispose]() {
      await response[Symbol.asyncDispose]();
      await events.return?.();
    },
  };
}

const shown = ({ type, object }: Event) => [
  type,
  object.apiVersion,
  object.metadata.name,
  object.spec?.dimensions?.size,
];

describe("a list", () => {
  test("asks for one conversion a page, with all objects of it in their order", async () => {
    await createStored("a", "b", "c", "d", "e");
    const first = await ask<{ readonly metadata: { readonly continue: string }; readonly items: readonly NewWidget[] }>(
      server,
      newWidgetsPath,
      { query: [["limit", "3"]] },
    );
    expect(first.object.items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual(
      [0, 1, 2].map((size) => ["example.com/v2", { dimensions: { size } }]),
    );
    expect(conversions.fromStored).toEqual([["a", "b", "c"]]);
    const query = [
      ["limit", "3"],
      ["continue", first.object.metadata.continue],
    ] as const;
    await ask(server, newWidgetsPath, { query });
    expect(conversions.fromStored).toEqual([
      ["a", "b", "c"],
      ["d", "e"],
    ]);
  });

  test("asks for what it has not converted yet, and only for that", async () => {
    await createStored("a", "b");
    await namesAt(server, newWidgetsPath);
    await createStored("c");
    expect(await namesAt(server, newWidgetsPath)).toEqual(["a", "b", "c"]);
    expect(conversions.fromStored).toEqual([["a", "b"], ["c"]]);
  });

  test("asks for none under the version that is stored", async () => {
    await createStored("a");
    expect(await namesAt(server, widgetsPath)).toEqual(["a"]);
    expect(conversions.fromStored).toEqual([]);
  });

  test("selects by fields of the version that is served", async () => {
    await createStored("a", "b", "c");
    const query = [["fieldSelector", "spec.dimensions.size=1"]] as const;
    const { object } = await ask<{ readonly items: readonly NewWidget[] }>(server, newWidgetsPath, { query });
    expect(object.items.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(conversions.fromStored).toEqual([["a", "b", "c"]]);
  });

  test("whose conversion fails is that error", async () => {
    await createStored("a");
    conversions.before = async () => {
      throw refused();
    };
    const { code, object } = await ask<{ readonly message: string }>(server, newWidgetsPath);
    expect([code, object.message]).toEqual([500, "conversion failed: no answer"]);
    const bytes = await server.transport(requestFor(newWidgetsPath, {}, "bytes"), never);
    expect(bytes.status).toBe(500);
    await bytes[Symbol.asyncDispose]();
  });
});

describe("a watch", () => {
  test("converts what is there at first in one call, and then what is pending, in order", async () => {
    await createStored("a", "b");
    await using watch = await openWatch();
    const first = [await watch.next(), await watch.next()] as readonly Event[];
    expect(first.map(shown)).toEqual([
      ["ADDED", "example.com/v2", "a", 0],
      ["ADDED", "example.com/v2", "b", 1],
    ]);
    expect(conversions.fromStored).toEqual([["a", "b"]]);
    // While one is being converted, others happen: they are converted together.
    const [begun, gate] = [deferred(), deferred()];
    conversions.before = async (names) => {
      if (!names.includes("c")) return;
      begun.resolve();
      await gate.promise;
    };
    const next = watch.next();
    await createStored("c");
    await begun.promise;
    await createStored("d");
    await ask(server, `${widgetsPath}/a`, { method: "DELETE" });
    await createStored("e");
    gate.resolve();
    const later = [await next, await watch.next(), await watch.next(), await watch.next()] as readonly Event[];
    expect(later.map(shown)).toEqual([
      ["ADDED", "example.com/v2", "c", 0],
      ["ADDED", "example.com/v2", "d", 0],
      ["DELETED", "example.com/v2", "a", 0],
      ["ADDED", "example.com/v2", "e", 0],
    ]);
    expect(conversions.fromStored).toEqual([["a", "b"], ["c"], ["d", "a", "e"]]);
  });

  test("shares a conversion with others who watch the same", async () => {
    await using one = await openWatch();
    await using other = await openWatch();
    const seen = [one.next(), other.next()];
    await createStored("a");
    expect((await Promise.all(seen)).map((event) => event?.object.metadata.name)).toEqual(["a", "a"]);
    expect(conversions.fromStored).toEqual([["a"]]);
  });

  test("shows an object by the conversion of its own resource, also where another was served before", async () => {
    await createStored("a", "b");
    const sizeInBytes = async (target: ApiServer) => {
      const query = [
        ["watch", "1"],
        ["fieldSelector", "metadata.name=b"],
      ] as const;
      await using response = await target.transport(requestFor(newWidgetsPath, { query }, "bytes"), never);
      if (response.body.kind !== "bytes") throw new Error("no bytes");
      for await (const bytes of response.body.bytes) {
        return (JSON.parse(Buffer.from(bytes).toString("utf8")) as Event).object.spec?.dimensions?.size;
      }
      return undefined;
    };
    await using fork = await server.fork();
    fork.catalogue.add([convertedWidgets(countedConversions(), 10)]);
    expect([await sizeInBytes(server), await sizeInBytes(fork), await sizeInBytes(server)]).toEqual([1, 10, 1]);
  });

  test("has bookmarks that nobody converts", async () => {
    await createStored("a");
    const query = [
      ["sendInitialEvents", "true"],
      ["resourceVersionMatch", "NotOlderThan"],
      ["allowWatchBookmarks", "true"],
    ] as const;
    await using watch = await openWatch(query);
    await watch.next();
    const bookmark = await watch.next();
    expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { kind: "Widget", apiVersion: "example.com/v2" } });
    expect(conversions.fromStored).toEqual([["a"]]);
  });

  test("selects by fields of the version that is served, also what leaves the selection", async () => {
    await createStored("a", "b");
    await using watch = await openWatch([["fieldSelector", "spec.dimensions.size=1"]]);
    expect(shown((await watch.next()) as Event)).toEqual(["ADDED", "example.com/v2", "b", 1]);
    const next = [watch.next(), watch.next()];
    await ask(server, `${widgetsPath}/a`, { method: "PUT", value: widget("a", 1) });
    await ask(server, `${widgetsPath}/b`, { method: "PUT", value: widget("b", 2) });
    expect((await Promise.all(next)).map((event) => shown(event as Event))).toEqual([
      ["ADDED", "example.com/v2", "a", 1],
      ["DELETED", "example.com/v2", "b", 1],
    ]);
  });

  for (const [fact, query] of [
    ["whose conversion fails", []],
    ["whose selection cannot be converted", [["fieldSelector", "spec.dimensions.size!=9"]]],
  ] as const) {
    test(`${fact} has an ERROR and ends`, async () => {
      await createStored("a");
      await using watch = await openWatch(query);
      expect((await watch.next())?.type).toBe("ADDED");
      conversions.before = async () => {
        throw refused();
      };
      const next = watch.next();
      await createStored("b");
      expect(await next).toMatchObject({
        type: "ERROR",
        object: { kind: "Status", code: 500, message: "conversion failed: no answer" },
      });
      expect(await watch.next()).toBeUndefined();
    });

    test(`${fact} at its beginning, too`, async () => {
      await createStored("a");
      conversions.before = async () => {
        throw refused();
      };
      await using watch = await openWatch(query);
      expect((await watch.next())?.type).toBe("ERROR");
      expect(await watch.next()).toBeUndefined();
    });
  }
});

describe("one object", () => {
  test("is read with one conversion, and again with none", async () => {
    await createStored("a");
    for (const _ of [1, 2]) {
      const { object } = await ask<NewWidget>(server, `${newWidgetsPath}/a`);
      expect([object.apiVersion, object.spec]).toEqual(["example.com/v2", { dimensions: { size: 0 } }]);
    }
    expect(conversions.fromStored).toEqual([["a"]]);
  });

  for (const [fact, path, asked, code, size] of [
    ["created", newWidgetsPath, { method: "POST", value: newWidget("new", 4) }, 201, 4],
    ["updated", `${newWidgetsPath}/a`, { method: "PUT", value: newWidget("a", 5) }, 200, 5],
    [
      "patched",
      `${newWidgetsPath}/a`,
      { method: "PATCH", value: { spec: { dimensions: { size: 6 } } }, type: "application/merge-patch+json" },
      200,
      6,
    ],
  ] as const) {
    test(`is ${fact}: stored in the stored version, answered in the other, and its manager is that of the served version`, async () => {
      await createStored("a");
      const answer = await ask<NewWidget>(server, path, { ...asked, query: [["fieldManager", "me"]] });
      const name = answer.object.metadata.name ?? "";
      expect([answer.code, answer.object.apiVersion, answer.object.spec]).toEqual([
        code,
        "example.com/v2",
        { dimensions: { size } },
      ]);
      const stored = await ask<Widget>(server, `${widgetsPath}/${name}`);
      expect([stored.object.apiVersion, stored.object.spec]).toEqual(["example.com/v1", { size }]);
      const mine = stored.object.metadata.managedFields?.find(({ manager }) => manager === "me");
      expect(mine).toMatchObject({ apiVersion: "example.com/v2" });
      expect(JSON.stringify(mine?.fieldsV1)).toContain('"f:size":{}');
      expect(conversions.toStored).toEqual([[name]]);
    });
  }

  test("is answered as it was prepared, not as it was sent, when a write ends it", async () => {
    const held = { ...newWidget("a"), metadata: { name: "a", finalizers: ["example.com/hold"] } };
    const created = await ask<NewWidget>(server, newWidgetsPath, { method: "POST", value: held });
    await ask(server, `${newWidgetsPath}/a`, { method: "DELETE" });
    const ended = await ask<NewWidget>(server, `${newWidgetsPath}/a`, { method: "PUT", value: newWidget("a", 3) });
    expect([ended.code, ended.object.metadata.uid]).toEqual([200, created.object.metadata.uid]);
    expect(await namesAt(server, newWidgetsPath)).toEqual([]);
  });

  test("that cannot be converted is not written, and is not shown", async () => {
    await createStored("a");
    const { revision } = server.snapshot();
    conversions.before = async () => {
      throw refused();
    };
    const post = await ask<{ readonly message: string }>(server, newWidgetsPath, {
      method: "POST",
      value: newWidget("b"),
    });
    expect([post.code, post.object.message]).toEqual([500, "conversion failed: no answer"]);
    const get = await ask<{ readonly message: string }>(server, `${newWidgetsPath}/a`);
    expect([get.code, get.object.message]).toEqual([500, "conversion failed: no answer"]);
    expect([server.snapshot().revision, await namesAt(server, widgetsPath)]).toEqual([revision, ["a"]]);
  });
});
