import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FakeClock, type LogFields, noLog } from "../../base/index.ts";
import type { CertificatePair } from "../credentials/client-certificate.ts";
import { FakeHost, type FakeHostParts } from "../credentials/fake-host.fixture.ts";
import { inClusterConfig, type LoadOptions, loadClusterConfig } from "./load-cluster-config.ts";

const { first, second }: Record<"first" | "second", CertificatePair> = JSON.parse(
  readFileSync(new URL("../credentials/certificates.facts.json", import.meta.url), "utf8"),
);
const never = new AbortController().signal;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const home = "/home/me/.kube/config";
const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const podEnv = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
const podFiles = {
  [`${account}/token`]: "pod-token",
  [`${account}/ca.crt`]: first.certificatePem,
  [`${account}/namespace`]: "pod-namespace\n",
};

/** One context `x` of cluster `c` and user `u`. */
function kubeconfig({
  cluster,
  user,
  namespace,
}: {
  cluster?: object;
  user?: object;
  namespace?: string;
} = {}): string {
  return JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace } }],
    clusters: [{ name: "c", cluster: { server: "https://k8s:6443", ...cluster } }],
    users: [{ name: "u", user: user ?? { token: "t" } }],
  });
}

async function load(parts: FakeHostParts, options: LoadOptions = {}) {
  const host = new FakeHost(parts);
  const config = await loadClusterConfig({ host, clock: new FakeClock(), ...options }, never);
  const { credentials, tls, ...rest } = config;
  const { headers, certificate } = await credentials.current(never);
  const { pem } = await tls.ca.current(never);
  const { isVerified, serverName } = tls;
  return { host, config, rest, headers, certificate, tls: { pem, isVerified, serverName } };
}

const failure = (parts: FakeHostParts, options: LoadOptions = {}) =>
  load(parts, options).then(
    () => "no error",
    (error: Error) => error.message,
  );

describe("where the configuration comes from", () => {
  const named = (name: string) => kubeconfig({ cluster: { server: `https://${name}` } });
  const files = {
    "/explicit": named("explicit"),
    "/one": named("one"),
    "/two": named("two"),
    [home]: named("home"),
    ...podFiles,
  };
  const pod = podEnv;

  test.each([
    [
      "the file that was named",
      { files, env: { ...pod, KUBECONFIG: "/one" } },
      { path: "/explicit" },
      "https://explicit",
    ],
    ["KUBECONFIG, before all else", { files, env: { ...pod, KUBECONFIG: "/one" } }, {}, "https://one"],
    ["the first file of KUBECONFIG", { files, env: { KUBECONFIG: "/two:/one" } }, {}, "https://two"],
    ["the first that is there", { files, env: { KUBECONFIG: ":/absent::/one:/two" } }, {}, "https://one"],
    ["the home folder, even in a pod", { files, env: pod }, {}, "https://home"],
    ["the pod, without a kubeconfig", { files: podFiles, env: pod }, {}, "https://10.0.0.1"],
    [
      "the pod, when no file of KUBECONFIG is there",
      { files, env: { ...pod, KUBECONFIG: "/absent" } },
      {},
      "https://10.0.0.1",
    ],
    ["the pod, when the file is empty", { files: { ...podFiles, [home]: "" }, env: pod }, {}, "https://10.0.0.1"],
    ["the pod, with another address", { files: podFiles, env: pod }, { server: "https://other" }, "https://other"],
    ["a server that was named, with nothing else", {}, { server: "https://alone" }, "https://alone"],
    [
      "a path relative to the working folder",
      { files: { "/somewhere/k": named("rel") }, env: { KUBECONFIG: "k" } },
      {},
      "https://rel",
    ],
  ] as const)("%s", async (_name, parts, options, server) => {
    expect((await load(parts, options)).rest.server).toBe(server);
  });

  test.each([
    ["a named file that is not there", {}, { path: "/absent" }, "/absent: no such file"],
    [
      "a named file that is empty, even in a pod",
      { files: { ...podFiles, "/empty": "" }, env: pod },
      { path: "/empty" },
      "/empty: current-context: required; there are no contexts",
    ],
    [
      "nothing anywhere",
      {},
      {},
      `no kubeconfig at ${home}, and not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT not set`,
    ],
    [
      "a pod without a service account",
      { env: pod },
      {},
      `no kubeconfig at ${home}, and not in a cluster: ${account}/token: no such file`,
    ],
    [
      "a context asked for in a pod",
      { files: podFiles, env: pod },
      { context: "x" },
      'context: no context is named "x"; there are no contexts',
    ],
    [
      "all faults of all files",
      { files: { "/a": "kind: Pod", "/b": "users: 1" }, env: { KUBECONFIG: "/a:/b" } },
      {},
      '/a: kind: must be Config, not "Pod"\n/b: users: must be a list, not a number',
    ],
  ])("not from %s", async (_name, parts, options, expected) => {
    expect(await failure(parts, options)).toBe(expected);
  });

  test("and one is told when none of the files of KUBECONFIG is there", async () => {
    const warnings: [string, LogFields | undefined][] = [];
    const log = { ...noLog, warn: (message: string, fields?: LogFields) => void warnings.push([message, fields]) };
    await failure({ env: { KUBECONFIG: "/a:/b" } }, { log });
    expect(warnings).toEqual([["none of the kubeconfig files exists", { paths: ["/a", "/b"] }]]);
  });
});

