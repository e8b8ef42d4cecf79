import { describe, expect, test } from "vitest";
import { focusOf, ginkgoArguments, readReport } from "./ginkgo.ts";

describe("focusOf", () => {
  const pattern = new RegExp(focusOf(["[sig-a] x should (a|b) [Conformance]", "[sig-b] y"]));
  for (const [name, isChosen] of [
    ["Kubernetes e2e suite [sig-a] x should (a|b) [Conformance]", true],
    ["Kubernetes e2e suite [sig-b] y", true],
    ["Kubernetes e2e suite [sig-b] y and more", false],
    ["Kubernetes e2e suite [sig-a] x should a [Conformance]", false],
  ] as const) {
    test(`${name}: ${isChosen}`, () => expect(pattern.test(name)).toBe(isChosen));
  }
});

test("what is for ginkgo stands before the suite, what is for the suite after it", () => {
  const call = { suite: "/e2e.test", kubectl: "/k", kubeconfig: "/c", folder: "/f", specs: ["s"] };
  const args = ginkgoArguments({ ...call, procs: 3, timeoutMinutes: 7, attempts: 2 });
  const at = args.indexOf("/e2e.test");
  expect(args.slice(0, at)).toEqual(expect.arrayContaining(["--procs=3", "--timeout=7m", "--flake-attempts=2"]));
  expect(args[at + 1]).toBe("--");
  expect(args.slice(at + 2)).toEqual(expect.arrayContaining(["--kubeconfig=/c", "--kubectl-path=/k"]));
});

describe("readReport", () => {
  const spec = (State: string, more: object = {}) => ({
    ContainerHierarchyTexts: ["[sig-a] x", "inner"],
    LeafNodeType: "It",
    LeafNodeText: "works",
    State,
    RunTime: 2_500_000_000,
    ...more,
  });
  const name = "[sig-a] x inner works";
  const read = (...SpecReports: object[]) => readReport(JSON.stringify([{ SpecReports }]), [name]);

  for (const [state, message, expected] of [
    ["passed", "", { result: "pass" }],
    ["failed", "\nExpected\n  <int>: 1", { result: "fail", message: "Expected" }],
    ["panicked", "nil", { result: "fail", message: "nil" }],
    ["timedout", "too slow", { result: "fail", message: "too slow" }],
    ["skipped", "needs a cloud", { result: "skip", message: "needs a cloud" }],
    ["skipped", "", undefined],
    ["interrupted", "stopped", undefined],
    ["pending", "", undefined],
  ] as const) {
    test(`${state} ${JSON.stringify(message)}`, () => {
      expect(read(spec(state, { Failure: { Message: message } })).outcomes.get(name)).toEqual(expected);
    });
  }
  test("tells how long a spec took, and what passed only at the second try", () => {
    const report = read(spec("passed", { NumAttempts: 2 }));
    expect(report.seconds.get(name)).toBe(2.5);
    expect(report.flaky).toEqual([name]);
  });
  test("leaves out what was not asked for", () => {
    expect(read(spec("passed", { LeafNodeText: "is another" })).outcomes.size).toBe(0);
  });
  test("what fails before the first spec is the suite's failure", () => {
    const before = { LeafNodeType: "SynchronizedBeforeSuite", State: "failed", Failure: { Message: "no nodes" } };
    expect(read(before).suiteFailure).toBe("SynchronizedBeforeSuite: no nodes");
    expect(read(spec("failed")).suiteFailure).toBeUndefined();
  });
});
