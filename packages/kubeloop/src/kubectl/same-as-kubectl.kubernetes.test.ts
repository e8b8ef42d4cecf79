// The bytes that the commands print, against those of the real kubectl 1.36, on one `kubeloop up`: `get` of every kind that the server
// serves, filled and empty, and the other commands on equal objects in two namespaces.
//
// What is normalised besides ages: of the two namespaces the name, of pods the random ending, and times in logs.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BothKubectls, openBothKubectls } from "./both-kubectls.fixture.ts";
import type { Said } from "./cluster-and-folder.fixture.ts";

let both: BothKubectls;

beforeAll(async () => {
  both = await openBothKubectls(/\b(AGE|LAST SEEN|FIRST SEEN|DURATION|LAST SCHEDULE)\b/);
  await writeManifests();
  for (const namespace of ["first", "second"]) await theirs(["create", "namespace", namespace]);
  expect((await theirs(["apply", "-f", "shop", "-f", "various.yaml"])).err).toBe("");
  await theirs(["wait", "--for=condition=Available", "deployment/shop", "--timeout=60s"]);
});

afterAll(async () => await both[Symbol.asyncDispose]());

const theirs: BothKubectls["theirs"] = (args, stdin) => both.theirs(args, stdin);
const ours: BothKubectls["ours"] = (args, stdin) => both.ours(args, stdin);
const expectSame: BothKubectls["expectSame"] = (args) => both.expectSame(args);

test("get of every kind, in all namespaces and in one, with and without -o wide", async () => {
  const { out } = await theirs(["api-resources", "-o", "name", "--verbs=list"]);
  const kinds = out.trim().split("\n");
  expect(kinds.length).toBeGreaterThan(50);
  for (const kind of kinds) {
    await expectSame(["get", kind]);
    await expectSame(["get", kind, "-A", "-o", "wide"]);
  }
});

describe("get", () => {
  for (const command of [
    "get po,svc,deployments.apps",
    "get all -A",
    "get all -A -o name",
    "get pods,nodes,cm,sa,secrets,events -A -o yaml",
    "get all,nodes,leases -A -o json",
    "get cm odd -o yaml",
    "get cm odd -o json",
    "get pods --show-labels -L app,nothing",
    "get pods --no-headers -o wide",
    "get svc,pv,cm --no-headers",
    "get pods -l app=shop",
    "get pods -l app=nothing",
    "get pods -A -l app=nothing",
    "get pods -n nowhere",
    "get pods -l (",
    "get pods --field-selector status.phase=Running",
    "get pods --field-selector foo=bar",
    "get deploy/shop svc/shop cm/odd",
    "get deploy shop nothing",
    "get pods x y",
    "get pods x -o json",
    "get pods x y -o yaml",
    "get pods x --ignore-not-found",
    "get pods x -A",
    "get pods x -l a=b",
    "get Deployment.v1.apps",
    "get deploy.apps",
    "get foo",
    "get foo.bar.baz",
    "get pods,foo",
    "get pods/a/b",
    "get pods/",
    "get endpoints",
    "get pods --show-labels -o json",
  ]) {
    test(command, async () => await expectSame(command.split(" ")));
  }
});

/** The same command in both namespaces. */
async function inBoth(command: string, stdin?: string): Promise<readonly [Said, Said]> {
  const args = command.split(" ");
  return [
    unnamed(await ours([...args, "-n", "second"], stdin)),
    unnamed(await theirs([...args, "-n", "first"], stdin)),
  ];
}

function unnamed({ code, out, err }: Said): Said {
  const plain = (said: string) =>
    said
      .replaceAll(/\b(first|second)\b/g, "NAMESPACE")
      .replaceAll(/(shop-[0-9a-f]+)-[a-z0-9]{5}\b/g, "$1-POD")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  return { code, out: plain(out), err: plain(err) };
}

/** In this order: each begins where the one before has left the namespaces. */
const story: readonly (readonly [command: string, stdin?: string])[] = [
  ["apply -f shop --dry-run=client"],
  ["apply -f shop --dry-run=server"],
  ["apply -f shop"],
  ["apply -f shop"],
  ["apply -f changed.yaml"],
  ["apply -f shop -o name"],
  ["apply -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: piped}\ndata: {a: 'yes'}\n"],
  ["apply -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt}\n"],
  ["apply -f bad.yaml"],
  ["apply -f nope.yaml"],
  ["apply -f empty"],
  ["apply -f -"],
  ["apply"],
  ["apply -f pods.yaml"],
  ["wait --for=condition=Available deployment/shop --timeout=60s"],
  ["wait --for=condition=Ready pod/several --timeout=60s"],
  ["wait --for=jsonpath={.status.phase}=Running pod several --timeout=60s"],
  ['wait --for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True pod/several'],
  ["wait --for=condition=Ready pod/never --timeout=1s"],
  ["wait --for=condition=Ready pod/never --timeout=0"],
  ["wait --for=condition=Ready pod/nothing --timeout=1s"],
  ["wait --for=delete pod/nothing"],
  ["wait --for=delete pod/several --timeout=1s"],
  ["wait --for=create pod/several"],
  ["wait --for=create pod/nothing --timeout=1s"],
  ["wait --for=condition=Ready pods -l app=nothing"],
  ["wait --for=nothing pod/several"],
  ["wait --for=jsonpath={.spec.containers}=x pod/several"],
  ["wait --for=jsonpath={.spec.containers[*].name}=x pod/several"],
  ["logs talks"],
  ["logs talks --tail=1 --timestamps"],
  ["logs talks --limit-bytes=5"],
  ["logs talks --prefix"],
  ["logs talks --since=1h"],
  ["logs talks -f --tail=1"],
  ["logs talks --previous"],
  ["logs several"],
  ["logs several -c b"],
  ["logs several --all-containers"],
  ["logs several -c nothing"],
  ["logs never"],
  ["logs nothing"],
  ["logs -l talk=1"],
  ["logs -l talk=none"],
  ["logs deployment/shop"],
  ["logs svc/shop"],
  ["logs configmap/piped"],
  ["delete pod talks --now"],
  ["delete pods -l talk=1 --force"],
  ["delete pod/never configmap/piped"],
  ["delete pods"],
  ["delete pods -l app=nothing"],
  ["delete cm a b"],
  ["delete cm a --ignore-not-found"],
  ["delete cm -l a=b --all"],
  ["delete foo x"],
  ["delete ns nothing"],
  ["delete cm odd --dry-run=server"],
  ["delete cm odd -o name"],
  ["delete -f shop"],
  ["delete -f shop --ignore-not-found"],
];

