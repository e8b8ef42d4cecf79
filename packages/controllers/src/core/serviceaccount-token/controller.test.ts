import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { newObject, newSecret, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newServiceAccountTokenController } from "./controller.ts";
import { serviceAccountTokenScenarios } from "./scenarios.contract.ts";
import { newSignerPorts } from "./signer.fixture.ts";
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from "./token-secret.ts";

const newController = () => newServiceAccountTokenController({ rootCa: "the authority" });

describe("the token controller on the embedded server", () => {
  defineRuns(serviceAccountTokenScenarios, (run) => run(newController(), newSignerPorts()));

  test("a token says whose it is", async () => {
    await runEmbedded(
      {
        name: "claims",
        async run({ client, namespace, signal, until }) {
          const metadata = { name: "builder" };
          const account = await client
            .resource(serviceAccounts)
            .in(namespace)
            .create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, signal);
          const annotations = { [accountNameAnnotation]: "builder" };
          const its = client.resource(secrets).in(namespace);
          await its.create(
            { apiVersion: "v1", kind: "Secret", metadata: { name: "token", annotations }, type: tokenSecretType },
            signal,
          );
          const token = await until("a token", async () => (await its.get("token", signal)).data?.["token"]);
          const text = Buffer.from(token, "base64").toString();
          expect(JSON.parse(text.replace("signed ", ""))).toEqual({
            iss: "kubernetes/serviceaccount",
            "kubernetes.io/serviceaccount/namespace": "scenario",
            "kubernetes.io/serviceaccount/secret.name": "token",
            "kubernetes.io/serviceaccount/service-account.name": "builder",
            "kubernetes.io/serviceaccount/service-account.uid": account.metadata.uid,
            sub: "system:serviceaccount:scenario:builder",
          });
        },
      },
      { controllers: (run) => run(newController(), newSignerPorts()) },
    );
  });
});

test("of secrets only tokens are cached", () => {
  const selectors = newController()
    .watchesFor(undefined)
    .filter(({ resource }) => resource === secrets)
    .map(({ fieldSelector }) => fieldSelector);
  expect(new Set(selectors)).toEqual(new Set([`type=${tokenSecretType}`]));
});

describe("what wakes a key", () => {
  const before = stored(newObject(serviceAccounts, "shop/builder", { metadata: { uid: "before" } }));
  const after = stored(newObject(serviceAccounts, "shop/builder", { metadata: { uid: "after" } }));
  const labelled = { ...before, metadata: { ...before.metadata, labels: { a: "b" } } };
  const annotations = { [accountNameAnnotation]: "builder", [accountUidAnnotation]: "before" };
  const token = stored(newSecret("shop/token", { type: tokenSecretType, metadata: { annotations } }));
  const snapshot = plainSnapshot([]);
  const ofAccounts = { resource: serviceAccounts };
  const ofSecrets = { resource: secrets };

  test.each([
    ["an account that is new wakes none", { ...ofAccounts, type: "add", object: before, isInitial: false }, []],
    ["an account that has changed wakes none", { ...ofAccounts, type: "update", before, object: labelled }, []],
    [
      "an account that is another one by now wakes itself",
      { ...ofAccounts, type: "update", before, object: after },
      ["serviceaccounts shop/builder"],
    ],
    [
      "an account that is deleted wakes itself, as the cache last had it",
      { ...ofAccounts, type: "delete", object: before },
      ["serviceaccounts shop/builder"],
    ],
    [
      "a token that is new wakes itself",
      { ...ofSecrets, type: "add", object: token, isInitial: true },
      ["secrets shop/token"],
    ],
    [
      "a token that has changed wakes itself",
      { ...ofSecrets, type: "update", before: token, object: { ...token } },
      ["secrets shop/token"],
    ],
    [
      "a token that is deleted wakes what must be struck",
      { ...ofSecrets, type: "delete", object: token },
      ["references shop/builder/token/before"],
    ],
  ] as const)("%s", (_fact, change, expected) => {
    const woken = newController()
      .watchesFor(undefined)
      .filter(({ resource, when }) => resource === change.resource && when?.(change, snapshot) !== false)
      .flatMap(({ keysOf, queue }) => keysOf(change, snapshot).map((key) => `${queue} ${key}`));
    expect(woken).toEqual(expected);
  });
});

test("a key is tried again ten times", () => {
  const { queues } = newController();
  expect(Object.entries(queues).map(([name, { retry }]) => [name, retry.maxTries])).toEqual([
    ["serviceaccounts", 11],
    ["secrets", 11],
    ["references", 11],
  ]);
});
