import { describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { parseUpOptions } from "./up-options.ts";

describe("what cannot be understood is one sentence", () => {
  for (const [args, sentence] of [
    [["--port", "-1"], "up: Option '--port' argument is ambiguous"],
    [["--nodes", "-1"], "up: Option '--nodes' argument is ambiguous"],
    [["--port=-1"], 'up: --port must be a whole number, not "-1"'],
    [["--server=x", "--port=1"], "up: --port is for a server of its own, which --kubeconfig and --server leave out"],
    [
      ["--demo", "--nodes=1"],
      "up: --demo needs the controller manager, the scheduler, two nodes and something to print to",
    ],
    [["--server=x", "--node-address=here"], 'up: --node-address must be an IP address, not "here"'],
    [["--node-address=10.0.0.1"], "up: --node-address is for nodes of a server that is already there"],
    [["--speed=0"], 'up: --speed must be a number above 0, not "0"'],
    [["--nodes=10001"], "up: --nodes must be at most 10000, not 10001"],
    [["--wait=soon"], 'up: --wait must be a time such as 30s or 2m, not "soon"'],
    [["--data-dir=x"], "up: --data-dir comes later: objects live in memory for now"],
    [["--json", "--quiet"], "up: --json and --quiet exclude each other"],
    [
      ["--without-manager", "--", "--v=2"],
      "up: --v=2 is for the controller manager, which --without-manager leaves out",
    ],
    [["--colour"], "up: Unknown option '--colour'"],
    [["here"], "up: Unexpected argument 'here'"],
  ] as const) {
    test(args.join(" "), () => {
      const told = () => parseUpOptions(args);
      expect(told).toThrow(UsageError);
      expect(told).toThrow(new RegExp(`^${sentence}[^\n]*$`));
    });
  }
});

test("the controller manager runs unless it is left out", () => {
  expect(parseUpOptions([]).withoutManager).toBe(false);
  expect(parseUpOptions(["--without-manager"]).withoutManager).toBe(true);
});

test.each([
  [[], true],
  [["--no-status"], false],
  [["--json"], false],
  [["--quiet"], false],
])("%j has a live status: %s", (args, hasStatus) => {
  expect(parseUpOptions(args).hasStatus).toBe(hasStatus);
});

test.each([
  [[], 60_000],
  [["--wait=0s"], 0],
  [["--wait", "1.5m"], 90_000],
  [["--wait=250ms"], 250],
])("%j waits %d ms", (args, waitMs) => {
  expect(parseUpOptions(args).waitMs).toBe(waitMs);
});

test("what is for the controller manager reaches it as it is", () => {
  const args = ["--controllers=*,-ttl", "--nodes=2", "--", "--node-monitor-grace-period=10s", "--controllers", "job"];
  const { managerFlags, nodes } = parseUpOptions(args);
  expect(nodes).toBe(2);
  expect(managerFlags).toEqual(["--controllers=*,-ttl", "--node-monitor-grace-period=10s", "--controllers", "job"]);
});

test.each([
  [[], []],
  [["--enable-admission-plugins="], []],
  [["--enable-admission-plugins=NodeRestriction"], ["NodeRestriction"]],
  [
    ["--enable-admission-plugins", "A,B", "--enable-admission-plugins=C"],
    ["A", "B", "C"],
  ],
])("%j asks for the admission plugins %j", (args, names) => {
  expect(parseUpOptions(args).enableAdmissionPlugins).toEqual(names);
  const twin = args.map((word) => word.replace("--enable", "--disable"));
  expect(parseUpOptions(twin).disableAdmissionPlugins).toEqual(names);
});
