// The commands against a whole cluster over a socket. What they print is what kubectl 1.36 prints: same-as-kubectl.kubernetes.test.ts
// holds it against the real one.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";
import { nodeHost } from "@kubeloop/core/client";
import { configMaps } from "@kubeloop/core/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kubectl, openKubectl, runIn, type Said } from "./cluster-and-folder.fixture.ts";
import { parseFlags } from "./flags.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

let kubectl: Kubectl;
beforeAll(async () => {
  kubectl = await openKubectl();
});
afterAll(async () => await kubectl[Symbol.asyncDispose]());

const run = (command: string, stdin?: string): Promise<Said> => kubectl.run(command, stdin);
const configMap = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const apply = (...objects: readonly object[]) =>
  run("apply -f -", objects.map((object) => JSON.stringify(object)).join("\n---\n"));
const good = (out: string, err = ""): Said => ({ code: 0, out, err });
const bad = (err: string, out = ""): Said => ({ code: 1, out, err });

const pod = (name: string, metadata: object, ...containers: readonly string[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: containers.map((container) => ({ name: container, image: "shop/web:1" })) },
});

const deployment = (replicas: number, env: readonly object[]) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "shop" } },
    template: {
      metadata: { labels: { app: "shop" } },
      spec: { containers: [{ name: "web", image: "shop/web:1", env }] },
    },
  },
});

test("commands ask for JSON: in protobuf, fields of a newer server would be missing from what they print", async () => {
  const host = { ...nodeHost, env: {}, cwd: () => kubectl.folder, homedir: () => kubectl.folder };
  const world = { host, clock: systemClock, print() {}, complain() {}, readStdin: async () => "" };
  const { flags } = parseFlags("get", [], clusterFlags);
  await using cluster = await openCluster(flags, world, kubectl.cluster.signal);
  expect(cluster.client.encoding).toBe("json");
});

describe("get", () => {
  test("prints tables with headers, labels and namespaces", async () => {
    await run("apply -f -", "apiVersion: v1\nkind: Namespace\nmetadata: {name: tables}");
    await run(
      "apply -n tables -f -",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a-long-name, labels: {x: '1', a: b}}\ndata: {k: v}",
    );
    const aged = async (command: string) => (await run(command)).out.replaceAll(/\b\d+s\b/g, "0s");
    const names = "-n tables --field-selector metadata.name=a-long-name";
    expect(await aged(`get cm ${names}`)).toBe("NAME          DATA   AGE\na-long-name   1      0s\n");
    expect(await aged(`get cm ${names} --no-headers`)).toBe("a-long-name   1     0s\n");
    expect(await aged(`get configmap ${names} --show-labels -L x,y`)).toBe(
      "NAME          DATA   AGE   X     Y     LABELS\na-long-name   1      0s    1           a=b,x=1\n",
    );
    expect(await aged("get ConfigMap -A -l a=b")).toBe(
      "NAMESPACE   NAME          DATA   AGE\ntables      a-long-name   1      0s\n",
    );
    expect(await aged("get ns/tables cm/kube-root-ca.crt")).toBe(
      "NAME               STATUS   AGE\nnamespace/tables   Active   0s\n\nNAME                         DATA   AGE\nconfigmap/kube-root-ca.crt   1      0s\n",
    );
  });

  test("prints objects without the book-keeping of their fields", async () => {
    await apply(configMap("printed", { k: "v" }));
    const yaml = (await run("get cm printed -o yaml")).out;
    expect(yaml).toMatch(/^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\nmetadata:\n/);
    expect(yaml).not.toContain("managedFields");
    expect((await run("get cm printed -o yaml --show-managed-fields")).out).toContain("managedFields");
    expect(JSON.parse((await run("get cm,svc -o json")).out)).toMatchObject({
      kind: "List",
      metadata: { resourceVersion: "" },
    });
    expect(await run("get cm printed -o name")).toEqual(good("configmap/printed\n"));
    expect(await run("get pods -l a=nothing -o name")).toEqual(good(""));
  });

  for (const [command, said] of [
    ["get pods -l a=nothing", good("", "No resources found in default namespace.\n")],
    ["get pods -A -l a=nothing", good("", "No resources found\n")],
    ["get pv", good("", "No resources found\n")],
    ["get pods x", bad('Error from server (NotFound): pods "x" not found\n')],
    ["get pods x --ignore-not-found", good("")],
    [
      "get pods x y",
      bad('Error from server (NotFound): pods "x" not found\nError from server (NotFound): pods "y" not found\n'),
    ],
    ["get deploy.apps x", bad('Error from server (NotFound): deployments.apps "x" not found\n')],
    ["get foo", bad('error: the server doesn\'t have a resource type "foo"\n')],
    ["get foo.bar.baz x", bad('error: the server doesn\'t have a resource type "foo"\n')],
    ["get pods x -A", bad("error: a resource cannot be retrieved by name across all namespaces\n")],
    ["get pods x -l a=b", bad("error: name cannot be provided when a selector is specified\n")],
    ["get pods/a/b", bad("error: arguments in resource/name form may not have more than one slash\n")],
    ["get pods,svc -w", bad("error: you may only specify a single resource type\n")],
    ["get pods --show-labels -o json", bad("error: --show-labels option cannot be used with json printer\n")],
    [
      "get pods --field-selector a=b",
      bad(
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "a=b": field label not supported: a\n',
      ),
    ],
    ["get", bad("kubeloop: get: a type must be given, for instance `kubeloop get pods`\n")],
    ["get pods -o xml", bad('kubeloop: get: --output must be wide, json, yaml, name, not "xml"\n')],
    ["get pods --colour", bad("kubeloop: get: unknown flag: --colour; `kubeloop get --help` lists the flags\n")],
  ] as const) {
    test(command, async () => expect(await run(command)).toEqual(said));
  }

  test("-w prints what comes, aligned, until it is stopped", async () => {
    await apply(configMap("seen", {}));
    const stop = new AbortController();
    let out = "";
    const onPrint = (text: string) => {
      out += text.replaceAll(/\b\d+s\b/g, "0s");
    };
    const watching = kubectl.follow("get cm seen -w", onPrint, stop.signal);
    await expect.poll(() => out).toBe("NAME   DATA   AGE\nseen   0      0s\n");
    await apply(configMap("seen", { a: "1" }));
    await expect.poll(() => out).toBe("NAME   DATA   AGE\nseen   0      0s\nseen   1      0s\n");
    stop.abort();
    expect((await watching).code).toBe(130);
  });
});