describe("files are merged", () => {
  const one = JSON.stringify({
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    users: [{ name: "u", user: { tokenFile: "token" } }],
  });
  const two = JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "other", user: "other", namespace: "other" } }],
    clusters: [{ name: "c", cluster: { server: "https://two", "certificate-authority": "../ca.crt" } }],
    users: [{ name: "u", user: { token: "two", as: "two" } }],
  });
  const three = JSON.stringify({
    "current-context": "y",
    clusters: [{ name: "c", cluster: { server: "https://three" } }],
  });
  const files = { "/a/1": one, "/a/token": "from-a", "/b/2": two, "/ca.crt": first.certificatePem, "/c/3": three };

  test("first come, first served, entry by entry; relative paths beside their own file", async () => {
    const { rest, headers, tls } = await load({ files, env: { KUBECONFIG: "/a/1:/b/2:/c/3:/a/1" } });
    expect(rest).toEqual({
      server: "https://two",
      namespace: "default",
      disableCompression: false,
      source: 'context "x" of /a/1',
    });
    expect([headers, tls.pem]).toEqual([{ authorization: "Bearer from-a" }, first.certificatePem]);
  });

  test("and read once", async () => {
    const { host } = await load({ files, env: { KUBECONFIG: "/a/1:/b/2:/a/1" } });
    expect(host.reads.filter((path) => path === "/a/1")).toHaveLength(1);
  });
});

describe("parts may be replaced", () => {
  const file = JSON.stringify({
    "current-context": "x",
    contexts: [
      { name: "x", context: { cluster: "c", user: "u", namespace: "n" } },
      { name: "y", context: { cluster: "d" } },
    ],
    clusters: [
      { name: "c", cluster: { server: "https://c", "tls-server-name": "inner" } },
      { name: "d", cluster: { server: "https://d" } },
    ],
    users: [
      { name: "u", user: { token: "u" } },
      { name: "v", user: { token: "v" } },
    ],
  });
  const asIs = { server: "https://c", namespace: "n", token: "Bearer u", serverName: "inner" };

  test.each([
    ["none", {}, asIs],
    ["the context", { context: "y" }, { server: "https://d", namespace: "default" }],
    ["the cluster", { cluster: "d" }, { ...asIs, server: "https://d", serverName: undefined }],
    ["the user", { user: "v" }, { ...asIs, token: "Bearer v" }],
    ["the namespace", { namespace: "m" }, { ...asIs, namespace: "m" }],
    [
      "the server, and with it the name on its certificate",
      { server: "https://e/" },
      { ...asIs, server: "https://e", serverName: undefined },
    ],
  ])("%s", async (_name, options, expected) => {
    const { rest, headers, tls } = await load({ files: { [home]: file } }, options);
    const seen = {
      server: rest.server,
      namespace: rest.namespace,
      token: headers["authorization"],
      serverName: tls.serverName,
    };
    expect(seen).toEqual({ token: undefined, serverName: undefined, ...expected });
  });

  test.each([
    ["context", { context: "z" }, 'context: no context is named "z"; contexts are x, y'],
    [
      "cluster and user",
      { cluster: "z", user: "z" },
      'cluster: no cluster is named "z"; clusters are c, d\nuser: no user is named "z"; users are u, v',
    ],
  ])("but not by a %s that is not there", async (_name, options, expected) => {
    expect(await failure({ files: { [home]: file } }, options)).toBe(expected);
  });
});

