// What becomes of the work of a manager that leads no longer.
import { type coordinationv1, isNotFound } from "@kubeloop/core/api";
import { InformerName } from "@kubeloop/core/informer";
import { leases, namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
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

describe("a manager that is stopped", () => {
  const cases = [
    { name: "gives the lease back", hangs: false, released: true },
    { name: "keeps the lease if a controller does not end in time: it may still write", hangs: true, released: false },
  ];
  for (const { name, hangs, released } of cases)
    test(name, async () => {
      const holders: (string | undefined)[] = [];
      let isHanging = false;
      await withManager(
        ["--leader-elect=true", "--controllers=serviceaccount"],
        async ({ client, signal, until }) => {
          await client
            .resource(namespaces)
            .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "some" } }, signal);
          const accounts = client.resource(serviceAccounts).in("some");
          const isMade = async () => (await accounts.get("default", signal).catch(() => undefined)) !== undefined;
          await until("the controller is at work", async () => (hangs ? isHanging : await isMade()));
        },
        {
          hangs: ({ method, path }) => {
            isHanging ||= hangs && method === "POST" && path.endsWith("/some/serviceaccounts");
            return isHanging && path.endsWith("/some/serviceaccounts");
          },
          onRequest: ({ method, path, body }) => {
            if (method !== "PUT" || !path.includes(`/${leases.plural}/`)) return;
            if (body.kind !== "value") throw new Error("within one process, a lease is sent as a value");
            holders.push((body.value as coordinationv1.Lease).spec?.holderIdentity);
          },
        },
      );
      expect(holders.at(-1) === "").toBe(released);
    });
});

test("a manager that could not be started leaves the informers' name in the metrics to the next one", async () => {
  const managing = withManager(["--service-account-private-key-file=/none"], async ({ until }) => {
    await until("it ends", async () => false);
  });
  await expect(managing).rejects.toThrow("error reading key");
  // Throws while somebody has it.
  new InformerName("kube-controller-manager").release();
});
