import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { newObject, newSecret, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { observeAccount, observeReference, observeSecret } from "./observe.ts";
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from "./token-secret.ts";

const newToken = (key: string, account: string, uid?: string) => {
  const annotations = {
    [accountNameAnnotation]: account,
    ...(uid === undefined ? {} : { [accountUidAnnotation]: uid }),
  };
  return stored(newSecret(key, { type: tokenSecretType, metadata: { annotations } }));
};
const builder = stored(newObject(serviceAccounts, "shop/builder", { metadata: { uid: "u" } }));
const token = newToken("shop/token", "builder", "u");
const old = newToken("shop/old", "builder", "before");
const orphan = newToken("shop/orphan", "nobody");
const odd = newToken("shop/odd", "a/b");
const far = newToken("bank/token", "builder");
const opaque = stored(newSecret("shop/opaque", { metadata: { annotations: { [accountNameAnnotation]: "builder" } } }));
const snapshot = plainSnapshot([
  [serviceAccounts, [builder]],
  [secrets, [token, old, orphan, odd, far, opaque]],
]);
const view = { snapshot, model: undefined, nowMs: 0 };

describe("of an account", () => {
  test("it sees the tokens of all its lives, in its namespace", () => {
    expect(observeAccount("shop/builder", view)).toMatchObject({ accountKey: "shop/builder", account: builder });
    expect(new Set(observeAccount("shop/builder", view).tokens)).toEqual(new Set([token, old]));
  });

  test("it sees the tokens of one that is gone", () => {
    expect(observeAccount("shop/nobody", view)).toEqual({
      accountKey: "shop/nobody",
      account: undefined,
      tokens: [orphan],
    });
  });
});

describe("of a secret", () => {
  test.each([
    ["it sees the account", "shop/token", { secret: token, accountKey: "shop/builder", account: builder }],
    ["whatever its uid", "shop/old", { secret: old, accountKey: "shop/builder", account: builder }],
    ["an account may be missing", "shop/orphan", { secret: orphan, accountKey: "shop/nobody", account: undefined }],
    ["an account of another namespace is none", "bank/token", { accountKey: "bank/builder", account: undefined }],
  ])("%s", (_fact, key, expected) => expect(observeSecret(key, view)).toMatchObject(expected));

  test.each([
    ["one that is gone", "shop/none"],
    ["one that is no token", "shop/opaque"],
    ["one that names what is no name", "shop/odd"],
  ])("%s is nothing to look at", (_fact, key) => expect(observeSecret(key, view)).toBeUndefined());
});

describe("of a deleted token", () => {
  test.each([
    ["with the account's uid", "shop/builder/gone/u", "u"],
    ["without a uid", "shop/builder/gone/", ""],
  ])("it sees what to strike, %s", (_fact, key, accountUid) => {
    expect(observeReference(key, view)).toEqual({ accountKey: "shop/builder", accountUid, secretName: "gone" });
  });

  test.each([
    ["an account that is gone", "shop/nobody/gone/u"],
    ["an account that is another one by now", "shop/builder/gone/before"],
    ["a key that is none", "shop/builder"],
  ])("%s is nothing to look at", (_fact, key) => expect(observeReference(key, view)).toBeUndefined());
});