describe("a context that cannot be used", () => {
  test.each([
    ["no current context", { contexts: [{ name: "x" }] }, `${home}: current-context: required; contexts are x`],
    [
      "a current context that is not there",
      { "current-context": "z" },
      `${home}: current-context: no context is named "z"; there are no contexts`,
    ],
    [
      "no cluster",
      { "current-context": "x", contexts: [{ name: "x" }] },
      `${home}: contexts[0].context.cluster: required`,
    ],
    [
      "parts that are not there",
      { "current-context": "x", contexts: [{ name: "x", context: { cluster: "c", user: "u" } }] },
      `${home}: contexts[0].context.cluster: no cluster is named "c"; there are no clusters\n${home}: contexts[0].context.user: no user is named "u"; there are no users`,
    ],
  ])("%s", async (_name, file, expected) => {
    expect(await failure({ files: { [home]: JSON.stringify(file) } })).toBe(expected);
  });
});

describe("a cluster", () => {
  const files = { "/ca": first.certificatePem, "/not-ca": "hello" };
  const data = base64(first.certificatePem);
  const https = { server: "https://k8s:6443", namespace: "default", disableCompression: false };

  test.each([
    ["an address", {}, {}, { pem: undefined, isVerified: true }],
    [
      "a path before all others, its query dropped",
      { server: "https://k8s/a/b/?q=1#f" },
      { server: "https://k8s/a/b" },
      { pem: undefined, isVerified: true },
    ],
    ["an inline CA", { "certificate-authority-data": data }, {}, { pem: first.certificatePem, isVerified: true }],
    ["a CA in a file", { "certificate-authority": "/ca" }, {}, { pem: first.certificatePem, isVerified: true }],
    ["no check of its certificate", { "insecure-skip-tls-verify": true }, {}, { pem: undefined, isVerified: false }],
    [
      "another name on its certificate",
      { "tls-server-name": "inner" },
      {},
      { pem: undefined, isVerified: true, serverName: "inner" },
    ],
    ["a proxy", { "proxy-url": "socks5://p:1" }, { proxyUrl: "socks5://p:1" }, { pem: undefined, isVerified: true }],
    [
      "no compression",
      { "disable-compression": true },
      { disableCompression: true },
      { pem: undefined, isVerified: true },
    ],
  ])("with %s", async (_name, cluster, expected, tls) => {
    const loaded = await load({ files: { ...files, [home]: kubeconfig({ cluster }) } });
    expect(loaded.rest).toEqual({ ...https, source: `context "x" of ${home}`, ...expected });
    expect(loaded.tls).toEqual({ serverName: undefined, ...tls });
  });

  test("on plain HTTP is told nobody's secrets", async () => {
    for (const server of ["http://k8s:8080", "k8s:8080"]) {
      const { rest, headers } = await load({
        files: { [home]: kubeconfig({ cluster: { server }, user: { token: "t", as: "jane" } }) },
      });
      expect([rest.server, headers, rest.impersonate]).toEqual(["http://k8s:8080", {}, { user: "jane" }]);
    }
  });

  test("behind the environment's proxy", async () => {
    const env = { HTTPS_PROXY: "http://env:3128" };
    expect((await load({ env, files: { [home]: kubeconfig() } })).rest.proxyUrl).toBe("http://env:3128");
    const own = kubeconfig({ cluster: { "proxy-url": "http://own" } });
    expect((await load({ env, files: { [home]: own } })).rest.proxyUrl).toBe("http://own");
  });

  test.each([
    ["no address", { server: "" }, "server: required"],
    ["a strange scheme", { server: "ftp://x" }, "server: must begin with https:// or http://"],
    ["no host", { server: "https://" }, "server: must be a URL such as https://host:6443"],
    ["a user in its address", { server: "https://a:b@x" }, "server: must not carry a user or a password"],
    ["a strange proxy", { "proxy-url": "foo://x" }, "proxy-url: must be a URL that begins with http, https or socks5"],
    [
      "a CA and no check",
      { "insecure-skip-tls-verify": true, "certificate-authority": "/ca" },
      "insecure-skip-tls-verify: may not be given together with a certificate authority",
    ],
    [
      "two CAs",
      { "certificate-authority-data": data, "certificate-authority": "/ca" },
      "certificate-authority: only one of certificate-authority and certificate-authority-data may be given",
    ],
    [
      "a CA that is not there",
      { "certificate-authority": "absent" },
      "certificate-authority: /home/me/.kube/absent: no such file",
    ],
    [
      "a CA that is none",
      { "certificate-authority": "/not-ca" },
      "certificate-authority: /not-ca: holds no PEM certificate",
    ],
    [
      "inline data that is no CA",
      { "certificate-authority-data": "YWJj" },
      "certificate-authority-data: holds no PEM certificate",
    ],
  ])("with %s is refused", async (_name, cluster, expected) => {
    expect(await failure({ files: { ...files, [home]: kubeconfig({ cluster }) } })).toBe(
      `${home}: clusters[0].cluster.${expected}`,
    );
  });
});

