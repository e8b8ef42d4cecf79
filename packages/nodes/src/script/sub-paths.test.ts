import { expect, test } from "vitest";
import { findSubPathFault } from "./sub-paths.ts";

const env = { POD: "p", ROOT: "/tmp", UP: "..", EMPTY: "" };

test.each([
  ["nothing", {}, undefined],
  ["a plain path", { subPath: "a/b" }, undefined],
  ["a path with variables", { subPathExpr: "logs/$(POD)" }, undefined],
  ["a dollar sign", { subPathExpr: "$$(POD)" }, undefined],
  ["an absolute path", { subPathExpr: "$(ROOT)/$(POD)" }, "error SubPath `/tmp/p` must not be an absolute path"],
  ["a way back", { subPathExpr: "a/$(UP)" }, "unable to provision SubPath `a/..`: must not contain '..'"],
  ["a missing variable", { subPathExpr: "$(B)/$(A)" }, "missing value for A, B"],
  ["an empty variable", { subPathExpr: "$(EMPTY)" }, "missing value for EMPTY"],
])("%s", (_, paths, fault) => {
  const volumeMounts = [{ name: "v", mountPath: "/v", ...paths }];
  expect(findSubPathFault({ name: "c", volumeMounts }, env)).toBe(fault);
});
