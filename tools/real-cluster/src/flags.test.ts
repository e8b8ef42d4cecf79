import { describe, expect, test } from "vitest";
import { apiServerFlags, controllerManagerFlags, etcdFlags, filesIn, type Setup, schedulerFlags } from "./flags.ts";

const setup = (changes: Partial<Setup> = {}): Setup => ({
  files: filesIn("/folder"),
  watchCache: true,
  featureGates: {},
  extraFlags: {},
  ...changes,
});

describe("flags", () => {
  for (const [name, flags, expected] of [
    ["turn the watch cache off", apiServerFlags(setup({ watchCache: false }), 1), "--watch-cache=false"],
    [
      "set feature gates",
      apiServerFlags(setup({ featureGates: { WatchList: false, AllAlpha: true } }), 1),
      "--feature-gates=WatchList=false,AllAlpha=true",
    ],
    [
      "set the controller manager's feature gates too",
      controllerManagerFlags(setup({ featureGates: { A: true } }), 1),
      "--feature-gates=A=true",
    ],
    ["give the API server its port", apiServerFlags(setup(), 21_000), "--secure-port=21000"],
    ["give the scheduler its port", schedulerFlags(setup(), 21_001), "--secure-port=21001"],
    ["point the API server at etcd's socket", apiServerFlags(setup(), 1), "--etcd-servers=unix:///folder/etcd.sock"],
    ["keep etcd from syncing", etcdFlags(setup()), "--unsafe-no-fsync"],
  ] as const) {
    test(name, () => expect(flags).toContain(expected));
  }

  test("leave upstream's defaults alone unless asked", () => {
    expect(apiServerFlags(setup(), 1).join(" ")).not.toMatch(/--watch-cache|--feature-gates/);
  });

  test("put the caller's flags last, where they win", () => {
    const extraFlags = {
      etcd: ["--a"],
      "kube-apiserver": ["--b"],
      "kube-controller-manager": ["--c"],
      "kube-scheduler": ["--d"],
    };
    const given = setup({ extraFlags });
    const last = [
      etcdFlags(given),
      apiServerFlags(given, 1),
      controllerManagerFlags(given, 1),
      schedulerFlags(given, 1),
    ];
    expect(last.map((flags) => flags.at(-1))).toEqual(["--a", "--b", "--c", "--d"]);
  });

  test("bind to the loopback address only", () => {
    for (const flags of [apiServerFlags(setup(), 1), controllerManagerFlags(setup(), 1), schedulerFlags(setup(), 1)]) {
      expect(flags.filter((flag) => flag.startsWith("--bind-address="))).toEqual(["--bind-address=127.0.0.1"]);
    }
    const listening = etcdFlags(setup()).filter((flag) => flag.startsWith("--listen-"));
    expect(listening.map((flag) => flag.split("=")[1]?.slice(0, 7))).toEqual(["unix://", "unix://"]);
  });
});
