import type { corev1 } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask as askServer } from "../../ask.fixture.ts";
import type { AdmissionParts } from "../plugin.ts";
import { askPlugin, type Told } from "./admission.fixture.ts";
import { serviceAccount } from "./service-account.ts";

const account = (name: string, more = {}, annotations = {}) => ({
  kind: "ServiceAccount",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", annotations },
  ...more,
});
const stored = {
  serviceaccounts: [
    account("default"),
    account("robot", { imagePullSecrets: [{ name: "registry" }] }),
    account("shy", { automountServiceAccountToken: false }),
    account("strict", { secrets: [{ name: "mine" }] }, { "kubernetes.io/enforce-mountable-secrets": "true" }),
  ],
};
const pod = (spec: object = {}, annotations = {}) => ({
  kind: "Pod",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "shop", annotations },
  spec: { containers: [{ name: "c" }], ...spec },
});
const ask = (object: object, told: Told = {}) => askPlugin(serviceAccount, { object, stored, ...told });
const specOf = async (spec: object) => ((await ask(pod(spec))).object as corev1.Pod).spec;

const path = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumeName = expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/);

describe("a pod", () => {
  test("runs as the default account, with its token where clients look for it", async () => {
    const spec = await specOf({ initContainers: [{ name: "i" }] });
    expect(spec).toMatchObject({
      serviceAccountName: "default",
      serviceAccount: "default",
      containers: [{ volumeMounts: [{ name: volumeName, readOnly: true, mountPath: path }] }],
      initContainers: [{ volumeMounts: [{ name: volumeName, readOnly: true, mountPath: path }] }],
    });
    expect(spec.volumes).toEqual([
      {
        name: spec.containers[0]?.volumeMounts?.[0]?.name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
        },
      },
    ]);
  });

  const own = { name: "own", mountPath: path };
  const given = { name: "kube-api-access-given" };
  test.each([
    [
      "that mounts something there itself gets no volume",
      { containers: [{ name: "c", volumeMounts: [own] }] },
      undefined,
    ],
    ["that does not want a token gets none", { automountServiceAccountToken: false }, undefined],
    ["whose account does not want it gets none", { serviceAccountName: "shy" }, undefined],
    [
      "that wants it although its account does not gets it",
      { serviceAccountName: "shy", automountServiceAccountToken: true },
      [volumeName],
    ],
    ["that has a volume of such a name keeps it", { volumes: [given] }, ["kube-api-access-given"]],
  ])("%s", async (_, spec, names) => {
    expect((await specOf(spec)).volumes?.map(({ name }) => name)).toEqual(names);
  });

  test.each([
    ["gets its account's pull secrets", { serviceAccountName: "robot" }, [{ name: "registry" }]],
    ["keeps its own", { serviceAccountName: "robot", imagePullSecrets: [{ name: "x" }] }, [{ name: "x" }]],
    ["has none where there are none", {}, undefined],
  ])("%s", async (_, spec, expected) => {
    expect((await specOf(spec)).imagePullSecrets).toEqual(expected);
  });

  test("of an account that is not there is refused", async () => {
    expect((await ask(pod({ serviceAccountName: "none" }))).refusal).toBe(
      'pods "a" is forbidden: error looking up service account shop/none: serviceaccount "none" not found',
    );
  });

  test("without a default account is refused after a while", async () => {
    expect((await ask(pod(), { stored: {} })).refusal).toBe(
      'pods "a" is forbidden: error looking up service account shop/default: serviceaccount "default" not found',
    );
  });

  test("waits for the default account of a new namespace, which a controller makes", async () => {
    const clock = new FakeClock();
    const options = { clock, random: seededRandom(1), enableAdmissionPlugins: ["ServiceAccount"] };
    await using server = await ApiServer.open(options);
    const core = "/api/v1/namespaces/default";
    const value = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const created = askServer<corev1.Pod>(server, `${core}/pods`, { method: "POST", value });
    await clock.advance(300);
    await askServer(server, `${core}/serviceaccounts`, { method: "POST", value: { metadata: { name: "default" } } });
    await clock.advance(300);
    const { code, object } = await created;
    expect([code, object.spec.serviceAccountName]).toEqual([201, "default"]);
  });

  test("that is only changed is left alone", async () => {
    const { object, refusal } = await ask(pod(), { operation: "UPDATE", oldObject: pod() });
    expect([object, refusal]).toEqual([pod(), ""]);
  });
});

const notKnown = "is not allowed because service account strict does not reference that";
const secretVariable = (name: string) => [{ name: "V", valueFrom: { secretKeyRef: { name, key: "k" } } }];

describe("the secrets of an account that is strict", () => {
  test.each([
    [{ volumes: [{ name: "v", secret: { secretName: "mine" } }] }, ""],
    [{ volumes: [{ name: "v", secret: { secretName: "x" } }] }, `volume with secret.secretName="x" ${notKnown} secret`],
    [{ containers: [{ name: "c", env: secretVariable("mine") }] }, ""],
    [
      { containers: [{ name: "c", env: secretVariable("x") }] },
      `container c with envVar V referencing secret.secretName="x" ${notKnown} secret`,
    ],
    [
      { initContainers: [{ name: "i", envFrom: [{ secretRef: { name: "x" } }] }] },
      `init container i with envFrom referencing secret.secretName="x" ${notKnown} secret`,
    ],
    [{ imagePullSecrets: [{ name: "x" }] }, `imagePullSecrets[0].name="x" ${notKnown} imagePullSecret`],
  ])("%j", async (spec, why) => {
    const { refusal } = await ask(pod({ serviceAccountName: "strict", ...spec }));
    expect(refusal).toBe(why === "" ? "" : `pods "a" is forbidden: ${why}`);
  });

  test("hold for containers that come later, too", async () => {
    const object = pod({
      serviceAccountName: "strict",
      ephemeralContainers: [{ name: "e", env: secretVariable("x") }],
    });
    const told = { operation: "UPDATE", subresource: "ephemeralcontainers", oldObject: pod() } as const;
    // Without "is forbidden": a real server answers this with 500.
    const why = `ephemeral container e with envVar V referencing secret.secretName="x" ${notKnown} secret`;
    expect((await ask(object, told)).refusal).toBe(why);
  });
});

const mirror = { "kubernetes.io/config.mirror": "x" };

test("a mirror pod is refused before anybody else is asked", async () => {
  const { validate: _validate, ...admitting } = serviceAccount({} as AdmissionParts);
  const { refusal } = await askPlugin(() => admitting, { object: pod({ serviceAccountName: "default" }, mirror) });
  expect(refusal).toBe('pods "a" is forbidden: a mirror pod may not reference service accounts');
});

test.each([
  [{}, ""],
  [{ serviceAccountName: "default" }, "reference service accounts"],
  [{ volumes: [{ name: "v", secret: { secretName: "x" } }] }, "reference secrets"],
  [{ volumes: [{ name: "v", projected: { sources: [{ secret: { name: "x" } }] } }] }, "reference secrets"],
  [{ volumes: [{ name: "v", projected: { sources: null } }] }, ""],
  [{ containers: [{ name: "c", env: secretVariable("x") }] }, "reference secrets"],
  [
    { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    "use ServiceAccountToken volume projections",
  ],
])("a mirror pod with %j", async (spec, why) => {
  const { refusal, object } = await ask(pod(spec, mirror));
  expect(refusal).toBe(why === "" ? "" : `pods "a" is forbidden: a mirror pod may not ${why}`);
  expect(object).toEqual(pod(spec, mirror));
});
