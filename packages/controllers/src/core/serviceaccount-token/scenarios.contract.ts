// What users see of the token controller. Who signs, and which authority is handed out, depends on the cluster.
import { type corev1, isNotFound } from "@kubeloop/core/api";
import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from "./token-secret.ts";

const toBase64 = (text: string) => Buffer.from(text).toString("base64");

/** The namespace's accounts and secrets, and what a user does with them. */
const tokenActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const accounts = client.resource(serviceAccounts).in(namespace);
  const all = client.resource(secrets).in(namespace);
  const find = async (name: string) => {
    try {
      return await all.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const isFilled = ({ data = {}, metadata }: corev1.Secret) =>
    data["token"] !== undefined &&
    data["namespace"] !== undefined &&
    metadata.annotations?.[accountUidAnnotation] !== undefined;
  const actions = {
    find,
    createAccount: (name = "builder", listed: readonly string[] = []) =>
      accounts.create(
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name },
          secrets: listed.map((secret) => ({ name: secret })),
        },
        signal,
      ),
    getAccount: (name = "builder") => accounts.get(name, signal),
    async deleteAccount(name = "builder") {
      await accounts.delete(name, {}, signal);
    },
    createToken: (name = "token", account = "builder", annotations: Readonly<Record<string, string>> = {}) =>
      all.create(
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name, annotations: { [accountNameAnnotation]: account, ...annotations } },
          type: tokenSecretType,
        },
        signal,
      ),
    createOpaque: (name: string) =>
      all.create({ apiVersion: "v1", kind: "Secret", metadata: { name }, data: { a: toBase64("b") } }, signal),
    async deleteSecret(name = "token") {
      await all.delete(name, {}, signal);
    },
    patch: (body: object, name = "token") => all.patch(name, { type: "merge", body }, signal),
    untilFilled: (name = "token") =>
      cluster.until(`${name} is filled`, async () => {
        const secret = await find(name);
        return secret !== undefined && isFilled(secret) ? secret : undefined;
      }),
    untilGone: (name = "token") => cluster.until(`${name} is gone`, async () => (await find(name)) === undefined),
  };
  /** Waits until the controller has seen all that came before: caches are filled in order. */
  const untilCaughtUp = async () => {
    await actions.createAccount("later");
    await actions.createToken("later", "later");
    await actions.untilFilled("later");
  };
  return { ...actions, untilCaughtUp };
};

