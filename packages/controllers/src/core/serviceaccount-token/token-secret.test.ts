import { serviceAccounts } from "@kubeloop/core/resources";
import { newObject, newSecret, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import {
  accountKeyOf,
  accountNameAnnotation,
  accountUidAnnotation,
  isTokenOf,
  parseReferenceKey,
  referenceKeyOf,
  tokenSecretType,
} from "./token-secret.ts";

const newToken = (annotations: Readonly<Record<string, string>> | undefined, type = tokenSecretType) =>
  stored(newSecret("shop/token", { type, metadata: annotations === undefined ? {} : { annotations } }));
const named = (name: string, uid?: string) => ({
  [accountNameAnnotation]: name,
  ...(uid === undefined ? {} : { [accountUidAnnotation]: uid }),
});

describe("the account of a secret", () => {
  test.each([
    ["is the one that it names, in its own namespace", newToken(named("builder")), "shop/builder"],
    ["is the same with a uid", newToken(named("builder", "u")), "shop/builder"],
    ["is nobody for one without annotations", newToken(undefined), undefined],
    ["is nobody for an empty name", newToken(named("")), undefined],
    ["is nobody for what no account can be called", newToken(named("bank/builder")), undefined],
    ["is nobody for a secret of another type", newToken(named("builder"), "Opaque"), undefined],
  ])("%s", (_fact, secret, key) => expect(accountKeyOf(secret)).toBe(key));
});

describe("a token is an account's", () => {
  const account = stored(newObject(serviceAccounts, "shop/builder", { metadata: { uid: "u" } }));
  test.each([
    ["if it names its uid", newToken(named("builder", "u")), account, true],
    ["if it names none", newToken(named("builder")), account, true],
    ["if it names an empty one", newToken(named("builder", "")), account, true],
    ["not if it names another one", newToken(named("builder", "other")), account, false],
    ["not if there is no account", newToken(named("builder")), undefined, false],
  ])("%s", (_fact, secret, its, expected) => expect(isTokenOf(secret, its)).toBe(expected));
});

describe("the key of a deleted token", () => {
  test.each([
    ["with a uid", newToken(named("builder", "u")), "u"],
    ["without a uid", newToken(named("builder")), ""],
  ])("is read back as it was written, %s", (_fact, secret, accountUid) => {
    const [key = "", ...others] = referenceKeyOf(secret);
    expect(parseReferenceKey(key)).toEqual({ accountKey: "shop/builder", accountUid, secretName: "token" });
    expect(others).toEqual([]);
  });

  test("is none for what is nobody's token", () => expect(referenceKeyOf(newToken(undefined))).toEqual([]));

  test.each(["", "shop", "shop/builder", "shop/builder/token", "shop/builder/token/u/more"])(
    "%j is no such key",
    (key) => expect(parseReferenceKey(key)).toBeUndefined(),
  );
});
