import { describe, expect, test } from "vitest";
import { isBadRequest, TransportError } from "../../api/index.ts";
import { linesOf, type PodLogOptions, podLogBytes } from "./pod-logs.ts";
import { type Answer, collect, failureOf, ScriptedServer } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const readLines = (server: ScriptedServer, options: PodLogOptions = {}, given = signal) =>
  linesOf(podLogBytes(server.transport, { namespace: "shop", name: "web", ...options }, given));

describe("a container's log", () => {
  for (const [name, options, query] of [
    ["without options", {}, ""],
    [
      "with every option",
      {
        container: "app",
        follow: true,
        previous: false,
        sinceSeconds: 60,
        sinceTime: "2026-01-01T00:00:00Z",
        tailLines: 0,
        limitBytes: 9,
        timestamps: true,
      },
      "?container=app&follow=true&previous=false&sinceSeconds=60&sinceTime=2026-01-01T00:00:00Z&tailLines=0&limitBytes=9&timestamps=true",
    ],
    ["with what is no option", { uid: "u" } as PodLogOptions, ""],
  ] as const) {
    test(`is asked for ${name}`, async () => {
      const server = new ScriptedServer("bytes", () => ({ text: "" }));
      await collect(readLines(server, options));
      expect(server.lines).toEqual([`GET /api/v1/namespaces/shop/pods/web/log${query}`]);
      expect(server.requests[0]).toMatchObject({
        headers: { accept: "*/*" },
        body: { kind: "none" },
        prefers: "bytes",
      });
      expect(server.open).toBe(0);
    });
  }

  for (const [name, chunks, expected] of [
    ["of no line", [], []],
    ["of one line without an end", ["hello"], ["hello"]],
    ["of lines across chunks", ["a\nb", "c\n", "\nd\n"], ["a", "bc", "", "d"]],
    ["of carriage returns, which are the program's own", ["a\r\nb\r"], ["a\r", "b\r"]],
    ["that begins with a byte order mark, which stays", ["\ufeffa\n"], ["\ufeffa"]],
  ] as const) {
    test(`${name} is ${JSON.stringify(expected)}`, async () => {
      const server = new ScriptedServer("bytes", () => ({ text: chunks }));
      expect(await collect(readLines(server))).toEqual(expected);
    });
  }

  test("may be cut within a character", async () => {
    const bytes = new TextEncoder().encode("naïve 日本 😀\nsecond");
    async function* bytewise() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    expect(await collect(linesOf(bytewise()))).toEqual(["naïve 日本 😀", "second"]);
  });
});

describe("a log's response is let go of", () => {
  test("when the reader leaves", async () => {
    const server = new ScriptedServer("bytes", () => ({ text: "a\nb\n", ending: "silence" }));
    for await (const _ of readLines(server, { follow: true })) break;
    expect(server.open).toBe(0);
  });

  test("when the signal fires", async () => {
    const server = new ScriptedServer("bytes", () => ({ text: "a\n", ending: "silence" }));
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of readLines(server, { follow: true }, controller.signal)) controller.abort("enough");
    };
    expect([await failureOf(read), server.open]).toEqual(["enough", 0]);
  });

  const broken = new TransportError("reset", { reason: "ConnectionLost", wasSent: "maybe" });
  for (const [name, answer, expected] of [
    ["when the connection breaks", { text: "a", ending: broken }, broken],
    [
      "when the server refuses",
      {
        status: 400,
        json: {
          kind: "Status",
          apiVersion: "v1",
          reason: "BadRequest",
          code: 400,
          message: "a container name must be specified",
        },
      },
      { message: "a container name must be specified" },
    ],
    ["when it comes as anything but bytes", { json: { kind: "Pod" } }, { reason: "Decode" }],
  ] satisfies readonly (readonly [string, Answer, object])[]) {
    test(name, async () => {
      const server = new ScriptedServer("values", () => answer);
      const error = await failureOf(() => collect(readLines(server)));
      expect([error, server.open]).toMatchObject([expected, 0]);
      if ("status" in answer) expect(isBadRequest(error)).toBe(true);
    });
  }

  test("a name that leads elsewhere is refused before", async () => {
    const server = new ScriptedServer("bytes", () => ({ text: "" }));
    const read = () => collect(linesOf(podLogBytes(server.transport, { namespace: "a", name: ".." }, signal)));
    expect([await failureOf(read), server.requests]).toMatchObject([{ reason: "BadRequest" }, []]);
  });
});
