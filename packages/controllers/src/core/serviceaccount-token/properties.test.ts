import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, newSecret, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newServiceAccountTokenController } from "./controller.ts";
import { accountNameAnnotation, accountUidAnnotation, tokenSecretType } from "./token-secret.ts";

test("the token controller is declared, idempotent, bounded and total", () => {
  const newToken = (name: string, uid: string | undefined, data: Readonly<Record<string, string>>) => {
    const annotations = {
      [accountNameAnnotation]: "builder",
      ...(uid === undefined ? {} : { [accountUidAnnotation]: uid }),
    };
    return stored(newSecret(`shop/${name}`, { type: tokenSecretType, metadata: { annotations }, data }));
  };
  const account = stored(
    newObject(serviceAccounts, "shop/builder", { metadata: { uid: "u" }, secrets: [{ name: "gone" }, { name: "a" }] }),
  );
  // Ports fail in these worlds, so there is a token already.
  const tokens = [
    newToken("a", "u", { token: "QQ==" }),
    newToken("b", "before", {}),
    newToken("c", undefined, { token: "QQ==", "ca.crt": "b2xk" }),
    newToken("d", "u", {}),
  ];
  const worlds = [[account], []].map(
    (accounts): World => [
      [serviceAccounts, accounts],
      [secrets, tokens],
    ],
  );
  const keys = [
    { queue: "serviceaccounts", key: "shop/builder" },
    ...["a", "b", "c", "d"].map((name) => ({ queue: "secrets", key: `shop/${name}` })),
    { queue: "references", key: "shop/builder/gone/u" },
    { queue: "references", key: "shop/builder/gone/" },
  ];
  const controller = newServiceAccountTokenController({ rootCa: "the authority" });
  expect(findPropertyFaults(controller, worlds, { maxActions: 4, maxPlans: 1, keys })).toEqual([]);
});
