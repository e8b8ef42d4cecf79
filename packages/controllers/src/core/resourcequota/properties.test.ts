import { persistentVolumeClaims, pods, resourceQuotas, secrets, services } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, newPod, newService, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newResourceQuotaController } from "./controller.ts";
import { newQuota, newSecretIn, served } from "./quota.fixture.ts";

const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2" } };
const hard = {
  pods: "5",
  cpu: "5",
  "limits.cpu": "5",
  secrets: "5",
  services: "5",
  "requests.storage": "5Gi",
  "count/gadgets.example.com": "1",
};
const objects: World = [
  [pods, [1, 2].map((i) => stored(newPod(`shop/p-${i}`, { spec: { containers: [{ name: "main", resources }] } })))],
  [secrets, [newSecretIn("shop", "a")]],
  [services, [stored(newService("shop/a"))]],
  [
    persistentVolumeClaims,
    [stored(newObject(persistentVolumeClaims, "shop/c", { spec: { resources: { requests: { storage: "1Gi" } } } }))],
  ],
];

test("the resourcequota controller is declared, idempotent, bounded and total", () => {
  const statuses = [undefined, {}, { hard }, { hard, used: { pods: "9", "count/gadgets.example.com": "4" } }];
  const worlds = statuses.flatMap((status) =>
    [[], ["NotBestEffort"], ["BestEffort", "Terminating"]].map((scopes): World => {
      const quota = newQuota(hard, { scopes, ...(status === undefined ? {} : { status }) });
      return [[resourceQuotas, [quota]], ...objects];
    }),
  );
  const keys = ["quotas", "missingUsage"].map((queue) => ({ queue, key: "shop/quota" }));
  const changes = [{ queue: "resourceChanges", key: "shop pods." }];
  const options = { maxActions: 1, served, keys: [...keys, ...changes] };
  expect(findPropertyFaults(newResourceQuotaController(), worlds, options)).toEqual([]);
});
