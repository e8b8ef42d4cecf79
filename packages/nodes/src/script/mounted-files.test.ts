import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { ConfigSource } from "./environment.ts";
import { mountedFiles } from "./mounted-files.ts";

const source: ConfigSource = {
  configMap: (name) =>
    name === "m"
      ? {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name },
          data: { a: "1", b: "2" },
          binaryData: { c: btoa("3") },
        }
      : undefined,
  secret: (name) =>
    name === "s" ? { apiVersion: "v1", kind: "Secret", metadata: { name }, data: { token: btoa("t") } } : undefined,
};

describe("the files of a container", () => {
  for (const [what, volume, mount, expected] of [
    ["keys of a ConfigMap", { configMap: { name: "m" } }, {}, { "/v/a": "1", "/v/b": "2", "/v/c": "3" }],
    ["chosen keys", { configMap: { name: "m", items: [{ key: "a", path: "x/y" }] } }, {}, { "/v/x/y": "1" }],
    ["keys of a Secret", { secret: { secretName: "s" } }, {}, { "/v/token": "t" }],
    [
      "fields of the pod",
      { downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }] } },
      {},
      { "/v/n": "p" },
    ],
    [
      "its labels",
      { downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
      {},
      { "/v/l": 'app="web"\nzone="a"' },
    ],
    [
      "several projected",
      {
        projected: {
          sources: [{ configMap: { name: "m", items: [{ key: "b", path: "b" }] } }, { secret: { name: "s" } }],
        },
      },
      {},
      { "/v/b": "2", "/v/token": "t" },
    ],
    ["one by its path", { configMap: { name: "m" } }, { subPath: "a" }, { "/v": "1" }],
    ["none of what is optional and not there", { configMap: { name: "none", optional: true } }, {}, {}],
    ["none of other volumes", { emptyDir: {} }, {}, {}],
  ] as const) {
    test(what, () => {
      const container = { name: "c", volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] };
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", namespace: "ns", labels: { zone: "a", app: "web" } },
        spec: { containers: [container], volumes: [{ name: "v", ...volume }] },
      } as corev1.Pod;
      const { "/etc/hostname": hostname, ...files } = Object.fromEntries(mountedFiles(pod, container, source));
      expect([hostname, files]).toEqual(["p\n", expected]);
    });
  }
});