describe("describe", () => {
  const described = (name: string) =>
    `Name:         ${name}\nNamespace:    told\nLabels:       <none>\nAnnotations:  <none>\n\nData\n====\na:\n----\nb\n\n\nBinaryData\n====\n\n`;
  const events = "Events:  <none>\n";
  const missing = (name: string) => `Error from server (NotFound): configmaps "${name}" not found\n`;
  beforeAll(async () => {
    await run("apply -f -", "apiVersion: v1\nkind: Namespace\nmetadata: {name: told}");
    const maps = ["tell-a", "tell-b"].map((name) => JSON.stringify(configMap(name, { a: "b" })));
    await run("apply -n told -f -", maps.join("\n---\n"));
  });

  for (const [command, said] of [
    ["describe cm tell-a", good(described("tell-a") + events)],
    ["describe cm/tell-a --show-events=false", good(described("tell-a"))],
    ["describe cm tell-a tell-b", good(`${described("tell-a")}\n\n${described("tell-b")}`)],
    ["describe cm tell", good(`${described("tell-a")}\n${described("tell-b")}\n`)],
    ["describe cm tell --chunk-size=1", good(`${described("tell-a")}\n${described("tell-b")}\n`)],
    ["describe cm tell-a nothing", bad(missing("nothing"), described("tell-a"))],
    ["describe cm/tell", bad(missing("tell"))],
    ["describe cm/tell-a cm/tell", bad(missing("tell"))],
    ["describe cm,secrets tell-a", bad("error: you may only specify a single resource type\n")],
    ["describe cm -l a=b", good("", "No resources found in told namespace.\n")],
    ["describe cm -A -l a=nothing", good("", "No resources found\n")],
    ["describe cm --chunk-size=x", bad('kubeloop: describe: --chunk-size must be a whole number, not "x"\n')],
    [
      "describe",
      bad(
        'error: You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.\n',
      ),
    ],
  ] as const) {
    test(command, async () => expect(await run(`${command} -n told`)).toEqual(said));
  }

  test("-f describes what a manifest names", async () => {
    const [one, none] = [configMap("tell-a", {}), configMap("gone", {})].map((map) => JSON.stringify(map));
    expect(await run("describe -n told -f -", one)).toEqual(good(described("tell-a") + events));
    expect(await run("describe -n told -f -", `${none}\n---\n${one}`)).toEqual(
      bad(missing("gone"), described("tell-a")),
    );
  });
});

