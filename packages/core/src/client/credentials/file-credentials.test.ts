import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FakeClock, type Log, noLog } from "../../base/index.ts";
import { fileCaBundle, inlineCaBundle, systemCaBundle } from "./ca-bundle.ts";
import type { CertificatePair } from "./client-certificate.ts";
import { combinedCredentials } from "./combined-credentials.ts";
import { basicCredentials, certificateCredentials, noCredentials, tokenCredentials } from "./credentials.ts";
import { FakeHost } from "./fake-host.fixture.ts";
import { certificateFileCredentials, tokenFileCredentials } from "./file-credentials.ts";

const { first, second }: Record<"first" | "second", CertificatePair> = JSON.parse(
  readFileSync(new URL("./certificates.facts.json", import.meta.url), "utf8"),
);
const never = new AbortController().signal;
const authorization = (value: string) => ({ headers: { authorization: value } });

describe("constant credentials", () => {
  test.each([
    ["nobody", noCredentials, { headers: {} }],
    ["a token", tokenCredentials("abc"), authorization("Bearer abc")],
    ["a password", basicCredentials("jané", "p:w"), authorization(`Basic ${btoa("jan\xc3\xa9:p:w")}`)],
    [
      "a certificate",
      certificateCredentials(first.certificatePem, first.keyPem),
      { headers: {}, certificate: { ...first, generation: 1 } },
    ],
  ])("%s: shown as it is, and given up when rejected", async (_name, credentials, expected) => {
    const shown = await credentials.current(never);
    expect(shown).toEqual(expected);
    expect(await credentials.rejected(shown, never)).toBe(false);
    await expect(credentials.current(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  });

  test.each([
    [
      "the key of another",
      first.certificatePem,
      second.keyPem,
      "the client key does not belong to the client certificate",
    ],
    ["no certificate", "hello", first.keyPem, "holds no PEM certificate"],
    ["no key", first.certificatePem, "hello", "the client key is not a PEM private key"],
    [
      "a broken certificate",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      first.keyPem,
      "holds a certificate that cannot be parsed",
    ],
    [
      "an encrypted key",
      first.certificatePem,
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----",
      "the client key is encrypted",
    ],
  ])("a certificate with %s is refused", (_name, certificatePem, keyPem, expected) => {
    expect(() => certificateCredentials(certificatePem, keyPem)).toThrow(expected);
  });
});

function tokenFile(options: { fallbackToken?: string } = {}) {
  const host = new FakeHost({ files: { "/token": " one\n" } });
  const clock = new FakeClock();
  const warnings: string[] = [];
  const log: Log = { ...noLog, warn: (message) => warnings.push(message) };
  return { host, clock, warnings, credentials: tokenFileCredentials({ path: "/token", host, clock, log, ...options }) };
}

describe("a token file", () => {
  test("is read once in fifty seconds, however often it is asked for", async () => {
    const { host, clock, credentials } = tokenFile();
    expect(await credentials.current(never)).toEqual(authorization("Bearer one"));
    host.files.set("/token", "two");
    await clock.advance(49_999);
    expect(await credentials.current(never)).toEqual(authorization("Bearer one"));
    await clock.advance(1);
    expect(await credentials.current(never)).toEqual(authorization("Bearer two"));
    expect(host.reads).toHaveLength(2);
  });

  test("is read once for all who ask at the same time", async () => {
    const { host, credentials } = tokenFile();
    await Promise.all([1, 2, 3].map(() => credentials.current(never)));
    expect(host.reads).toHaveLength(1);
  });

  test.each([
    ["is absent", undefined],
    ["is empty", " \n"],
  ])("keeps the last good token while it %s, and looks again a second later", async (_name, text) => {
    const { host, clock, credentials, warnings } = tokenFile();
    await credentials.current(never);
    if (text === undefined) host.files.delete("/token");
    else host.files.set("/token", text);
    await clock.advance(50_000);
    expect(await credentials.current(never)).toEqual(authorization("Bearer one"));
    expect(await credentials.current(never)).toEqual(authorization("Bearer one"));
    expect([host.reads.length, warnings]).toEqual([2, ["file could not be read again, keeping its last content"]]);
    host.files.set("/token", "two");
    await clock.advance(1_000);
    expect(await credentials.current(never)).toEqual(authorization("Bearer two"));
  });

  test("is read at once when the server rejects what it held: worth a retry only if there is another token", async () => {
    const { host, credentials } = tokenFile();
    const shown = await credentials.current(never);
    expect(await credentials.rejected(shown, never)).toBe(false);
    host.files.set("/token", "two");
    expect(await credentials.rejected(shown, never)).toBe(true);
    expect(await credentials.current(never)).toEqual(authorization("Bearer two"));
    expect(await credentials.rejected(shown, never)).toBe(true);
  });

  test("that was never readable fails, naming itself", async () => {
    const { host, credentials } = tokenFile();
    host.files.delete("/token");
    await expect(credentials.current(never)).rejects.toMatchObject({
      message: "/token: no such file",
      reason: "Unreadable",
    });
    host.files.set("/token", "");
    await expect(credentials.current(never)).rejects.toMatchObject({
      message: "/token: holds no token",
      reason: "Invalid",
    });
    host.files.set("/token", "late");
    expect(await credentials.current(never)).toEqual(authorization("Bearer late"));
  });

  test("that was never readable gives way to the fallback token, until it is", async () => {
    const { host, credentials } = tokenFile({ fallbackToken: "spare" });
    host.files.delete("/token");
    const shown = await credentials.current(never);
    expect([shown, await credentials.rejected(shown, never)]).toEqual([authorization("Bearer spare"), false]);
    host.files.set("/token", "real");
    expect(await credentials.rejected(shown, never)).toBe(true);
    expect(await credentials.current(never)).toEqual(authorization("Bearer real"));
  });

  test("lets go of who aborts, while the others get their token", async () => {
    const { credentials } = tokenFile();
    const controller = new AbortController();
    const impatient = credentials.current(controller.signal);
    const patient = credentials.current(never);
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    expect(await patient).toEqual(authorization("Bearer one"));
  });
});

describe("certificate files", () => {
  function certificateFiles() {
    const host = new FakeHost({ files: { "/crt": first.certificatePem, "/key": first.keyPem } });
    const clock = new FakeClock();
    const credentials = certificateFileCredentials({
      certificatePath: "/crt",
      keyPath: "/key",
      host,
      clock,
      log: noLog,
    });
    return { host, clock, credentials };
  }

  test("give a new generation when both have been rotated, and not in between", async () => {
    const { host, clock, credentials } = certificateFiles();
    const before = await credentials.current(never);
    expect(before.certificate).toEqual({ ...first, generation: 1 });
    host.files.set("/crt", second.certificatePem);
    await clock.advance(60_000);
    expect((await credentials.current(never)).certificate).toEqual({ ...first, generation: 1 });
    host.files.set("/key", second.keyPem);
    await clock.advance(1_000);
    expect((await credentials.current(never)).certificate).toEqual({ ...second, generation: 2 });
    expect(await credentials.rejected(before, never)).toBe(true);
  });

  test("keep their generation while they stay the same", async () => {
    const { host, clock, credentials } = certificateFiles();
    await credentials.current(never);
    await clock.advance(60_000);
    expect((await credentials.current(never)).certificate?.generation).toBe(1);
    expect(host.reads).toEqual(["/crt", "/key", "/crt", "/key"]);
  });
});

describe("a certificate together with a token", () => {
  test("shows both, and a retry is worth it when either has changed", async () => {
    const { host, credentials: token } = tokenFile();
    const both = combinedCredentials([certificateCredentials(first.certificatePem, first.keyPem), token]);
    const shown = await both.current(never);
    expect(shown).toEqual({ ...authorization("Bearer one"), certificate: { ...first, generation: 1 } });
    expect(await both.rejected(shown, never)).toBe(false);
    host.files.set("/token", "two");
    expect(await both.rejected(shown, never)).toBe(true);
    expect(await both.rejected({ headers: {} }, never)).toBe(false);
  });
});

describe("a CA bundle", () => {
  test("of the platform has no text", async () => {
    expect(await systemCaBundle.current(never)).toEqual({ pem: undefined, generation: 1 });
  });

  test("inline is checked at once", async () => {
    const pem = `# two of them\n${first.certificatePem}${second.certificatePem}`;
    expect(await inlineCaBundle(pem).current(never)).toEqual({ pem, generation: 1 });
    expect(() => inlineCaBundle("abc")).toThrow("holds no PEM certificate");
  });

  test("in a file is followed: a new generation for new content that can be used", async () => {
    const host = new FakeHost({ files: { "/ca": first.certificatePem } });
    const clock = new FakeClock();
    const ca = fileCaBundle("/ca", { host, clock, log: noLog });
    expect(await ca.current(never)).toEqual({ pem: first.certificatePem, generation: 1 });
    host.files.set("/ca", "half a file");
    await clock.advance(60_000);
    expect((await ca.current(never)).generation).toBe(1);
    host.files.set("/ca", second.certificatePem);
    await clock.advance(1_000);
    expect(await ca.current(never)).toEqual({ pem: second.certificatePem, generation: 2 });
  });

  test("in a file without certificates names the file", async () => {
    const host = new FakeHost({ files: { "/ca": "hello" } });
    const ca = fileCaBundle("/ca", { host, clock: new FakeClock(), log: noLog });
    await expect(ca.current(never)).rejects.toThrow("/ca: holds no PEM certificate");
  });
});
