import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { AttemptOutput, logLines } from "./attempt-output.ts";
import { attemptEnd } from "./attempt-run.ts";
import { containerScript } from "./container-script.ts";

const never = Number.POSITIVE_INFINITY;

function podOf(container: Partial<corev1.Container>, annotations: Record<string, string> = {}): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u1", annotations, labels: { app: "web" } },
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "busybox", ...container }] },
  };
}
const containerOf = (pod: corev1.Pod): corev1.Container => pod.spec?.containers[0] ?? { name: "" };
const sh = (script: string) => ({ command: ["sh", "-c", script] });

describe("how an attempt ends", () => {
  for (const [what, container, annotations, runForMs, exitCode] of [
    ["an unknown image runs for ever", { image: "shop/web:v1" }, {}, never, 0],
    ["with arguments, too", { image: "shop/web:v1", args: ["--port=80"] }, {}, never, 0],
    ["busybox without a command ends at once", {}, {}, 0, 0],
    ["sleep takes its seconds", { command: ["sleep", "5"] }, {}, 5000, 0],
    ["sleep as argument of busybox", { args: ["sleep", "2m"] }, {}, 120_000, 0],
    ["sleep infinity", { command: ["/bin/sleep", "infinity"] }, {}, never, 0],
    ["sh -c exit 1 fails", sh("exit 1"), {}, 0, 1],
    ["false fails", { command: ["false"] }, {}, 0, 1],
    ["a list runs in order", sh("echo a; sleep 3; exit 7"), {}, 3000, 7],
    ["&& stops at a failure", sh("false && sleep 9"), {}, 0, 1],
    ["|| goes on at a failure", sh("false || sleep 9"), {}, 9000, 0],
    ["newlines separate", sh("sleep 1\nsleep 2\n# done\nexit 3"), {}, 3000, 3],
    ["$? is the last exit code", sh("false; exit $?"), {}, 0, 1],
    ["a quoted semicolon does not separate", sh("echo 'a; exit 4'"), {}, 0, 0],
    ["if takes its branch", sh("if [ -f /x ]; then exit 1; else exit 2; fi"), {}, 0, 2],
    ["a file that was made is there", sh("touch /x; if [ -f /x ]; then exit 1; fi"), {}, 0, 1],
    ["a loop ends with its condition", sh("while [ ! -f /x ]; do sleep 1; touch /x; done"), {}, 1000, 0],
    ["a loop for ever has no end", sh("while true; do sleep 1; done"), {}, never, 0],
    ["also after an assignment", sh("X=1; while :; do X=2; sleep 1; done"), {}, never, 0],
    ["unless it exits", sh("while true; do sleep 1; if [ -z x ]; then true; else exit 6; fi; done"), {}, 1000, 6],
    ["an input that stays open is waited for", { stdin: true }, {}, never, 0],
    ["so has one without a sleep", sh("while true; do true; done"), {}, never, 0],
    ["a command that is not known runs for ever", sh("./serve --all"), {}, never, 0],
    ["a pipe is not understood", sh("echo a | wc -l"), {}, never, 0],
    ["a variable of the container", { ...sh("exit $CODE"), env: [{ name: "CODE", value: "3" }] }, {}, 0, 3],
    ["a reference in the arguments", { command: ["sleep", "$(S)"], env: [{ name: "S", value: "4" }] }, {}, 4000, 0],
    ["an annotation wins over the command", sh("exit 1"), { "kubeloop.dev/run-for": "10s" }, 10_000, 0],
    ["with an exit code of its own", {}, { "kubeloop.dev/run-for": "10s", "kubeloop.dev/exit-code": "3" }, 10_000, 3],
    ["an exit code alone ends at once", { image: "web" }, { "kubeloop.dev/exit-code": "3" }, 0, 3],
    ["but after what the command takes", sh("sleep 4"), { "kubeloop.dev/exit-code": "3" }, 4000, 3],
    [
      "the container's own annotation wins",
      {},
      { "kubeloop.dev/run-for": "1s", "kubeloop.dev/run-for.c": "2s" },
      2000,
      0,
    ],
    ["another container's does not count", {}, { "kubeloop.dev/run-for.d": "2s" }, 0, 0],
    ["a fault is not used", {}, { "kubeloop.dev/run-for": "soon" }, 0, 0],
  ] as const) {
    test(what, () => {
      const pod = podOf(container as Partial<corev1.Container>, annotations);
      expect(attemptEnd({ pod, container: containerOf(pod) }, 0)).toMatchObject({ runForMs, exitCode });
    });
  }

  test("exit codes go by attempt, and the last one repeats", () => {
    const pod = podOf({}, { "kubeloop.dev/exit-code": "1, 2,0" });
    const codes = [0, 1, 2, 3].map((attempt) => attemptEnd({ pod, container: containerOf(pod) }, attempt).exitCode);
    expect(codes).toEqual([1, 2, 0, 0]);
  });

  test("the pod's annotations do not reach its init containers", () => {
    const init = { name: "i", image: "busybox" };
    const pod = podOf({}, { "kubeloop.dev/run-for": "1h", "kubeloop.dev/exit-code.i": "4" });
    expect(attemptEnd({ pod, container: init }, 0)).toMatchObject({ runForMs: 0, exitCode: 4 });
  });
});

