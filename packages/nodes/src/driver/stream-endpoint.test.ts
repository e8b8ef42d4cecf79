// Exec and attach through the embedded API server, in virtual time.
import { collectBytes, type corev1 } from "@kubeloop/core/api";
import { isPodReady } from "@kubeloop/core/rules";
import { eventually } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import {
  clientFrame,
  type UpgradeOptions,
  upgradeRequest,
  WebSocketClient,
} from "../streams/websocket-client.fixture.ts";
import { type HollowCluster, withHollowCluster } from "./hollow-cluster.fixture.ts";

const success = { metadata: {}, status: "Success" };
const failure = (code: number) => ({
  metadata: {},
  status: "Failure",
  message: `command terminated with non-zero exit code: exit status ${code}`,
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: String(code) }] },
});
const transcript = "$ redis-cli ping\nPONG\n$ pg_isready *\n2> no response\n(exit 2)\n";

const execOf = (command: readonly string[], flags: readonly string[] = ["stdout", "stderr"]): UpgradeOptions => ({
  path: "/api/v1/namespaces/scenario/pods/p/exec",
  query: [...command.map((word) => ["command", word] as const), ...flags.map((flag) => [flag, "true"] as const)],
  protocol: "v5.channel.k8s.io",
});
const sh = (script: string) => execOf(["sh", "-c", script]);

async function running(cluster: HollowCluster, spec: Partial<corev1.PodSpec> = {}): Promise<void> {
  await cluster.create("p", spec, { "kubeloop.dev/exec": transcript });
  await cluster.until("p", "it runs", isPodReady);
}

/** Sends what is typed, and reads until the server closes. */
async function talk(cluster: HollowCluster, options: UpgradeOptions, typed: readonly string[] = []) {
  const client = await WebSocketClient.open(cluster.transport, options, cluster.signal);
  for (const text of typed) await client.send(0, text);
  if (typed.length > 0 && options.protocol?.startsWith("v5") === true) await client.send(255, "\0");
  let hasEnded = false;
  const reading = client.readAll().then(() => {
    hasEnded = true;
  });
  await eventually(cluster.clock, () => hasEnded, { what: "the command has ended", withinMs: 3_600_000 });
  await reading;
  await client.response[Symbol.asyncDispose]();
  return client;
}

describe("what exec answers", () => {
  const stdin = ["stdin", "stdout", "stderr"];
  for (const [what, options, typed, stdout, stderr, status] of [
    ["echo", execOf(["echo", "hello", "world"]), [], "hello world\n", "", success],
    ["a variable of the container", sh("echo $COLOUR"), [], "blue\n", "", success],
    ["a file of a volume", execOf(["cat", "/etc/pod/name"]), [], "p", "", success],
    ["its name", execOf(["hostname"]), [], "p\n", "", success],
    ["an exit code", sh("echo a; exit 3"), [], "a\n", "", failure(3)],
    ["an error", execOf(["cat", "/none"]), [], "", "cat: can't open '/none': No such file or directory\n", failure(1)],
    ["its input", execOf(["cat"], stdin), ["one\n", "two\n"], "one\ntwo\n", "", success],
    ["a script from its input", execOf(["sh"], stdin), ["echo a\nexit", " 4\n"], "a\n", "", failure(4)],
    ["a scripted command", execOf(["redis-cli", "ping"]), [], "PONG\n", "", success],
    ["a scripted failure", execOf(["pg_isready", "-h", "db"]), [], "", "no response\n", failure(2)],
    ["a scripted command in a script", sh("redis-cli ping && echo ok"), [], "PONG\nok\n", "", success],
    ["a command that is not there, in a script", sh("curl x"), [], "", "sh: curl: not found\n", failure(127)],
    ["after its time", sh("echo a; sleep 90; echo b"), [], "a\nb\n", "", success],
    ["nothing that was not asked for", execOf(["echo", "a"], ["stderr"]), [], "", "", success],
    [
      "at a terminal",
      execOf(["sh"], ["stdin", "stdout", "tty"]),
      ["echp\u007fo hi\r", "exit 5\r"],
      "/ # echp\b \bo hi\r\nhi\r\n/ # exit 5\r\n",
      "",
      failure(5),
    ],
  ] as const) {
    test(what, () =>
      withHollowCluster(async (cluster) => {
        const env = [{ name: "COLOUR", value: "blue" }];
        const volumeMounts = [{ name: "v", mountPath: "/etc/pod" }];
        const items = [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }];
        const volumes = [{ name: "v", downwardAPI: { items } }];
        await running(cluster, { volumes, containers: [{ name: "c", image: "shop/web:v1", env, volumeMounts }] });
        const client = await talk(cluster, options, typed);
        expect([client.text(1), client.text(2), JSON.parse(client.text(3))]).toEqual([stdout, stderr, status]);
        expect(client.frames.at(-1)).toEqual({ opcode: 8, payload: Buffer.from([3, 232]) });
      }),
    );
  }

  test("a program that is not there", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      const client = await talk(cluster, execOf(["curl", "x"]));
      const status = JSON.parse(client.text(3));
      expect([status.reason, status.code]).toEqual(["InternalError", 500]);
      expect(status.message).toContain('exec: "curl": executable file not found in $PATH');
    }));

  test("files that an exec has written, in the next one", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      await talk(cluster, sh("echo kept > /tmp/note"));
      expect((await talk(cluster, execOf(["cat", "/tmp/note"]))).text(1)).toBe("kept\n");
      expect((await talk(cluster, execOf(["ls", "/tmp"]))).text(1)).toBe("note\n");
    }));

  test("that it was killed, when its container ends", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      const talking = talk(cluster, execOf(["sleep", "1h"]));
      await cluster.delete("p");
      expect(JSON.parse((await talking).text(3))).toEqual(failure(137));
    }));

  test("nothing more, when its node is cut off", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      const client = await WebSocketClient.open(cluster.transport, sh("echo a; sleep 1h"), cluster.signal);
      const reading = client.readAll();
      await eventually(cluster.clock, () => client.text(1) !== "");
      cluster.hollow.cutOff("node-1");
      await reading;
      await client.response[Symbol.asyncDispose]();
      expect([client.text(1), client.text(3), client.frames.some(({ opcode }) => opcode === 8)]).toEqual([
        "a\n",
        "",
        false,
      ]);
    }));

  test("nobody, when its client has gone", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      const client = await WebSocketClient.open(cluster.transport, execOf(["sleep", "1h"]), cluster.signal);
      const reading = client.readAll();
      await client.sendFrame(clientFrame(8, new Uint8Array()));
      await reading;
      expect(client.frames.at(-1)?.opcode).toBe(8);
      // Waits for all that was begun.
      await client.response[Symbol.asyncDispose]();
    }));

  for (const [protocol, opcode, expected] of [
    ["v4.channel.k8s.io", 2, ["\u0001", "\u0001hi\n", `\u0003${JSON.stringify(failure(3))}`]],
    ["channel.k8s.io", 2, ["\u0001", "\u0001hi\n", `\u0003${failure(3).message}`]],
    [undefined, 2, ["\u0001", "\u0001hi\n", `\u0003${failure(3).message}`]],
    ["v4.base64.channel.k8s.io", 1, ["1", `1${btoa("hi\n")}`, `3${btoa(JSON.stringify(failure(3)))}`]],
  ] as const) {
    test(`in the protocol ${protocol ?? "without a name"}`, () =>
      withHollowCluster(async (cluster) => {
        await running(cluster);
        const { protocol: _newest, ...plain } = sh("echo hi; exit 3");
        const client = await talk(cluster, protocol === undefined ? plain : { ...plain, protocol });
        const messages = client.frames.filter((frame) => frame.opcode === opcode);
        expect(messages.map(({ payload }) => payload.toString())).toEqual(expected);
        expect(client.response.headers["sec-websocket-protocol"]).toBe(protocol);
      }));
  }

  test("pings, and messages in fragments", () =>
    withHollowCluster(async (cluster) => {
      await running(cluster);
      const client = await WebSocketClient.open(cluster.transport, execOf(["cat"], stdin), cluster.signal);
      expect(client.response.headers["sec-websocket-accept"]).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
      await client.sendFrame(clientFrame(9, Buffer.from("here?")));
      await client.sendFrame(clientFrame(2, Buffer.from("\0on"), false));
      await client.sendFrame(clientFrame(0, Buffer.from("e\n")));
      // Byte by byte, as a socket may bring them.
      for (const byte of clientFrame(2, Buffer.from("\0two"))) await client.sendFrame(Uint8Array.of(byte));
      await client.send(255, "\0");
      await client.readAll();
      expect(client.text(1)).toBe("one\ntwo");
      expect(client.frames).toContainEqual({ opcode: 10, payload: Buffer.from("here?") });
    }));
});