describe("a user", () => {
  const v1 = "client.authentication.k8s.io/v1";
  const files = {
    "/crt": first.certificatePem,
    "/key": first.keyPem,
    "/foreign": second.keyPem,
    "/token": "from-file",
    "/empty": "",
  };
  const [crt, key] = [base64(first.certificatePem), base64(first.keyPem)];
  const certificate = { ...first, generation: 1 };

  test.each([
    ["nobody", {}, {}, undefined],
    ["a token", { token: "t" }, { authorization: "Bearer t" }, undefined],
    ["a token file", { tokenFile: "/token" }, { authorization: "Bearer from-file" }, undefined],
    [
      "a token file before a token",
      { tokenFile: "/token", token: "t" },
      { authorization: "Bearer from-file" },
      undefined,
    ],
    [
      "a token while its file is not there",
      { tokenFile: "/absent", token: "t" },
      { authorization: "Bearer t" },
      undefined,
    ],
    ["a password", { username: "a", password: "b" }, { authorization: "Basic YTpi" }, undefined],
    ["an inline certificate", { "client-certificate-data": crt, "client-key-data": key }, {}, certificate],
    ["certificate files", { "client-certificate": "/crt", "client-key": "/key" }, {}, certificate],
    [
      "a certificate file with an inline key",
      { "client-certificate": "/crt", "client-key-data": key },
      {},
      certificate,
    ],
    [
      "a certificate and a token",
      { "client-certificate": "/crt", "client-key": "/key", token: "t" },
      { authorization: "Bearer t" },
      certificate,
    ],
    ["a key alone, which says nothing", { "client-key": "/absent" }, {}, undefined],
    [
      "a token, and a plugin that is not asked",
      { token: "t", exec: { command: "plug", apiVersion: v1, interactiveMode: "Never" } },
      { authorization: "Bearer t" },
      undefined,
    ],
  ])("%s", async (_name, user, headers, expected) => {
    const seen = await load({ files: { ...files, [home]: kubeconfig({ user }) } });
    expect([seen.headers, seen.certificate]).toEqual([headers, expected]);
  });

  const exec = { command: "plug", apiVersion: v1, interactiveMode: "Never" };
  const spawn = async () => ({
    stdout: JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: "plugged" } }),
    exitCode: 0,
  });

  test.each([
    ["in PATH", "plug", "plug"],
    ["beside the kubeconfig", "./bin/plug", "/home/me/.kube/bin/plug"],
    ["anywhere", "/bin/plug", "/bin/plug"],
  ])("a plugin %s, run only when credentials are needed", async (_name, command, expected) => {
    const host = new FakeHost({ files: { [home]: kubeconfig({ user: { exec: { ...exec, command } } }) }, spawn });
    const { credentials } = await loadClusterConfig({ host, clock: new FakeClock() }, never);
    expect(host.commands).toEqual([]);
    expect((await credentials.current(never)).headers).toEqual({ authorization: "Bearer plugged" });
    expect(host.commands.map((run) => run.command)).toEqual([expected]);
  });

  test("a plugin that wants to know the cluster", async () => {
    const cluster = {
      "certificate-authority": "/crt",
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }],
    };
    const user = { exec: { ...exec, provideClusterInfo: true } };
    const { host } = await load({ files: { ...files, [home]: kubeconfig({ cluster, user }) }, spawn });
    expect(JSON.parse(host.commands[0]?.env["KUBERNETES_EXEC_INFO"] ?? "")).toMatchObject({
      spec: { cluster: { server: "https://k8s:6443", "certificate-authority-data": crt, config: { audience: "a" } } },
    });
  });

  test("a plugin of v1beta1 takes a terminal if there is one", async () => {
    const user = { exec: { command: "plug", apiVersion: "client.authentication.k8s.io/v1beta1" } };
    const host = new FakeHost({ files: { [home]: kubeconfig({ user }) }, spawn, isTerminal: true });
    const { credentials } = await loadClusterConfig({ host, clock: new FakeClock() }, never);
    await expect(credentials.current(never)).rejects.toThrow("apiVersion");
    expect(host.commands[0]?.stdin).toBe("inherit");
  });

  test("who acts as another", async () => {
    const user = { token: "t", as: "jane", "as-uid": "1", "as-groups": ["g"], "as-user-extra": { k: ["v"] } };
    const { rest } = await load({ files: { [home]: kubeconfig({ user }) } });
    expect(rest.impersonate).toEqual({ user: "jane", uid: "1", groups: ["g"], extra: { k: ["v"] } });
  });

  test.each([
    [
      "a token and a password",
      { token: "t", username: "a", password: "b" },
      ["token: a token and username/password may not both be given"],
    ],
    [
      "a token file and a password",
      { tokenFile: "/token", username: "a" },
      ["tokenFile: a token and username/password may not both be given"],
    ],
    ["a password of nobody", { password: "b" }, ["username: required with password"]],
    ["a token file that is not there", { tokenFile: "absent" }, ["tokenFile: /home/me/.kube/absent: no such file"]],
    ["an empty token file", { tokenFile: "/empty" }, ["tokenFile: /empty: holds no token"]],
    [
      "a certificate without key",
      { "client-certificate-data": crt },
      ["client-key: required with client-certificate (or client-key-data)"],
    ],
    [
      "a certificate twice",
      { "client-certificate": "/crt", "client-certificate-data": crt, "client-key": "/key" },
      ["client-certificate: only one of client-certificate and client-certificate-data may be given"],
    ],
    [
      "a key twice",
      { "client-certificate": "/crt", "client-key-data": key, "client-key": "/key" },
      ["client-key: only one of client-key and client-key-data may be given"],
    ],
    [
      "a foreign key",
      { "client-certificate": "/crt", "client-key": "/foreign" },
      ["client-certificate: the client key does not belong to the client certificate"],
    ],
    [
      "certificate files that are not there",
      { "client-certificate": "/crt", "client-key": "/absent" },
      ["client-certificate: /absent: no such file"],
    ],
    [
      "an empty plugin",
      { exec: {} },
      [
        "exec.command: required",
        "exec.apiVersion: required",
        "exec.interactiveMode: required: one of Never, IfAvailable, Always",
      ],
    ],
    [
      "a plugin of old",
      { exec: { ...exec, apiVersion: "client.authentication.k8s.io/v1alpha1" } },
      [
        `exec.apiVersion: "client.authentication.k8s.io/v1alpha1" is not supported, only ${v1} and client.authentication.k8s.io/v1beta1`,
      ],
    ],
    [
      "a plugin of a strange mode",
      { exec: { ...exec, interactiveMode: "Maybe" } },
      ["exec.interactiveMode: must be one of Never, IfAvailable, Always"],
    ],
    [
      "a variable without name",
      { exec: { ...exec, env: [{ name: "A" }, { value: "b" }] } },
      ["exec.env[1].name: required"],
    ],
    [
      "groups without a user to act as",
      { "as-groups": ["g"] },
      ["as: required with as-uid, as-groups or as-user-extra"],
    ],
    ["line ends in whom to act as", { as: "a\nb" }, ["as: user must not hold control characters"]],
    [
      "the gcp provider",
      { "auth-provider": { name: "gcp" } },
      ['auth-provider: auth provider "gcp" was removed from Kubernetes; use the exec plugin gke-gcloud-auth-plugin'],
    ],
    [
      "the azure provider",
      { "auth-provider": { name: "azure" } },
      ['auth-provider: auth provider "azure" was removed from Kubernetes; use the exec plugin kubelogin of Azure'],
    ],
    [
      "the oidc provider",
      { "auth-provider": { name: "oidc", config: {} } },
      [
        'auth-provider: auth provider "oidc" is not supported; use an exec plugin such as kubectl oidc-login (kubelogin)',
      ],
    ],
    [
      "some provider",
      { "auth-provider": { name: "x" } },
      [
        'auth-provider: auth provider "x" is not supported: auth providers were removed from Kubernetes; use an exec plugin',
      ],
    ],
  ])("with %s is refused", async (_name, user, expected) => {
    const message = await failure({ files: { ...files, [home]: kubeconfig({ user }) } });
    expect(message.split("\n")).toEqual(expected.map((fault) => `${home}: users[0].user.${fault}`));
  });

  test("who is not used may be as wrong as he likes", async () => {
    const file = JSON.parse(kubeconfig());
    file.users.push({ name: "other", user: { exec: {}, password: "p" } });
    expect((await load({ files: { [home]: JSON.stringify(file) } })).headers).toEqual({ authorization: "Bearer t" });
  });

  test("is told of all faults, the cluster's too", async () => {
    const file = kubeconfig({
      cluster: { server: "", "certificate-authority": "/absent" },
      user: { tokenFile: "/absent", password: "p" },
    });
    expect((await failure({ files: { [home]: file } })).split("\n")).toEqual([
      `${home}: clusters[0].cluster.server: required`,
      `${home}: clusters[0].cluster.certificate-authority: /absent: no such file`,
      `${home}: users[0].user.tokenFile: a token and username/password may not both be given`,
      `${home}: users[0].user.username: required with password`,
      `${home}: users[0].user.tokenFile: /absent: no such file`,
    ]);
  });
});

