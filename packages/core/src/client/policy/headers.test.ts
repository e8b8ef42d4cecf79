import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../base/index.ts";
import { coreVersion } from "./core-version.ts";
import { withDefaultHeaders } from "./headers.ts";
import { newRequest, ScriptedTransport } from "./scripted-transport.fixture.ts";
import { printUserAgent, type UserAgentParts } from "./user-agent.ts";

test("defaults are added; what the request brings stands", async () => {
  const server = new ScriptedTransport(new FakeClock(), { status: 200 });
  const transport = withDefaultHeaders(server.send, { accept: "application/json", "user-agent": "me/1" });
  const headers = { accept: "text/plain", "impersonate-group": ["a", "b"] };
  await transport(newRequest("GET", "/version", { headers }), new AbortController().signal);
  expect(server.attempts[0]?.request.headers).toEqual({ ...headers, "user-agent": "me/1" });
});

describe("user agents", () => {
  const parts = { program: "operator", version: "v1.2.3", os: "linux", arch: "amd64", kubeloopVersion: "0.5.0" };
  for (const [name, changed, expected] of [
    ["have upstream's shape", {}, "operator/v1.2.3 (linux/amd64) kubeloop/0.5.0"],
    ["leave out pre-release words", { version: "v1.2.3-rc.1+x" }, "operator/v1.2.3 (linux/amd64) kubeloop/0.5.0"],
    ["admit what is unknown", { version: "" }, "operator/unknown (linux/amd64) kubeloop/0.5.0"],
    [
      "hold only what a header can",
      { program: "mein Prögramm\n" },
      "mein_Pr_gramm_/v1.2.3 (linux/amd64) kubeloop/0.5.0",
    ],
  ] as [string, UserAgentParts, string][]) {
    test(name, () => expect(printUserAgent({ ...parts, ...changed })).toBe(expected));
  }

  test("name this process and this package unless told otherwise", () => {
    const [program, version] = printUserAgent().split(" kubeloop/");
    expect(program).toMatch(/^[^/ ]+\/unknown \((linux|darwin|windows)\/(amd64|arm64)\)$/);
    expect(version).toBe(coreVersion);
  });

  test("the version is the package's", () => {
    const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
    expect(coreVersion).toBe((JSON.parse(manifest) as { version: string }).version);
  });
});
