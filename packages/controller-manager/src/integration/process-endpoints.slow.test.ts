// The endpoints of the manager as a process, over real sockets: who may read what, and with which certificates and TLS settings they are served.
// The manager works for an embedded API server in this process, so this needs nothing but Node.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConnectionOptions, connect } from "node:tls";
import { type CertificateAuthority, type CertificatePair, createAuthority } from "@kubeloop/apiserver/authority";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { askEndpoint, type EndpointRequest, findPort } from "./manager-process.contract.ts";
import { ServedCluster } from "./process-on-embedded-server.contract.ts";

// Ends what hangs; nothing is expected of it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let cluster: ServedCluster;
let others: CertificateAuthority;
beforeAll(async () => {
  cluster = await ServedCluster.open();
  others = await createAuthority("others");
});
afterAll(async () => cluster?.[Symbol.asyncDispose]());

const remote = () => [
  `--authentication-kubeconfig=${cluster.kubeconfig}`,
  `--authorization-kubeconfig=${cluster.kubeconfig}`,
];

/** Ready to be asked when this resolves. Each has a lease of its own: they do not wait for each other. */
async function serve(args: readonly string[]): Promise<number> {
  const port = await findPort();
  const manager = cluster.start([
    `--secure-port=${port}`,
    `--leader-elect-resource-name=manager-${port}`,
    "--controllers=garbage-collector-controller",
    ...args,
  ]);
  await manager.logged("listens", `port=${port}`);
  await manager.logged("Started controller", "garbage-collector");
  return port;
}

const bearer = (token: string): EndpointRequest => ({ headers: { authorization: `Bearer ${token}` } });
const showing = ({ certPem: cert, keyPem: key }: CertificatePair): EndpointRequest => ({ cert, key });
const masters = { user: "root", groups: ["system:masters"] };

describe("of the endpoints", () => {
  let port: number;
  beforeAll(async () => {
    port = await serve(remote());
  });

  const secret: readonly (readonly [path: string, text: string])[] = [
    ["/metrics", "leader_election_master_status"],
    ["/metrics/slis", "kubernetes_healthcheck"],
    ["/configz", '"kubecontrollermanager.config.k8s.io"'],
    ["/flagz", "leader-elect=true"],
    ["/statusz", "Binary version= "],
    ["/debug/pprof/", "profile?seconds=30"],
    ["/debug/pprof/cmdline", "--secure-port"],
    ["/debug/pprof/profile?seconds=0.01", '"nodes"'],
    ["/debug/controllers/garbage-collector-controller/graph", "digraph"],
  ];

  test("/healthz is open to all, and says what it looked at", async () => {
    expect(await askEndpoint(port, "/healthz")).toMatchObject({ status: 200, body: "ok" });
    const { body } = await askEndpoint(port, "/healthz?verbose");
    expect(body).toContain("[+]leaderElection ok");
    expect(body).toContain("[+]garbage-collector-controller ok");
  });

  describe.each(secret)("%s", (path, text) => {
    const ask = (how?: EndpointRequest) => askEndpoint(port, path, how);

    test("is not for nobody, nor for who shows a wrong token or a stranger's certificate", async () => {
      const stranger = await others.issueClient(masters);
      const asked = [ask(), ask(bearer("wrong")), ask(showing(stranger))];
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status)).toEqual([403, 401, 401]);
      for (const { body } of answers) expect(body).not.toContain(text);
    });

    test("is for who shows an administrator's token", async () => {
      const { status, body } = await ask(bearer(cluster.token));
      expect(status).toBe(200);
      expect(body).toContain(text);
    });
  });

  test("certificates of the authority that the cluster publishes name their users", async () => {
    const [admin, other] = await Promise.all([
      cluster.authority.issueClient(masters),
      cluster.authority.issueClient({ user: "somebody" }),
    ]);
    expect((await askEndpoint(port, "/configz", showing(admin))).status).toBe(200);
    const refused = await askEndpoint(port, "/configz", showing(other));
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body).toContain('User \\"somebody\\" cannot get path \\"/configz\\"');
  });

  test("the one that sets the verbosity does so for administrators only", async () => {
    const put = { method: "PUT", body: "2" };
    expect((await askEndpoint(port, "/debug/flags/v", put)).status).toBe(403);
    const { status, body } = await askEndpoint(port, "/debug/flags/v", { ...put, ...bearer(cluster.token) });
    expect([status, body]).toEqual([200, "successfully set klog.logging.verbosity to 2\n"]);
  });

  test("the certificate is made by the process itself, for localhost and the address it listens on", async () => {
    const { certificate } = await askEndpoint(port, "/healthz");
    expect(certificate.names).toBe("DNS:localhost, IP Address:127.0.0.1");
    await expect(
      askEndpoint(port, "/healthz", { ca: certificate.pem, servername: "localhost" }),
    ).resolves.toMatchObject({ status: 200 });
  });

  test("HTTP/2 is spoken beside HTTP/1.1", async () => {
    expect(await protocolOf(port, { ALPNProtocols: ["h2", "http/1.1"] })).toBe("h2");
    expect(await protocolOf(port, { ALPNProtocols: ["http/1.1"] })).toBe("http/1.1");
  });
});

