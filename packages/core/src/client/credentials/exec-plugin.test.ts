import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deferred, FakeClock, type LogFields, noLog, systemClock } from "../../base/index.ts";
import type { CertificatePair } from "./client-certificate.ts";
import type { ExecCluster } from "./exec-credential.ts";
import { type ExecPlugin, execCredentials } from "./exec-plugin.ts";
import { FakeHost, type FakeHostParts } from "./fake-host.fixture.ts";

const { first, second }: Record<"first" | "second", CertificatePair> = JSON.parse(
  readFileSync(new URL("./certificates.facts.json", import.meta.url), "utf8"),
);
const never = new AbortController().signal;
const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

const answer = (status: unknown, apiVersion = v1) => JSON.stringify({ kind: "ExecCredential", apiVersion, status });
const prints = (stdout: string) => async () => ({ stdout, exitCode: 0 });

interface Setup extends FakeHostParts {
  readonly plugin?: Partial<ExecPlugin>;
  readonly cluster?: ExecCluster;
  readonly stdinUnavailable?: string;
}

function setUp({ plugin, cluster, stdinUnavailable, ...parts }: Setup) {
  const host = new FakeHost(parts);
  const clock = new FakeClock();
  const lines: (LogFields | undefined)[] = [];
  const credentials = execCredentials({
    plugin: { command: "plug", apiVersion: v1, interactiveMode: "Never", ...plugin },
    host,
    clock,
    log: { ...noLog, warn: (_message, fields) => lines.push(fields) },
    ...(cluster === undefined ? {} : { cluster: async () => cluster }),
    ...(stdinUnavailable === undefined ? {} : { stdinUnavailable }),
  });
  return { host, clock, lines, credentials };
}

const told = (host: FakeHost): unknown => JSON.parse(host.commands[0]?.env["KUBERNETES_EXEC_INFO"] ?? "null");

describe("what a plugin is given", () => {
  test("command, arguments, our environment and its own over it", async () => {
    const { host, credentials } = setUp({
      env: { PATH: "/bin", REGION: "eu" },
      plugin: { args: ["a", "b c"], env: [{ name: "REGION", value: "us" }] },
      spawn: prints(answer({ token: "t" })),
    });
    await credentials.current(never);
    expect(host.commands[0]).toMatchObject({
      command: "plug",
      args: ["a", "b c"],
      env: { PATH: "/bin", REGION: "us" },
      stdin: "none",
    });
    expect(told(host)).toEqual({ kind: "ExecCredential", apiVersion: v1, spec: { interactive: false } });
  });

  // As kubectl 1.36.4 prints it.
  test.each([
    [
      "all there is",
      {
        server: "https://127.0.0.1:1",
        tlsServerName: "foo",
        insecureSkipTlsVerify: false,
        caPem: "abc",
        proxyUrl: "http://127.0.0.1:2",
        disableCompression: true,
        config: { audience: "x" },
      },
      `{"server":"https://127.0.0.1:1","tls-server-name":"foo","certificate-authority-data":"YWJj","proxy-url":"http://127.0.0.1:2","disable-compression":true,"config":{"audience":"x"}}`,
    ],
    [
      "little",
      { server: "https://127.0.0.1:1", insecureSkipTlsVerify: true },
      `{"server":"https://127.0.0.1:1","insecure-skip-tls-verify":true,"config":null}`,
    ],
  ])("the cluster, to the letter: %s", async (_name, cluster, expected) => {
    const { host, credentials } = setUp({ cluster, spawn: prints(answer({ token: "t" })) });
    await credentials.current(never);
    expect(host.commands[0]?.env["KUBERNETES_EXEC_INFO"]).toBe(
      `{"kind":"ExecCredential","apiVersion":"${v1}","spec":{"cluster":${expected},"interactive":false}}`,
    );
  });
});