describe("what attach shows", () => {
  test("what the container prints from now on, until it ends", () =>
    withHollowCluster(async (cluster) => {
      const command = ["sh", "-c", "echo one; sleep 10; echo two; echo oh >&2; sleep 10"];
      await running(cluster, { restartPolicy: "Never", containers: [{ name: "c", image: "busybox", command }] });
      await cluster.clock.advance(5000);
      const client = await talk(cluster, { ...execOf([]), path: "/api/v1/namespaces/scenario/pods/p/attach" });
      expect([client.text(1), client.text(2), JSON.parse(client.text(3))]).toEqual(["two\n", "oh\n", success]);
    }));
});

describe("who is refused", () => {
  for (const [what, options, spec, code, message] of [
    [
      "older clients",
      { ...execOf(["ls"]), upgrade: "SPDY/3.1" },
      {},
      400,
      "hollow nodes speak WebSocket, not spdy/3.1",
    ],
    ["a request without an upgrade", { ...execOf(["ls"]), upgrade: "" }, {}, 400, "Upgrade request required"],
    ["an unknown protocol", { ...execOf(["ls"]), protocol: "v9.channel.k8s.io" }, {}, 400, "hollow nodes speak v5."],
    ["a command without words", execOf([]), {}, 400, "you must specify at least 1 command for the container"],
    [
      "a container that does not run",
      execOf(["ls"]),
      { containers: [{ name: "c", image: "web:nonexistent" }] },
      500,
      'container not found ("c")',
    ],
    [
      "port-forward",
      {
        ...execOf([]),
        path: "/api/v1/namespaces/scenario/pods/p/portforward",
        protocol: "SPDY/3.1+portforward.k8s.io",
      },
      {},
      501,
      "hollow nodes have no network to forward to",
    ],
  ] as const) {
    test(what, () =>
      withHollowCluster(async (cluster) => {
        await cluster.create("p", spec);
        await cluster.clock.advance(5000);
        await using response = await cluster.transport(upgradeRequest(options), cluster.signal);
        const { body } = response;
        if (body.kind !== "bytes") throw new Error(`unexpected ${body.kind}`);
        const status = JSON.parse(Buffer.from(await collectBytes(body.bytes, { maxBytes: 10_000 })).toString());
        expect([response.status, status.code]).toEqual([code, code]);
        expect(status.message).toContain(message);
      }),
    );
  }
});
