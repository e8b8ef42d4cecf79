// What becomes of the work of a manager that leads no longer.
import { isNotFound } from "@kubeloop/core/api";
import { InformerName } from "@kubeloop/core/informer";
import { leases, namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { withManager } from "./manager-on-embedded-server.fixture.ts";

test("a manager that has lost its lease finishes nothing: another one may be at work", async () => {
  let isCutOff = false;
  let isMade = false;
  const managing = withManager(
    ["--leader-elect=true", "--controllers=serviceaccount"],
    async ({ client, signal, until }) => {
      const make = (name: string) =>
        client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
      const untilMade = (name: string) =>
        until(`the account of ${name}`, () =>
          client
            .resource(serviceAccounts)
            .in(name)
            .get("default", signal)
            .catch((error: unknown) => {
              if (isNotFound(error)) return undefined;
              throw error;
            }),
        );
      await make("before");
      await untilMade("before");
      isCutOff = true;
      await make("after");
      await untilMade("after");
      isMade = true;
    },
    {
      // The account would be made after the lease is lost, and before the shutdown timeout.
      delayMs: ({ method, path }) => {
        if (!isCutOff) return 0;
        if (path.includes(`/${leases.plural}/`)) return 1_000_000;
        return method === "POST" && path.endsWith(`/${serviceAccounts.plural}`) ? 15_000 : 0;
      },
    },
  );
  await expect(managing).rejects.toThrow("leader election lost");
  expect(isMade).toBe(false);
});

test("a manager that could not be started leaves the informers' name in the metrics to the next one", async () => {
  const managing = withManager(["--service-account-private-key-file=/none"], async ({ until }) => {
    await until("it ends", async () => false);
  });
  await expect(managing).rejects.toThrow("error reading key");
  // Throws while somebody has it.
  new InformerName("kube-controller-manager").release();
});
