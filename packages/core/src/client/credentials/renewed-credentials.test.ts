import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../base/index.ts";
import type { CertificatePair } from "./client-certificate.ts";
import { type CredentialFunction, functionCredentials, RenewedCredentials } from "./renewed-credentials.ts";

const { first, second }: Record<"first" | "second", CertificatePair> = JSON.parse(
  readFileSync(new URL("./certificates.facts.json", import.meta.url), "utf8"),
);
const never = new AbortController().signal;

/** Counts its calls, and answers the nth with what `answer` makes of n. */
function counted(answer: (call: number) => ReturnType<CredentialFunction>) {
  const calls = { count: 0 };
  const clock = new FakeClock();
  const fetch = () => answer(++calls.count);
  return { calls, clock, credentials: functionCredentials(fetch, { clock }) };
}

describe("credentials from a function", () => {
  test("are asked for before each request when they do not say how long they are good", async () => {
    const { credentials } = counted(async (call) => `token-${call}`);
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer token-1" });
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer token-2" });
  });

  test("are kept until they expire when they say so", async () => {
    const { calls, clock, credentials } = counted((call) => ({ token: `token-${call}`, expiresAtMs: expiry }));
    const expiry = clock.now() + 10_000;
    await credentials.current(never);
    await clock.advance(10_000);
    await credentials.current(never);
    expect(calls.count).toBe(1);
    await clock.advance(1);
    await credentials.current(never);
    expect(calls.count).toBe(2);
  });

  test("may be headers of any kind", async () => {
    const { credentials } = counted(() => ({ headers: { "x-remote-user": "jane" } }));
    expect(await credentials.current(never)).toEqual({ headers: { "x-remote-user": "jane" } });
  });

  test("are fetched anew on rejection, and worth a retry only if they differ", async () => {
    const { calls, credentials } = counted((call) => ({ token: call < 3 ? "old" : "new", expiresAtMs: 1e15 }));
    const shown = await credentials.current(never);
    expect([await credentials.rejected(shown, never), calls.count]).toEqual([false, 2]);
    expect([await credentials.rejected(shown, never), calls.count]).toEqual([true, 3]);
    expect([await credentials.rejected(shown, never), calls.count]).toEqual([true, 3]);
  });

  test("are fetched once for all requests that were rejected together", async () => {
    const { calls, credentials } = counted(async (call) => ({ token: `token-${call}`, expiresAtMs: 1e15 }));
    const shown = await credentials.current(never);
    const answers = await Promise.all([1, 2, 3].map(() => credentials.rejected(shown, never)));
    expect([answers, calls.count]).toEqual([[true, true, true], 2]);
  });

  test("that were rejected are not shown again when nothing newer could be had", async () => {
    const { calls, credentials } = counted((call) => {
      if (call === 2) throw new Error("no network");
      return { token: `token-${call}`, expiresAtMs: 1e15 };
    });
    const shown = await credentials.current(never);
    await expect(credentials.rejected(shown, never)).rejects.toThrow("no network");
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer token-3" });
    expect(calls.count).toBe(3);
  });

  test("fail as the function fails, and are asked for again", async () => {
    const { credentials } = counted((call) => {
      if (call === 1) throw new Error("no network");
      return "fine";
    });
    await expect(credentials.current(never)).rejects.toThrow("no network");
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer fine" });
  });

  test("hold a fake clock while they are under way", async () => {
    const clock = new FakeClock();
    const held: boolean[] = [];
    const real = clock.hold.bind(clock);
    clock.hold = (name) => {
      held.push(name === "fetching credentials");
      return real(name);
    };
    await functionCredentials(() => "t", { clock }).current(never);
    expect(held).toEqual([true]);
  });
});

describe("a fetched certificate", () => {
  const pairs = [first, first, second];

  test("has a new generation only when it is another one", async () => {
    let call = 0;
    const credentials = new RenewedCredentials({
      clock: new FakeClock(),
      withoutExpiry: "fetch every time",
      fetch: async () => ({ certificate: pairs[call++] ?? first }),
    });
    const generations = [];
    for (const _pair of pairs) generations.push((await credentials.current(never)).certificate?.generation);
    expect(generations).toEqual([1, 1, 2]);
  });

  test("with a key that is not its own is refused", async () => {
    const mixed = { certificatePem: first.certificatePem, keyPem: second.keyPem };
    const credentials = functionCredentials(() => ({ certificate: mixed }), { clock: new FakeClock() });
    await expect(credentials.current(never)).rejects.toMatchObject({ reason: "Invalid" });
  });
});