describe("standard input", () => {
  test.each([
    ["Never, at a terminal", "Never", true, undefined, "none"],
    ["IfAvailable, at a terminal", "IfAvailable", true, undefined, "inherit"],
    ["IfAvailable, without one", "IfAvailable", false, undefined, "none"],
    ["IfAvailable, at a terminal that is taken", "IfAvailable", true, "taken", "none"],
    ["Always, at a terminal", "Always", true, undefined, "inherit"],
  ] as const)("%s", async (_name, interactiveMode, isTerminal, stdinUnavailable, stdin) => {
    const { host, credentials } = setUp({
      isTerminal,
      plugin: { interactiveMode },
      spawn: prints(answer({ token: "t" })),
      ...(stdinUnavailable === undefined ? {} : { stdinUnavailable }),
    });
    await credentials.current(never);
    const [command] = host.commands;
    expect([command?.stdin, typeof command?.stderr]).toEqual([stdin, stdin === "inherit" ? "string" : "function"]);
    expect(told(host)).toMatchObject({ spec: { interactive: stdin === "inherit" } });
  });

  test.each([
    ["without a terminal", { isTerminal: false }, "it is not a terminal"],
    [
      "when it is taken",
      { isTerminal: true, stdinUnavailable: "it holds manifests" },
      "it is unavailable: it holds manifests",
    ],
  ])("Always, %s: the plugin is not run", async (_name, setup, expected) => {
    const { host, credentials } = setUp({ ...setup, plugin: { interactiveMode: "Always" } });
    await expect(credentials.current(never)).rejects.toThrow(`(interactiveMode Always): ${expected}`);
    expect(host.commands).toEqual([]);
  });
});

describe("what a plugin answers", () => {
  test.each([
    ["a token", answer({ token: "t" }), { headers: { authorization: "Bearer t" } }],
    [
      "a certificate",
      answer({ clientCertificateData: first.certificatePem, clientKeyData: first.keyPem }),
      { headers: {}, certificate: { ...first, generation: 1 } },
    ],
    [
      "both",
      answer({ token: "t", clientCertificateData: first.certificatePem, clientKeyData: first.keyPem }),
      { headers: { authorization: "Bearer t" }, certificate: { ...first, generation: 1 } },
    ],
    [
      "YAML",
      `kind: ExecCredential\napiVersion: ${v1}\nstatus:\n  token: t\n`,
      { headers: { authorization: "Bearer t" } },
    ],
  ])("%s is shown", async (_name, stdout, expected) => {
    const { credentials } = setUp({ spawn: prints(stdout) });
    expect(await credentials.current(never)).toEqual(expected);
  });

  test("in v1beta1 when that was asked for", async () => {
    const { host, credentials } = setUp({
      plugin: { apiVersion: v1beta1 },
      spawn: prints(answer({ token: "t" }, v1beta1)),
    });
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer t" });
    expect(told(host)).toMatchObject({ apiVersion: v1beta1 });
  });

  test.each([
    [
      "another version",
      answer({ token: "t" }, v1beta1),
      `apiVersion: the kubeconfig asks for ${v1}, the plugin answered with "${v1beta1}"`,
    ],
    ["another kind", JSON.stringify({ kind: "Pod", apiVersion: v1 }), "kind: must be ExecCredential"],
    ["nothing", "", "kind: must be ExecCredential"],
    [
      "no status",
      JSON.stringify({ kind: "ExecCredential", apiVersion: v1 }),
      "status: required; status.token: required",
    ],
    ["an empty status", answer({}), "status.token: required, unless there is a client certificate"],
    [
      "a certificate without key",
      answer({ clientCertificateData: "x" }),
      "status.clientKeyData: required with clientCertificateData",
    ],
    [
      "a key without certificate",
      answer({ token: "t", clientKeyData: "x" }),
      "status.clientCertificateData: required with clientKeyData",
    ],
    ["a token that is none", answer({ token: 5 }), "status.token: must be a string, not a number"],
    [
      "a strange expiry",
      answer({ token: "t", expirationTimestamp: "soon" }),
      "status.expirationTimestamp: must be a time",
    ],
    ["words", "log in first, secret", "must be an object, not a string"],
    ["half an object", '{"token": "secret', "line 1"],
  ])("%s is refused, and not quoted", async (_name, stdout, expected) => {
    const { credentials } = setUp({ spawn: prints(stdout) });
    const error = await credentials.current(never).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ reason: "PluginFailed", message: expect.stringContaining(expected) });
    expect(String(error)).not.toContain("secret");
  });

  test("a certificate with a foreign key is refused", async () => {
    const status = { clientCertificateData: first.certificatePem, clientKeyData: second.keyPem };
    const { credentials } = setUp({ spawn: prints(answer(status)) });
    await expect(credentials.current(never)).rejects.toThrow("does not belong");
  });
});

