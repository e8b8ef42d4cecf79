import { serviceAccounts } from "@kubeloop/core/resources";
import { newObject, newSecret, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newClaims } from "./claims.ts";

test("claims are upstream's, in upstream's order", () => {
  const account = stored(newObject(serviceAccounts, "shop/builder", { metadata: { uid: "u" } }));
  expect(JSON.stringify(newClaims(account, stored(newSecret("shop/token"))))).toBe(
    '{"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"shop",' +
      '"kubernetes.io/serviceaccount/secret.name":"token","kubernetes.io/serviceaccount/service-account.name":"builder",' +
      '"kubernetes.io/serviceaccount/service-account.uid":"u","sub":"system:serviceaccount:shop:builder"}',
  );
});