describe("with authorities, certificates and TLS settings of its own", () => {
  let port: number;
  let servers: CertificateAuthority;
  let proxies: CertificateAuthority;
  beforeAll(async () => {
    [servers, proxies] = await Promise.all([createAuthority("servers"), createAuthority("proxies")]);
    const [own, named] = await Promise.all([
      servers.issueServer({ commonName: "manager", names: ["manager.example"] }),
      servers.issueServer({ commonName: "other", names: ["other.example"] }),
    ]);
    const files = {
      cert: await cluster.write("own.crt", own.certPem),
      key: await cluster.write("own.key", own.keyPem),
      namedCert: await cluster.write("named.crt", named.certPem),
      namedKey: await cluster.write("named.key", named.keyPem),
      clients: await cluster.write("clients.crt", others.pair.certPem),
      proxies: await cluster.write("proxies.crt", proxies.pair.certPem),
    };
    port = await serve([
      ...remote(),
      "--authentication-skip-lookup",
      `--tls-cert-file=${files.cert}`,
      `--tls-private-key-file=${files.key}`,
      `--tls-sni-cert-key=${files.namedCert},${files.namedKey}`,
      "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
      "--tls-curve-preferences=24",
      "--disable-http2-serving",
      `--client-ca-file=${files.clients}`,
      `--requestheader-client-ca-file=${files.proxies}`,
      "--requestheader-allowed-names=front-proxy",
      "--requestheader-username-headers=X-Told-User",
      "--requestheader-group-headers=X-Told-Group",
      "--authorization-always-allow-paths=/metrics,/debug/pprof/*",
      "--profiling=false",
    ]);
  });

  test("it shows the given certificate, and others to who asks for their names", async () => {
    const ca = servers.pair.certPem;
    const shown = async (servername: string) =>
      (await askEndpoint(port, "/metrics", { ca, servername })).certificate.names;
    expect(await shown("manager.example")).toBe("DNS:manager.example");
    expect(await shown("other.example")).toBe("DNS:other.example");
    await expect(shown("third.example")).rejects.toThrow("altnames");
  });

  test("of TLS 1.2 only the named suites are spoken, and TLS 1.3 as well", async () => {
    const old = { maxVersion: "TLSv1.2" } as const;
    const { tls } = await askEndpoint(port, "/metrics", old);
    expect(tls).toEqual({ version: "TLSv1.2", cipher: "ECDHE-ECDSA-AES256-GCM-SHA384" });
    await expect(askEndpoint(port, "/metrics", { ...old, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" })).rejects.toThrow();
    expect((await askEndpoint(port, "/metrics", { minVersion: "TLSv1.3" })).tls.version).toBe("TLSv1.3");
  });

  test("only the preferred curves are spoken", async () => {
    expect(await protocolOf(port, { ecdhCurve: "secp384r1" })).toBe(false);
    await expect(protocolOf(port, { ecdhCurve: "X25519" })).rejects.toThrow();
  });

  test("HTTP/2 is not spoken where it is disabled", async () => {
    expect(await protocolOf(port, { ALPNProtocols: ["h2", "http/1.1"] })).toBe("http/1.1");
  });

  test("the given authority goes before the cluster's, which is not looked up", async () => {
    const [given, published] = await Promise.all([others.issueClient(masters), cluster.authority.issueClient(masters)]);
    expect((await askEndpoint(port, "/configz", showing(given))).status).toBe(200);
    expect((await askEndpoint(port, "/configz", showing(published))).status).toBe(401);
  });

  test("the proxy that is allowed names users in the given headers, others do not", async () => {
    const [proxy, another] = await Promise.all([
      proxies.issueClient({ user: "front-proxy" }),
      proxies.issueClient({ user: "another-proxy" }),
    ]);
    const told = { "x-told-user": "somebody", "x-told-group": "system:masters" };
    const ask = (pair: CertificatePair, headers: Readonly<Record<string, string>>) =>
      askEndpoint(port, "/configz", { ...showing(pair), headers });
    expect((await ask(proxy, told)).status).toBe(200);
    expect((await ask(proxy, { "x-told-user": "somebody" })).status).toBe(403);
    expect((await ask(proxy, { "x-remote-user": "somebody", "x-remote-group": "system:masters" })).status).toBe(401);
    expect((await ask(another, told)).status).toBe(401);
  });

  test("the paths that are always allowed are the given ones and no others", async () => {
    expect((await askEndpoint(port, "/metrics")).status).toBe(200);
    // Everybody may see /healthz anyway: the server's role system:public-info-viewer says so.
    expect((await askEndpoint(port, "/configz")).status).toBe(403);
  });

  test("profiles are not served without --profiling", async () => {
    expect((await askEndpoint(port, "/debug/pprof/")).status).toBe(404);
  });
});

describe("without a cluster to ask", () => {
  test("tokens say nothing, and TLS 1.2 is refused where 1.3 is the least", async () => {
    const port = await serve(["--tls-min-version=VersionTLS13"]);
    const statuses = await Promise.all(
      ["/healthz", "/metrics"].map(async (path) => (await askEndpoint(port, path, bearer(cluster.token))).status),
    );
    expect(statuses).toEqual([200, 403]);
    await expect(askEndpoint(port, "/healthz", { maxVersion: "TLSv1.2" })).rejects.toThrow();
  });

  test("suites of TLS 1.3 alone leave none for TLS 1.2", async () => {
    const port = await serve(["--tls-cipher-suites=TLS_AES_256_GCM_SHA384"]);
    expect((await askEndpoint(port, "/healthz")).tls.version).toBe("TLSv1.3");
    await expect(askEndpoint(port, "/healthz", { maxVersion: "TLSv1.2" })).rejects.toThrow();
  });

  test("a certificate that is made in a folder is the same at the next start", async () => {
    const folder = join(cluster.folder, "certificates");
    const shown = async () => (await askEndpoint(await serve([`--cert-dir=${folder}`]), "/healthz")).certificate.pem;
    const first = await shown();
    expect(await shown()).toBe(first);
    expect(await readFile(join(folder, "kube-controller-manager.crt"), "utf8")).toContain(first.slice(0, 200));
  });
});

/** What ALPN agreed on; false for nothing. */
function protocolOf(port: number, options: ConnectionOptions): Promise<string | false> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options }, () => {
      resolve(socket.alpnProtocol === null ? false : socket.alpnProtocol);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
