import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { filesOfSuite, findTestFiles, takeSuite, withoutGo } from "./test-files.ts";

describe("withoutGo", () => {
  const files = ["packages/a/x.kubernetes.test.ts", "packages/a/y.go.kubernetes.test.ts", "tools/z.kubernetes.test.ts"];
  for (const [name, args, expected] of [
    ["leaves out what needs Go", [], ["packages/a/x.kubernetes.test.ts", "tools/z.kubernetes.test.ts"]],
    ["keeps to the words it is given", ["tools"], ["tools/z.kubernetes.test.ts"]],
    ["hands options on", ["packages", "-t", "tools"], ["packages/a/x.kubernetes.test.ts", "-t", "tools"]],
    ["runs nothing where all that was chosen needs Go", ["y.go"], ["no-such-file"]],
  ] as const) {
    test(name, () => expect(withoutGo(args, files)).toEqual(expected));
  }
});

describe("takeSuite", () => {
  for (const [args, suite, rest] of [
    [["--suite", "differential", "-t", "x"], "differential", ["-t", "x"]],
    [["tools", "-t", "x"], undefined, ["tools", "-t", "x"]],
  ] as const) {
    test(args.join(" "), () => expect(takeSuite(args)).toEqual({ suite, rest }));
  }

  test("one that does not exist is refused", () => {
    expect(() => takeSuite(["--suite", "fast"])).toThrow('--suite must be one of cluster, differential, not "fast"');
  });
});

test("the suites of this repository are found, with and without Go", async () => {
  const files = await findTestFiles(fileURLToPath(new URL("../../../", import.meta.url)));
  expect(files).toContain("tools/real-cluster/src/real-cluster.kubernetes.test.ts");
  const [cluster, differential] = [filesOfSuite("cluster", files), filesOfSuite("differential", files)];
  expect([...cluster, ...differential].sort()).toEqual(files);
  expect(differential).toContain("packages/apiserver/src/integration/differential/differential.kubernetes.test.ts");
  expect(differential).toContain("packages/controller-manager/src/integration/differential.kubernetes.test.ts");
  expect(cluster).toContain("packages/core/src/client/integration/client.kubernetes.test.ts");
  expect(cluster).toContain("packages/controller-manager/src/integration/kills.kubernetes.test.ts");
  expect(files.filter((file) => file.endsWith(".go.kubernetes.test.ts")).length).toBeGreaterThanOrEqual(3);
});
