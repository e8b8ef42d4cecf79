import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { authorityFromPair, createAuthority, toAddressBytes } from "./certificate-authority.ts";

describe("a certificate authority", async () => {
  const authority = await createAuthority("test-ca");
  const root = new X509Certificate(authority.pair.certPem);

  test("signs itself and may sign others", () => {
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
  });

  test("issues server certificates for names and addresses", async () => {
    const { certPem, keyPem } = await authority.issueServer({
      commonName: "server",
      names: ["localhost", "127.0.0.1", "::1"],
    });
    const server = new X509Certificate(certPem);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkHost("localhost")).toBe("localhost");
    expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(server.checkIP("::1")).toBe("::1");
    expect(server.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  });

  test("issues client certificates whose subject holds user and groups", async () => {
    const { certPem } = await authority.issueClient({ user: "jane", groups: ["developers", "testers"] });
    const client = new X509Certificate(certPem);
    expect(client.subject.split("\n")).toEqual(["O=developers", "O=testers", "CN=jane"]);
    expect(client.verify(root.publicKey)).toBe(true);
  });

  test("never repeats a serial number", async () => {
    const issued = await Promise.all([1, 2, 3].map(() => authority.issueClient({ user: "jane" })));
    expect(new Set(issued.map(({ certPem }) => new X509Certificate(certPem).serialNumber)).size).toBe(3);
  });
});

describe("an authority that was kept", async () => {
  const { pair, ...first } = await createAuthority("kept-ca");
  const other = await createAuthority("other-ca");
  const leaf = await first.issueClient({ user: "jane" });

  test("goes on to issue certificates that its old clients trust", async () => {
    const again = await authorityFromPair(pair);
    const root = new X509Certificate(pair.certPem);
    const server = new X509Certificate(
      (await again.issueServer({ commonName: "server", names: ["localhost"] })).certPem,
    );
    expect([again.pair, server.checkIssued(root), server.verify(root.publicKey)]).toEqual([pair, true, true]);
  });

  for (const [what, broken, why] of [
    ["text that is no certificate", { ...pair, certPem: "nothing" }, ""],
    ["text that is no key", { ...pair, keyPem: "nothing" }, ""],
    ["another's key", { ...pair, keyPem: other.pair.keyPem }, "its key belongs to another certificate"],
    ["a certificate that is no authority's", leaf, "it is no authority"],
  ] as const) {
    test(`is refused with ${what}`, async () => {
      await expect(authorityFromPair(broken)).rejects.toThrow(`the certificate authority cannot be used: ${why}`);
    });
  }
});

describe("toAddressBytes", () => {
  for (const [address, expected] of [
    ["10.0.0.1", [10, 0, 0, 1]],
    ["::1", [...Array(15).fill(0), 1]],
    ["fd00::a:b", [0xfd, 0, ...Array(11).fill(0), 0xa, 0, 0xb]],
    ["1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ["::", Array(16).fill(0)],
  ] as const) {
    test(`reads ${address}`, () => expect([...toAddressBytes(address)]).toEqual(expected));
  }
});
