import { X509Certificate } from "node:crypto";
import { createAuthority, type CertificatePair as RealPair } from "@kubeloop/real-cluster";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeClock, type Log, MetricsRegistry, noLog } from "../../base/index.ts";
import { fixedCertificate, ServingCertificateFiles, type ServingCertificateOptions } from "./serving-certificate.ts";

const never = new AbortController().signal;
let authority: Awaited<ReturnType<typeof createAuthority>>;
let first: RealPair;
let second: RealPair;
beforeAll(async () => {
  authority = await createAuthority("test");
  first = await authority.issueServer({ commonName: "first", names: ["localhost"] });
  second = await authority.issueServer({ commonName: "second", names: ["localhost"] });
});

/** A machine whose files the test writes. */
function newFiles(more: Partial<ServingCertificateOptions> = {}) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const files: Record<string, string> = { "tls.crt": first.certPem, "tls.key": first.keyPem };
  const log: string[] = [];
  const note = (message: string) => log.push(message);
  const noting: Log = { ...noLog, info: note, error: note, with: () => noting };
  const certificate = new ServingCertificateFiles({
    certFile: "tls.crt",
    keyFile: "tls.key",
    clock,
    metrics,
    log: noting,
    host: {
      async readFile(path) {
        const text = files[path];
        if (text === undefined) throw new Error(`no ${path}`);
        return text;
      },
    },
    ...more,
  });
  const told: string[] = [];
  certificate.subscribe(({ certificatePem }) => told.push(certificatePem));
  return { clock, metrics, files, log, certificate, told };
}

describe("certificate files", () => {
  test("are read when asked; what has not changed is not told again", async () => {
    const { certificate, told } = newFiles();
    expect(certificate.current).toBeUndefined();
    expect([await certificate.reload(never), await certificate.reload(never)]).toEqual([true, false]);
    expect(certificate.current?.certificatePem).toBe(first.certPem);
    expect(told).toEqual([first.certPem]);
  });

  test("are read again every ten seconds, and a new pair is told", async () => {
    const { certificate, clock, files, told, metrics } = newFiles();
    await certificate.reload(never);
    const stop = new AbortController();
    const running = certificate.run(stop.signal);
    await clock.advance(10_000);
    Object.assign(files, { "tls.crt": second.certPem, "tls.key": second.keyPem });
    await clock.advance(9999);
    expect(told).toEqual([first.certPem]);
    await clock.advance(1);
    expect(told).toEqual([first.certPem, second.certPem]);
    stop.abort();
    await running;
    expect(clock.pending()).toEqual([]);
    expect(metrics.print()).toContain("certwatcher_read_certificate_total 3\n");
  });

  const broken: readonly [fact: string, change: () => Record<string, string>][] = [
    ["the key of another certificate", () => ({ "tls.key": second.keyPem })],
    ["a certificate whose key has not come yet", () => ({ "tls.crt": second.certPem })],
    ["half a certificate", () => ({ "tls.crt": second.certPem.slice(0, 200) })],
    ["no key", () => ({ "tls.key": "" })],
  ];
  for (const [fact, change] of broken) {
    test(`${fact} keeps the old pair, is said and counted, and what follows is taken`, async () => {
      const { certificate, files, told, log, metrics } = newFiles();
      await certificate.reload(never);
      Object.assign(files, change());
      expect(await certificate.reload(never)).toBe(false);
      expect(certificate.current).toMatchObject({ certificatePem: first.certPem, keyPem: first.keyPem });
      expect(log).toEqual(["certificate read", "certificate could not be read again, the old one stays"]);
      expect(metrics.print()).toContain("certwatcher_read_certificate_errors_total 1\n");
      expect(await certificate.reload(never)).toBe(false);
      expect(metrics.print()).toContain("certwatcher_read_certificate_errors_total 2\n");
      Object.assign(files, { "tls.crt": second.certPem, "tls.key": second.keyPem });
      expect(await certificate.reload(never)).toBe(true);
      expect(told).toEqual([first.certPem, second.certPem]);
    });
  }

  test("that are gone for a while keep the old pair", async () => {
    const { certificate, files } = newFiles();
    await certificate.reload(never);
    delete files["tls.crt"];
    expect(await certificate.reload(never)).toBe(false);
    expect(certificate.current?.certificatePem).toBe(first.certPem);
  });

  test("that were never good are an error that names them", async () => {
    const { certificate, files } = newFiles();
    files["tls.key"] = second.keyPem;
    await expect(certificate.reload(never)).rejects.toThrow(
      "certificate tls.crt cannot be used: the key does not belong to the certificate",
    );
  });

  test("change together with the authorities of clients", async () => {
    const { certificate, files, told } = newFiles({ clientCaFile: "ca.crt" });
    files["ca.crt"] = authority.pair.certPem;
    await certificate.reload(never);
    expect(certificate.current?.clientCaPem).toBe(authority.pair.certPem);
    files["ca.crt"] = "nonsense";
    expect(await certificate.reload(never)).toBe(false);
    files["ca.crt"] = first.certPem;
    expect(await certificate.reload(never)).toBe(true);
    expect(told).toHaveLength(2);
  });

  test("say when they end", async () => {
    const { certificate } = newFiles();
    await certificate.reload(never);
    expect(certificate.current?.expiresMs).toBe(Date.parse(new X509Certificate(first.certPem).validTo));
  });

  test("a listener that throws disturbs neither the others nor the reading", async () => {
    const { certificate, log } = newFiles();
    certificate.subscribe(() => {
      throw new Error("no");
    });
    expect(await certificate.reload(never)).toBe(true);
    expect(log).toContain("new certificate was not taken");
  });
});

describe("a fixed certificate", () => {
  test("is what it is", async () => {
    const certificate = fixedCertificate({ certificatePem: first.certPem, keyPem: first.keyPem });
    expect(await certificate.reload(never)).toBe(false);
    expect(certificate.current?.keyPem).toBe(first.keyPem);
  });

  test("must have the key that belongs to it", () => {
    expect(() => fixedCertificate({ certificatePem: first.certPem, keyPem: second.keyPem })).toThrow("does not belong");
  });
});
