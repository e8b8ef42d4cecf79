// The plugins of the real program, as its help names them: those that are on by default in their order, and all there are.
import { execFileSync } from "node:child_process";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";
import { expect, test } from "vitest";
import { defaultOnPlugins, orderedPluginNames } from "./plugin-order.ts";

test("kube-apiserver has these plugins, and these on by default in this order", async () => {
  const binaries = await findBinaries(["kube-apiserver"], {}, new AbortController().signal);
  const help = execFileSync(pathOf(binaries, "kube-apiserver"), ["--help"], { encoding: "utf8" });
  const flag = help.slice(help.indexOf("--enable-admission-plugins"));
  const namesIn = (pattern: RegExp) => pattern.exec(flag)?.[1]?.split(", ");
  expect(namesIn(/default enabled ones \(([^)]*)\)/)).toEqual(
    orderedPluginNames.filter((name) => defaultOnPlugins.has(name)),
  );
  expect(namesIn(/list of admission plugins: ([^.]*)\./)).toEqual(orderedPluginNames.toSorted());
});