describe("in a pod", () => {
  async function inPod(parts: FakeHostParts) {
    const host = new FakeHost(parts);
    const clock = new FakeClock();
    return { host, clock, config: await inClusterConfig({ host, clock }, never) };
  }

  test.each([
    ["an IPv4 address", podEnv, {}, "https://10.0.0.1", "pod-namespace"],
    [
      "an IPv6 address",
      { ...podEnv, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" },
      {},
      "https://[fd00::1]:6443",
      "pod-namespace",
    ],
    ["a namespace from the environment", { ...podEnv, POD_NAMESPACE: "env" }, {}, "https://10.0.0.1", "env"],
    ["an empty namespace file", podEnv, { [`${account}/namespace`]: "\n" }, "https://10.0.0.1", "default"],
  ])("with %s", async (_name, env, files, server, namespace) => {
    const { config } = await inPod({ env, files: { ...podFiles, ...files } });
    expect([config.server, config.namespace]).toEqual([server, namespace]);
  });

  test("token and CA are followed as they rotate", async () => {
    const { host, clock, config } = await inPod({ env: podEnv, files: podFiles });
    expect((await config.credentials.current(never)).headers).toEqual({ authorization: "Bearer pod-token" });
    host.files.set(`${account}/token`, "rotated");
    host.files.set(`${account}/ca.crt`, second.certificatePem);
    await clock.advance(60_000);
    expect((await config.credentials.current(never)).headers).toEqual({ authorization: "Bearer rotated" });
    expect(await config.tls.ca.current(never)).toEqual({ pem: second.certificatePem, generation: 2 });
  });

  test("behind the environment's proxy", async () => {
    const env = { ...podEnv, HTTPS_PROXY: "http://proxy:3128" };
    expect((await inPod({ env, files: podFiles })).config.proxyUrl).toBe("http://proxy:3128");
    const exempt = { ...env, NO_PROXY: "10.0.0.0/8" };
    expect((await inPod({ env: exempt, files: podFiles })).config.proxyUrl).toBeUndefined();
  });

  test("a server on plain HTTP is told nobody's secrets", async () => {
    const host = new FakeHost({ env: podEnv, files: podFiles });
    const config = await inClusterConfig({ host, server: "http://10.0.0.1:8080" }, never);
    expect(await config.credentials.current(never)).toEqual({ headers: {} });
  });

  test("without a namespace or a usable CA there are defaults", async () => {
    const { config } = await inPod({ env: podEnv, files: { [`${account}/token`]: "t", [`${account}/ca.crt`]: "?" } });
    expect([config.namespace, (await config.tls.ca.current(never)).pem]).toEqual(["default", undefined]);
  });
});