test("apply, wait, logs and delete, one after the other", async () => {
  for (const [command, stdin] of story) {
    const [said, wanted] = await inBoth(command, stdin);
    expect({ command, ...said }).toEqual({ command, ...wanted });
  }
});

async function writeManifests(): Promise<void> {
  const { folder, write } = both;
  await mkdir(join(folder, "shop"));
  await mkdir(join(folder, "empty"));
  const odd = {
    ...{
      a: "1",
      b: "true",
      c: "x: y",
      d: "line one\nline two\n",
      e: "  lead\n\n",
      f: "word ".repeat(60),
      g: 'it\'s "q"',
    },
    ...{
      h: "2020-01-02",
      i: "",
      j: " sp",
      k: "tab\there",
      l: "0x1f",
      m: "1:30",
      n: "#no",
      o: "a #no",
      p: "ümläut – dash",
    },
    ...{
      q: "trail \nx",
      r: "- a",
      s: "x:",
      t: "it's ".repeat(60),
      u: "tab\t ".repeat(60),
      v: "<b>&",
      w: "1e3",
      y: "yes",
    },
    ...{
      x9: "b",
      x10: "a",
      "x.y": "c",
      A: "1",
      z: "\n",
      zz: "a\n\n",
      zzz: "a\n  b",
      "00": "1",
      "0": "2",
      aa: "{a}",
      ac: "cr\rx",
    },
    ...{ ab: "a, b", ad: "---x", ae: ".5", af: "...", ag: "😀" },
  };
  const shop = (replicas: number, env: readonly object[]) => [
    {
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
    },
    {
      apiVersion: "v1",
      kind: "List",
      items: [
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "shop" },
          spec: { selector: { app: "shop" }, ports: [{ port: 80 }] },
        },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd", labels: { a: "b" } }, data: odd },
      ],
    },
  ];
  const pod = (name: string, metadata: object, ...containers: readonly object[]) => {
    return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec: { containers } };
  };
  const container = (name: string, image = "shop/web:1") => ({ name, image });
  const talk = { labels: { talk: "1" }, annotations: { "kubeloop.dev/log": "one\ntwo", "kubeloop.dev/run-for": "5s" } };
  const once = { ...pod("talks", talk, container("a")).spec, restartPolicy: "Never" };
  const bad = [
    { apiVersion: "v1", kind: "Foo", metadata: { name: "x" } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "bad" }, spec: { replicas: 1, foo: 1 } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "worse" }, spec: { replicas: 1 } },
  ];
  await write(
    "shop/shop.yaml",
    shop(2, [
      { name: "A", value: "1" },
      { name: "B", value: "<b>" },
    ]),
  );
  await write(
    "changed.yaml",
    shop(3, [
      { name: "A", value: "1" },
      { name: "C", value: "c" },
    ]),
  );
  await write("bad.yaml", bad);
  await write("various.yaml", various());
  await write("pods.yaml", [
    { ...pod("talks", talk, container("a")), spec: once },
    pod("several", { labels: { talk: "1" } }, container("a"), container("b")),
    pod("never", {}, container("a", "x:nonexistent")),
  ]);
}

/** Objects of kinds that have columns of their own. */
function various(): readonly object[] {
  const object = (apiVersion: string, kind: string, spec: object) => ({
    apiVersion,
    kind,
    metadata: { name: "various" },
    ...spec,
  });
  const labels = { app: "various" };
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "shop/web:1" }] } };
  const job = { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
  const backend = { service: { name: "shop", port: { number: 80 } } };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  const storage = {
    resources: { requests: { storage: "1Gi" } },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "various",
  };
  return [
    object("apps/v1", "StatefulSet", { spec: { serviceName: "shop", selector, template } }),
    object("apps/v1", "DaemonSet", { spec: { selector, template } }),
    object("batch/v1", "Job", { spec: job }),
    object("batch/v1", "CronJob", { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: job } } }),
    object("autoscaling/v2", "HorizontalPodAutoscaler", { spec: { scaleTargetRef, maxReplicas: 3 } }),
    object("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 1, selector } }),
    object("networking.k8s.io/v1", "Ingress", { spec: { defaultBackend: backend } }),
    object("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: selector } }),
    object("v1", "PersistentVolumeClaim", { spec: storage }),
    object("v1", "ResourceQuota", { spec: { hard: { pods: "50" } } }),
    object("v1", "LimitRange", { spec: { limits: [] } }),
    object("v1", "Secret", { stringData: { a: "b" } }),
    object("storage.k8s.io/v1", "StorageClass", { provisioner: "example.com/none" }),
    object("scheduling.k8s.io/v1", "PriorityClass", { value: 7 }),
    object("rbac.authorization.k8s.io/v1", "Role", { rules: [] }),
    object("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "me" } }),
  ];
}
