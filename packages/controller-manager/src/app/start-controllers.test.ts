import { readFileSync } from "node:fs";
import { type Log, noLog } from "@kubeloop/core/base";
import { HealthChecks } from "@kubeloop/core/runtime";
import { describe, expect, test } from "vitest";
import { readFeatureGates } from "../options/index.ts";
import type { ControllerContext } from "./controller-context.ts";
import {
  type ControllerDescriptor,
  controllersDisabledByDefault,
  knownControllers,
  newControllerInitializers,
  type StartResult,
} from "./controller-descriptors.ts";
import { inertFlags } from "./inert-flags.ts";
import { startControllers } from "./start-controllers.ts";

const built: string[] = [];
const errors: string[] = [];
const row = (name: string, more: Partial<ControllerDescriptor> = {}, result: StartResult = { isStarted: true }) => ({
  name,
  start: async () => {
    built.push(name);
    return result;
  },
  ...more,
});

async function start(rows: readonly ControllerDescriptor[], off: readonly string[] = []) {
  built.length = 0;
  errors.length = 0;
  const lines: string[] = [];
  const into =
    (list: string[]) =>
    (message: string, fields = {}) =>
      list.push(`${message} ${Object.values(fields).join(" ")}`);
  const log: Log = { ...noLog, info: into(lines), warn: into(lines), error: into(errors) };
  const healthz = new HealthChecks({});
  const context = {
    log,
    featureGates: readFeatureGates({}).gates,
    isControllerEnabled: ({ name }: ControllerDescriptor) => !off.includes(name),
  } as Partial<ControllerContext> as ControllerContext;
  const started = await startControllers(context, rows, healthz);
  const checks = await healthz.lookAtAll(new Set(), new AbortController().signal);
  return { lines, started: started.map(({ descriptor }) => descriptor.name), checks: checks.map(({ name }) => name) };
}

describe("of the controllers", () => {
  test("the token controller is built first", async () => {
    await start([row("ttl-controller"), row("serviceaccount-token-controller"), row("job-controller")]);
    expect(built).toEqual(["serviceaccount-token-controller", "ttl-controller", "job-controller"]);
  });

  test("those that are started have a health check", async () => {
    expect((await start([row("ttl-controller")])).checks).toContain("ttl-controller");
  });

  test("one that is disabled is warned about, and not built", async () => {
    const { lines, started } = await start([row("ttl-controller"), row("job-controller")], ["job-controller"]);
    expect(started).toEqual(["ttl-controller"]);
    expect(lines).toContain("Warning: controller is disabled job-controller");
  });

  test("one that declines is skipped", async () => {
    const { lines, started, checks } = await start([row("ttl-controller", {}, { isStarted: false })]);
    expect(started).toEqual([]);
    expect(lines).toContain("Warning: skipping controller ttl-controller");
    expect(checks).not.toContain("ttl-controller");
  });

  test("one whose feature gate is off is not built", async () => {
    const gated = row("podgroup-protection-controller", { featureGates: ["GenericWorkload"] });
    const { started, lines } = await start([gated, row("ttl-controller")]);
    expect(started).toEqual(["ttl-controller"]);
    expect(lines).toContain("Controller is disabled by a feature gate podgroup-protection-controller GenericWorkload");
  });

  test("those that are not written are named in one line", async () => {
    const { lines } = await start([{ name: "a" }, { name: "b" }, row("ttl-controller")]);
    expect(lines.filter((line) => line.includes("not written"))).toEqual([
      "Controllers that are not written yet do not run a,b",
    ]);
  });

  test("one that throws ends the start", async () => {
    const broken = row("job-controller", { start: async () => Promise.reject(new Error("no key")) });
    await expect(start([broken])).rejects.toThrow("no key");
    expect(errors).toEqual(["Error initializing a controller job-controller Error: no key"]);
  });
});

test("cloud loops are built only where they are included", () => {
  const rows = [row("ttl-controller"), row("node-route-controller", { isCloud: true })];
  expect(newControllerInitializers("external-loops", rows).map(({ name }) => name)).toEqual(["ttl-controller"]);
  expect(newControllerInitializers("include-cloud-loops", rows)).toHaveLength(2);
});

test("52 controllers are known, and three of them are off by default", () => {
  expect(knownControllers()).toHaveLength(52);
  expect(controllersDisabledByDefault()).toEqual([
    "bootstrap-signer-controller",
    "selinux-warning-controller",
    "token-cleaner-controller",
  ]);
});

test("no flag is without effect that had one: the list only shrinks", () => {
  const pinned = JSON.parse(readFileSync(new URL("./inert-flags.facts.json", import.meta.url), "utf8"));
  expect(
    inertFlags()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(pinned);
});