describe("apply", () => {
  test("creates, changes, leaves alone, and takes away what it had put there", async () => {
    const web = { name: "A", value: "1" };
    const gone = { name: "B", value: "2" };
    expect(await apply(deployment(1, [web, gone]))).toEqual(good("deployment.apps/shop created\n"));
    expect(await apply(deployment(1, [web, gone]))).toEqual(good("deployment.apps/shop unchanged\n"));
    expect(await apply(deployment(2, [web]))).toEqual(good("deployment.apps/shop configured\n"));
    const { spec, metadata } = JSON.parse((await run("get deploy shop -o json")).out);
    expect(spec.replicas).toBe(2);
    expect(spec.template.spec.containers[0].env).toEqual([web]);
    const applied = metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"];
    expect(applied.endsWith("}\n")).toBe(true);
    expect(JSON.parse(applied).metadata).toEqual({ annotations: {}, name: "shop", namespace: "default" });
    expect(await run("wait --for=condition=Available deploy/shop --timeout=60s")).toEqual(
      good("deployment.apps/shop condition met\n"),
    );
    expect((await run("delete deploy shop")).out).toBe('deployment.apps "shop" deleted from default namespace\n');
  });

  test("a folder, a list and several documents", async () => {
    const folder = join(kubectl.folder, "manifests");
    await mkdir(join(folder, "below"), { recursive: true });
    const list = { apiVersion: "v1", kind: "List", items: [configMap("l1", {}), configMap("l2", {})] };
    await writeFile(join(folder, "b.json"), JSON.stringify(list));
    await writeFile(join(folder, "a.yaml"), `# two\n${JSON.stringify(configMap("d1", {}))}\n---\n---\n`);
    await writeFile(join(folder, "ignored.txt"), "x");
    await writeFile(join(folder, "below", "c.yml"), JSON.stringify(configMap("deep", {})));
    const created = "configmap/d1 created\nconfigmap/l1 created\nconfigmap/l2 created\n";
    expect(await run("apply -f manifests --dry-run=server")).toEqual(
      good(created.replaceAll("created", "created (server dry run)")),
    );
    expect(await run("apply -f manifests")).toEqual(good(created));
    expect((await run("apply -R -f manifests")).out).toContain("configmap/deep created\n");
    expect((await run("delete -f manifests")).out.split("\n").length).toBe(4);
  });

  test("a failure does not keep the next object from its turn", async () => {
    const said = await apply({ ...configMap("x", {}), kind: "Foo" }, configMap("fine", {}));
    expect(said).toEqual(
      bad(
        'error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "Foo" in version "v1"\nensure CRDs are installed first\n',
        "configmap/fine created\n",
      ),
    );
  });

  for (const [command, stdin, said] of [
    ["apply -f nope.yaml", "", bad('error: the path "nope.yaml" does not exist\n')],
    ["apply -f -", "", bad("error: no objects passed to apply\n")],
    ["apply", "", bad("error: must specify one of -f and -k\n")],
    [
      "apply -n other -f -",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}",
      bad(
        'error: the namespace from the provided object "shop" does not match the namespace "other". You must pass \'--namespace=shop\' to perform this operation.\n',
      ),
    ],
    [
      "apply -f -",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {on: yes}}",
      bad(
        'error: unable to decode "STDIN": json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string\n',
      ),
    ],
    [
      "apply -f -",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}",
      bad("error: from a-: cannot use generate name with apply\n"),
    ],
  ] as const) {
    test(`${command} ${stdin.replaceAll("\n", " ")}`, async () => expect(await run(command, stdin)).toEqual(said));
  }
});