export const serviceAccountTokenScenarios: readonly Scenario[] = [
  {
    name: "a secret of an account is filled with token, namespace and the account's uid",
    async run(cluster) {
      const { createAccount, createToken, untilFilled } = tokenActions(cluster);
      const account = await createAccount();
      await createToken();
      const { data = {}, metadata } = await untilFilled();
      expect(data).toMatchObject({ namespace: toBase64(cluster.namespace) });
      expect(data["token"]?.length).toBeGreaterThan(0);
      expect(metadata.annotations).toMatchObject({
        [accountNameAnnotation]: "builder",
        [accountUidAnnotation]: account.metadata.uid,
      });
    },
  },
  {
    name: "an account may have several tokens, and its list of secrets stays the user's",
    async run(cluster) {
      const { createAccount, createToken, untilFilled, getAccount } = tokenActions(cluster);
      await createAccount();
      await createToken("one");
      await createToken("two");
      const [one, two] = [await untilFilled("one"), await untilFilled("two")];
      expect(one.data?.["token"]).not.toBe(two.data?.["token"]);
      expect((await getAccount()).secrets ?? []).toEqual([]);
    },
  },
  {
    name: "a secret that names no account that there is is deleted",
    async run(cluster) {
      const { createToken, untilGone } = tokenActions(cluster);
      await createToken("token", "nobody");
      await untilGone();
    },
  },
  {
    name: "a secret that names another uid than the account's is deleted",
    async run(cluster) {
      const { createAccount, createToken, untilGone } = tokenActions(cluster);
      await createAccount();
      await createToken("token", "builder", { [accountUidAnnotation]: "00000000-0000-0000-0000-000000000000" });
      await untilGone();
    },
  },
  {
    name: "tokens are deleted with their account; other secrets and other accounts' tokens stay",
    async run(cluster) {
      const { createAccount, createToken, createOpaque, deleteAccount, untilFilled, untilGone, find } =
        tokenActions(cluster);
      await createAccount("builder", ["opaque"]);
      await createAccount("other");
      await createToken("one");
      await createToken("two");
      await createToken("theirs", "other");
      await createOpaque("opaque");
      for (const name of ["one", "two", "theirs"]) await untilFilled(name);
      await deleteAccount();
      for (const name of ["one", "two"]) await untilGone(name);
      expect(await find("theirs")).toBeDefined();
      expect(await find("opaque")).toBeDefined();
    },
  },
  {
    name: "an account that is made anew does not get the tokens of the one before",
    async run(cluster) {
      const { createAccount, createToken, deleteAccount, untilFilled, untilGone } = tokenActions(cluster);
      await createAccount();
      await createToken("old");
      await untilFilled("old");
      await deleteAccount();
      const anew = await createAccount();
      await untilGone("old");
      await createToken("fresh");
      const { metadata } = await untilFilled("fresh");
      expect(metadata.annotations).toMatchObject({ [accountUidAnnotation]: anew.metadata.uid });
    },
  },
  {
    name: "a token that is taken out of its secret is made again",
    async run(cluster) {
      const { createAccount, createToken, untilFilled, patch } = tokenActions(cluster);
      await createAccount();
      await createToken();
      await untilFilled();
      await patch({ data: { token: null } });
      await untilFilled();
    },
  },
  {
    name: "a namespace that is taken out is put back, and what a user put there stays",
    async run(cluster) {
      const { createAccount, createToken, untilFilled, patch, untilCaughtUp, find } = tokenActions(cluster);
      await createAccount();
      await createToken();
      await untilFilled();
      await patch({ data: { namespace: null, mine: toBase64("x") } });
      const restored = await untilFilled();
      expect(restored.data).toMatchObject({ namespace: toBase64(cluster.namespace), mine: toBase64("x") });
      await patch({ data: { namespace: toBase64("custom") } });
      await untilCaughtUp();
      expect((await find("token"))?.data).toMatchObject({ namespace: toBase64("custom") });
    },
  },
  {
    name: "an authority that is changed is put back",
    async run(cluster) {
      const { createAccount, createToken, untilFilled, patch, find } = tokenActions(cluster);
      await createAccount();
      await createToken();
      const { data = {} } = await untilFilled();
      expect(data["ca.crt"]?.length).toBeGreaterThan(0);
      await patch({ data: { "ca.crt": toBase64("another") } });
      await cluster.until("the authority", async () => (await find("token"))?.data?.["ca.crt"] === data["ca.crt"]);
      expect((await find("token"))?.data).toEqual(data);
    },
  },
  {
    name: "a token that is deleted is struck from its account's list, and the rest of the list stays",
    async run(cluster) {
      const { createAccount, createToken, deleteSecret, untilFilled, getAccount, untilGone } = tokenActions(cluster);
      await createAccount("builder", ["missing", "token", "other"]);
      await createToken();
      await untilFilled();
      await deleteSecret();
      await untilGone();
      // A controller that was not there when it was deleted does not know what to strike.
      if (cluster.isDisturbed) return;
      await cluster.until("the list", async () => {
        const { secrets: listed = [] } = await getAccount();
        return JSON.stringify(listed.map(({ name }) => name)) === JSON.stringify(["missing", "other"]);
      });
    },
  },
  {
    name: "secrets of other types and accounts that list what is missing are left alone",
    async run(cluster) {
      const { createAccount, createOpaque, untilCaughtUp, find, getAccount } = tokenActions(cluster);
      const { metadata } = await createOpaque("opaque");
      const account = await createAccount("builder", ["missing", "opaque"]);
      await untilCaughtUp();
      expect((await find("opaque"))?.metadata.resourceVersion).toBe(metadata.resourceVersion);
      expect((await getAccount()).metadata.resourceVersion).toBe(account.metadata.resourceVersion);
    },
  },
];
