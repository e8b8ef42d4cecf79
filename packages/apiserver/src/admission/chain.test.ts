import { FakeClock, MetricsRegistry } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { AdmissionMetrics, admissionMetricName } from "./admission-metrics.ts";
import type { AdmissionAttributes, Operation } from "./attributes.ts";
import { AdmissionChain } from "./chain.ts";
import type { AdmissionPlugin } from "./plugin.ts";

const asked: string[] = [];
const plugin = (name: string, more: Partial<AdmissionPlugin> = {}): AdmissionPlugin => ({
  name: name as AdmissionPlugin["name"],
  handles: ["CREATE"],
  async admit() {
    asked.push(`${name} admits`);
  },
  async validate() {
    asked.push(`${name} validates`);
  },
  ...more,
});

async function ask(plugins: readonly AdmissionPlugin[], operation: Operation, resource = "pods", group = "") {
  asked.length = 0;
  const chain = new AdmissionChain(plugins);
  const attributes = { operation, resource: { group, version: "v1", resource } } as AdmissionAttributes;
  await chain.admit(attributes);
  await chain.validate(attributes);
  return asked;
}

describe("a chain", () => {
  test("asks in order, and everybody admits before anybody validates", async () => {
    expect(await ask([plugin("a"), plugin("b")], "CREATE")).toEqual([
      "a admits",
      "b admits",
      "a validates",
      "b validates",
    ]);
  });

  test("asks only who handles the operation", async () => {
    expect(await ask([plugin("a"), plugin("b", { handles: ["CONNECT"] })], "CONNECT")).toEqual([
      "b admits",
      "b validates",
    ]);
  });

  test("asks only who handles the resource, of its group", async () => {
    const plugins = [plugin("a", { resources: ["apps/deployments"] })];
    expect(await ask(plugins, "CREATE", "deployments", "apps")).toHaveLength(2);
    expect(await ask(plugins, "CREATE", "deployments", "extensions")).toEqual([]);
  });

  test("ends with the first who refuses", async () => {
    const refusing = plugin("b", {
      async admit() {
        throw new Error("no");
      },
    });
    await expect(ask([plugin("a"), refusing, plugin("c")], "CREATE")).rejects.toThrow("no");
    expect(asked).toEqual(["a admits"]);
  });
});

test("whoever was asked is counted, by whether they refused", async () => {
  const registry = new MetricsRegistry();
  const refusing = plugin("Priority", {
    async validate() {
      throw new Error("no");
    },
  });
  const chain = new AdmissionChain([plugin("LimitRanger"), refusing], new AdmissionMetrics(registry, new FakeClock()));
  const attributes = {
    operation: "CREATE",
    resource: { group: "", version: "v1", resource: "pods" },
  } as AdmissionAttributes;
  await chain.admit(attributes);
  await chain.admit(attributes);
  await expect(chain.validate(attributes)).rejects.toThrow("no");
  const counts = registry
    .print()
    .split("\n")
    .filter((line) => line.startsWith(`${admissionMetricName}_count`));
  expect(counts.map((line) => line.slice(admissionMetricName.length)).sort()).toEqual([
    '_count{name="LimitRanger",operation="CREATE",rejected="false",type="admit"} 2',
    '_count{name="LimitRanger",operation="CREATE",rejected="false",type="validate"} 1',
    '_count{name="Priority",operation="CREATE",rejected="false",type="admit"} 2',
    '_count{name="Priority",operation="CREATE",rejected="true",type="validate"} 1',
  ]);
});