describe("a plugin that does not work", () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error("spawn"), { code });
  };

  test.each([
    ["not installed", {}, "PluginMissing", "exec plugin plug is not installed"],
    [
      "not installed, with a hint",
      { plugin: { installHint: "brew install \x1b[1mplug" } },
      "PluginMissing",
      "exec plugin plug is not installed: brew install U+001B[1mplug",
    ],
    [
      "not executable",
      { spawn: failing("EACCES") },
      "PluginFailed",
      "exec plugin plug could not be run: permission denied",
    ],
    [
      "failing",
      { spawn: async () => ({ stdout: answer({ token: "t" }), exitCode: 3 }) },
      "PluginFailed",
      "exec plugin plug failed with exit code 3",
    ],
    [
      "killed",
      { spawn: async () => ({ stdout: "", exitCode: undefined }) },
      "PluginFailed",
      "exec plugin plug was killed",
    ],
  ])("%s", async (_name, setup, reason, message) => {
    await expect(setUp(setup).credentials.current(never)).rejects.toMatchObject({ reason, message });
  });

  test("says so in its own words, to the log and in the error", async () => {
    const { lines, credentials } = setUp({
      async spawn({ stderr }) {
        if (stderr !== "inherit") for (const line of ["session expired", "run plug login", ""]) stderr(line);
        return { stdout: "", exitCode: 1 };
      },
    });
    await expect(credentials.current(never)).rejects.toThrow("failed with exit code 1: run plug login");
    expect(lines).toEqual([
      { command: "plug", line: "session expired" },
      { command: "plug", line: "run plug login" },
    ]);
  });

  test("of a version nobody knows is refused before it runs", () => {
    const plugin = { apiVersion: "client.authentication.k8s.io/v1alpha1" };
    expect(() => setUp({ plugin })).toThrow(`is not supported, only ${v1} and ${v1beta1}`);
  });
});

describe("when a plugin runs", () => {
  const counting = (expiresAfterMs?: number) => {
    let call = 0;
    const setup = setUp({
      async spawn() {
        const now = setup.clock.now();
        const expiry =
          expiresAfterMs === undefined ? {} : { expirationTimestamp: new Date(now + expiresAfterMs).toISOString() };
        return { stdout: answer({ token: `token-${++call}`, ...expiry }), exitCode: 0 };
      },
    });
    return setup;
  };

  test("once, if what it answers never expires", async () => {
    const { host, clock, credentials } = counting();
    await credentials.current(never);
    await clock.advance(1e9);
    await credentials.current(never);
    expect(host.commands).toHaveLength(1);
  });

  test("again, before the next use of what has expired", async () => {
    const { host, clock, credentials } = counting(60_000);
    await credentials.current(never);
    await clock.advance(60_000);
    await credentials.current(never);
    expect(host.commands).toHaveLength(1);
    await clock.advance(1);
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer token-2" });
  });

  test("once for all who were rejected with the same credential", async () => {
    const { host, credentials } = counting();
    const shown = await credentials.current(never);
    const retries = await Promise.all([1, 2, 3].map(() => credentials.rejected(shown, never)));
    expect([retries, host.commands.length]).toEqual([[true, true, true], 2]);
  });

  test("once for all who wait; who gives up leaves the others waiting, and the last one ends it", async () => {
    const exit = deferred<{ stdout: string; exitCode: number }>();
    let runSignal: AbortSignal | undefined;
    const { host, credentials } = setUp({
      spawn(_command, signal) {
        runSignal = signal;
        signal.addEventListener("abort", () => exit.reject(signal.reason), { once: true });
        return exit.promise;
      },
    });
    const controllers = [new AbortController(), new AbortController()] as const;
    const waits = controllers.map(({ signal }) => credentials.current(signal).catch((error: Error) => error.message));
    await systemClock.yield();
    controllers[0].abort(new Error("first left"));
    expect(await waits[0]).toBe("first left");
    expect([host.commands.length, runSignal?.aborted]).toEqual([1, false]);
    controllers[1].abort(new Error("second left"));
    expect(await waits[1]).toBe("second left");
    expect(runSignal?.aborted).toBe(true);
  });
});