describe("delete", () => {
  test("by type and name, by selector, with what it has said", async () => {
    const labelled = (name: string) => ({ ...configMap(name, {}), metadata: { name, labels: { doomed: "1" } } });
    await apply(...["a", "b", "c", "d"].map(labelled));
    expect(await run("delete cm a --dry-run=client")).toEqual(
      good('configmap "a" deleted from default namespace (dry run)\n'),
    );
    expect(await run("delete cm a")).toEqual(good('configmap "a" deleted from default namespace\n'));
    expect(await run("delete cm/b -o name")).toEqual(good("configmap/b\n"));
    expect(await run("delete cm -l doomed=1")).toEqual(
      good('configmap "c" deleted from default namespace\nconfigmap "d" deleted from default namespace\n'),
    );
    expect(await run("delete cm -l doomed=1")).toEqual(good("No resources found\n"));
  });

  test("waits until it is gone, unless told not to, and says when that takes too long", async () => {
    await apply({ ...configMap("held", {}), metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const said = 'configmap "held" deleted from default namespace\n';
    expect(await run("delete cm held --timeout=10ms")).toEqual(
      bad("error: timed out waiting for the condition on configmaps/held\n", said),
    );
    expect(await run("delete cm held --wait=false")).toEqual(good(said));
    const { client, signal } = kubectl.cluster;
    const free = { type: "merge", body: { metadata: { finalizers: null } } } as const;
    const letGo = () => void client.resource(configMaps).in("default").patch("held", free, signal);
    expect(await kubectl.follow("delete cm held", letGo, signal)).toEqual(good(said));
    expect((await run("get cm held")).code).toBe(1);
  });

  test("--force says so", async () => {
    await apply(configMap("hasty", {}));
    expect(await run("delete cm hasty --force")).toEqual(
      good('configmap "hasty" force deleted from default namespace\n', forced),
    );
  });

  const forced =
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n";
  for (const [command, said] of [
    ["delete cm x", bad('Error from server (NotFound): configmaps "x" not found\n')],
    ["delete cm x --ignore-not-found", good("")],
    ["delete cm x --force", bad(`${forced}Error from server (NotFound): configmaps "x" not found\n`)],
    ["delete cm", bad("error: resource(s) were provided, but no name was specified\n")],
    [
      "delete cm x --force --grace-period=5",
      bad("error: --force and --grace-period greater than 0 cannot be specified together\n"),
    ],
    ["delete cm x --now --grace-period=5", bad("error: --now and --grace-period cannot be specified together\n")],
    [
      "delete cm x --cascade=x",
      bad('error: invalid cascade value (x). Must be "background", "foreground", or "orphan"\n'),
    ],
    ["delete cm x --timeout=x", bad('kubeloop: delete: --timeout must be a time such as 30s or 5m, not "x"\n')],
    [
      "delete",
      bad("kubeloop: delete: a type and a name must be given, or -f FILE, for instance `kubeloop delete pod web`\n"),
    ],
  ] as const) {
    test(command, async () => expect(await run(command)).toEqual(said));
  }
});

describe("logs and wait", () => {
  beforeAll(async () => {
    const log = { annotations: { "kubeloop.dev/log": "one\ntwo" }, labels: { logs: "1" } };
    await apply(pod("talks", log, "a"), pod("several", { labels: { logs: "1" } }, "a", "b"));
    expect((await run("wait pods -l logs=1 --for=condition=Ready --timeout=60s")).out).toBe(
      "pod/several condition met\npod/talks condition met\n",
    );
  });

  const several = 'Defaulted container "a" out of: a, b\n';
  for (const [command, said] of [
    ["logs talks", good("one\ntwo\n")],
    ["logs talks --tail=1", good("two\n")],
    ["logs talks --limit-bytes=5", good("one\nt")],
    ["logs pod/talks --prefix", good("[pod/talks/a] one\n[pod/talks/a] two\n")],
    ["logs several", good("", several)],
    ["logs several b", good("")],
    ["logs -l logs=1 --tail=1", good("two\n", several)],
    ["logs -l a=nothing", good("", "No resources found in default namespace.\n")],
    ["logs several -c x", bad("error: container x is not valid for pod several out of: a, b\n")],
    [
      "logs several -c a --all-containers",
      bad("error: --all-containers=true should not be specified with container name a\n"),
    ],
    ["logs x", bad('error: error from server (NotFound): pods "x" not found in namespace "default"\n')],
    [
      "logs cm/kube-root-ca.crt",
      bad("error: cannot get the logs from *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n"),
    ],
    [
      "logs talks -p",
      bad('Error from server (BadRequest): previous terminated container "a" in pod "talks" not found\n'),
    ],
    ["logs", bad("kubeloop: logs: a pod, TYPE/NAME or -l LABELS must be given, for instance `kubeloop logs web`\n")],
    ["wait pod/talks --for=jsonpath={.status.phase}=Running", good("pod/talks condition met\n")],
    [
      "wait pod talks --for=condition=Ready=false --timeout=1ms",
      bad("error: timed out waiting for the condition on pods/talks\n"),
    ],
    ["wait pod talks --for=condition=Ready=false --timeout=0", bad("error: condition not met for pods/talks\n")],
    ["wait pod x --for=delete", good("")],
    ["wait pod x --for=condition=Ready", bad('Error from server (NotFound): pods "x" not found\n')],
    ["wait pods -l a=nothing --for=condition=Ready", bad("error: no matching resources found\n")],
    ["wait pod x --for=create --timeout=1ms", bad("error: timed out waiting for the condition\n")],
    ["wait pod x --for=nothing", bad('error: unrecognized condition: "nothing"\n')],
  ] as const) {
    test(command, async () => expect(await run(command)).toEqual(said));
  }
});

test("each command has its help", async () => {
  for (const name of ["get", "apply", "delete", "logs", "wait"])
    expect((await run(`${name} --help`)).out).toMatch(new RegExp(`^kubeloop ${name}: .*\n\nUsage:\n`));
});

test("a server that is gone, and a folder without a kubeconfig, are one sentence", async () => {
  const { signal } = new AbortController();
  expect(await runIn(kubectl.folder, ["get", "pods", "-s", "http://127.0.0.1:1"], "", signal)).toEqual(
    bad("The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"),
  );
  const nowhere = join(kubectl.folder, "nowhere");
  expect((await runIn(nowhere, ["get", "pods"], "", signal)).err).toMatch(/^kubeloop: get: no kubeconfig at .*\n$/);
});
