import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { type ConfigSource, resolveEnvironment } from "./environment.ts";

const map: corev1.ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings" },
  data: { colour: "blue", size: "3" },
};
const secret: corev1.Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "keys" },
  data: { token: btoa("s3cret") },
};
const source: ConfigSource = {
  configMap: (name) => (name === "settings" ? map : undefined),
  secret: (name) => (name === "keys" ? secret : undefined),
};
const pod: corev1.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns" },
  spec: { containers: [] },
};
const fromMap = (name: string, key: string, optional?: boolean) => ({
  configMapKeyRef: { name, key, ...(optional === undefined ? {} : { optional }) },
});
const fromSecret = (name: string, key: string) => ({ secretKeyRef: { name, key } });

describe("the environment of a container", () => {
  for (const [what, container, expected] of [
    ["has literal values", { env: [{ name: "A", value: "1" }] }, { A: "1" }],
    ["has values of ConfigMaps", { env: [{ name: "A", valueFrom: fromMap("settings", "colour") }] }, { A: "blue" }],
    ["has values of Secrets", { env: [{ name: "A", valueFrom: fromSecret("keys", "token") }] }, { A: "s3cret" }],
    [
      "refers to what came before",
      {
        env: [
          { name: "A", valueFrom: fromMap("settings", "size") },
          { name: "B", value: "x$(A)$(C)$$(A)" },
        ],
      },
      { A: "3", B: "x3$(C)$(A)" },
    ],
    [
      "has whole objects, and a later variable wins",
      {
        envFrom: [{ prefix: "M_", configMapRef: { name: "settings" } }, { secretRef: { name: "keys" } }],
        env: [{ name: "token", value: "own" }],
      },
      { M_colour: "blue", M_size: "3", token: "own" },
    ],
    [
      "lacks what is optional",
      {
        env: [
          { name: "A", valueFrom: fromMap("none", "k", true) },
          { name: "B", valueFrom: fromMap("settings", "k", true) },
        ],
        envFrom: [{ configMapRef: { name: "none", optional: true } }],
      },
      {},
    ],
    ["needs its ConfigMap", { env: [{ name: "A", valueFrom: fromMap("none", "k") }] }, 'configmap "none" not found'],
    ["needs its Secret", { env: [{ name: "A", valueFrom: fromSecret("none", "k") }] }, 'secret "none" not found'],
    ["needs a whole object", { envFrom: [{ secretRef: { name: "none" } }] }, 'secret "none" not found'],
    [
      "needs its key of a ConfigMap",
      { env: [{ name: "A", valueFrom: fromMap("settings", "k") }] },
      "couldn't find key k in ConfigMap ns/settings",
    ],
    [
      "needs its key of a Secret",
      { env: [{ name: "A", valueFrom: fromSecret("keys", "k") }] },
      "couldn't find key k in Secret ns/keys",
    ],
  ] as const) {
    test(what, () => {
      const resolved = resolveEnvironment(pod, { name: "c", ...container } as corev1.Container, source);
      if ("fault" in resolved) expect(resolved.fault).toBe(expected);
      else {
        const { PATH: _path, HOSTNAME: _name, ...own } = resolved.env;
        expect(own).toEqual(expected);
      }
    });
  }
});