describe("what it does on the stop signal", () => {
  for (const [what, container, annotations, onTerm] of [
    ["an unknown image ends with 0", { image: "nginx" }, {}, { exitCode: 0 }],
    ["sleep ignores it", { command: ["sleep", "60"] }, {}, "ignored"],
    ["a shell ignores it", sh("while true; do sleep 1; done"), {}, "ignored"],
    ["a trap answers", sh("trap 'exit 3' TERM; sleep 60"), {}, { exitCode: 3 }],
    ["an annotation answers", {}, { "kubeloop.dev/on-term": "143" }, { exitCode: 143 }],
    ["an annotation ignores", { image: "nginx" }, { "kubeloop.dev/on-term": "ignore" }, "ignored"],
  ] as const) {
    test(what, () => {
      const pod = podOf(container as Partial<corev1.Container>, annotations);
      expect(containerScript(pod, containerOf(pod)).onTerm).toEqual(onTerm);
    });
  }
});

describe("which images can be pulled", () => {
  for (const [image, can] of [
    ["nginx", true],
    ["nginx:nonexistent", false],
    ["webserver:non-existent", false],
    ["webserver:404", false],
    ["webserver:4040", true],
    ["nonexistent", false],
    ["registry.example/team/nonexistent:v1", false],
    ["invalid.registry.k8s.io/invalid/alpine:3.1", false],
    ["shop/nonexistentialism", true],
  ] as const) {
    test(image, () => {
      const pod = podOf({ image });
      expect(containerScript(pod, containerOf(pod)).canPull).toBe(can);
    });
  }
});

describe("what it prints", () => {
  for (const [what, container, annotations, untilMs, lines] of [
    ["echo", sh("echo a b; echo 'c  d'"), {}, 0, ["0 a b", "0 c  d"]],
    ["over time", sh("echo a; sleep 2; echo b; sleep 2; echo c"), {}, 2000, ["0 a", "2000 b"]],
    ["in a loop", sh("while true; do echo x; sleep 1; done"), {}, 2500, ["0 x", "1000 x", "2000 x"]],
    ["parts of a line", sh("echo -n a; echo -n b; echo c"), {}, 0, ["0 abc"]],
    ["a file", sh("echo a > /f; echo b >> /f; cat /f; echo lost > /dev/null"), {}, 0, ["0 a", "0 b"]],
    [
      "errors, too",
      sh("cat /none; cat /none 2>/dev/null; echo b >&2"),
      {},
      0,
      ["0 cat: can't open '/none': No such file or directory", "0 b"],
    ],
    ["what is not closed by a line's end", sh("echo -n a"), {}, 0, ["0 a"]],
    ["scripted lines", { image: "web" }, { "kubeloop.dev/log": "one\ntwo\n" }, 0, ["0 one", "0 two"]],
    ["a field of the pod", { ...sh("echo $A"), env: [fieldEnv("A", "metadata.labels['app']")] }, {}, 0, ["0 web"]],
    ["nothing", { image: "web" }, {}, 9000, []],
  ] as const) {
    test(what, () => {
      const pod = podOf(container as Partial<corev1.Container>, annotations);
      const printed = logLines({ pod, container: containerOf(pod) }, untilMs).map(
        ({ atMs, text }) => `${atMs} ${text}`,
      );
      expect(printed).toEqual(lines);
    });
  }

  test("is played forward, and the time of the next line is known", () => {
    const pod = podOf(sh("while true; do echo x; sleep 10; done"));
    const output = new AttemptOutput({ pod, container: containerOf(pod) });
    const seen = [25_000, 29_999, 30_000].map((untilMs) => output.advance(untilMs).length);
    expect([seen, output.nextMs]).toEqual([[3, 0, 1], 40_000]);
  });

  test("ends in a loop without a pause", () => {
    const pod = podOf(sh("echo x; while [ ! -f /x ]; do true; done"));
    const output = new AttemptOutput({ pod, container: containerOf(pod) });
    expect([output.advance(1000).length, output.nextMs]).toEqual([1, never]);
  });
});

describe("what its termination message is", () => {
  const fallback = { terminationMessagePolicy: "FallbackToLogsOnError" };
  for (const [what, container, annotations, message] of [
    ["what it wrote to the file", sh("echo -n done > /dev/termination-log"), {}, "done"],
    ["of another path", { ...sh("echo no > /m; exit 1"), terminationMessagePath: "/m" }, {}, "no\n"],
    ["nothing, if it only printed", sh("echo a; exit 1"), {}, ""],
    ["the end of its log, if it may and has failed", { ...sh("echo a; exit 1"), ...fallback }, {}, "a\n"],
    ["not if it has succeeded", { ...sh("echo a"), ...fallback }, {}, ""],
    ["the file before the log", { ...sh("echo -n f > /dev/termination-log; echo a; exit 1"), ...fallback }, {}, "f"],
    ["what the annotation says", sh("exit 1"), { "kubeloop.dev/termination-message": "scripted" }, "scripted"],
  ] as const) {
    test(what, () => {
      const pod = podOf(container as Partial<corev1.Container>, annotations);
      expect(attemptEnd({ pod, container: containerOf(pod) }, 0).terminationMessage).toBe(message);
    });
  }
});

test("annotations that cannot be read are reported", () => {
  const annotations = { "kubeloop.dev/run-for": "soon", "kubeloop.dev/exit-code": "256", "kubeloop.dev/exec": "PONG" };
  const pod = podOf({}, annotations);
  expect(containerScript(pod, containerOf(pod)).faults).toEqual([
    expect.stringContaining("annotation kubeloop.dev/run-for is not used: "),
    'annotation kubeloop.dev/exit-code is not used: "256" is not an exit code from 0 to 255',
    'annotation kubeloop.dev/exec is not used: "PONG" comes before any "$ command"',
  ]);
});

function fieldEnv(name: string, fieldPath: string): corev1.EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
