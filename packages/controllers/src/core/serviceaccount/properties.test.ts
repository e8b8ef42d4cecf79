import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { findPropertyFaults, newNamespace, newObject, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newServiceAccountController } from "./controller.ts";

test("the serviceaccount controller is declared, idempotent, bounded and total", () => {
  const worlds = ["Active", "Terminating"].flatMap((phase) =>
    [[], ["shop/default"], ["bank/default", "shop/other"]].map((accounts): World => {
      const shop = stored(newNamespace("shop", { status: { phase } }));
      return [
        [namespaces, [shop]],
        [serviceAccounts, accounts.map((key) => stored(newObject(serviceAccounts, key)))],
      ];
    }),
  );
  const controller = newServiceAccountController({ accounts: ["default", "managed"] });
  expect(findPropertyFaults(controller, worlds, { maxActions: 2, maxPlans: 1 })).toEqual([]);
});
