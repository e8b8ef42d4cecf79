import { expect, test } from "vitest";
import { printProbe } from "./probe.ts";

const times = "delay=0s timeout=0s period=0s #success=0 #failure=0";
for (const [probe, text] of [
  [{ exec: { command: ["a", "b c"] } }, "exec [a b c]"],
  [{ httpGet: { port: "http", scheme: "HTTPS", path: "/a b" } }, "http-get https://:http/a%20b"],
  [{ httpGet: { port: 80, host: "::1", path: "x?y" } }, "http-get //[::1]:80/x%3Fy"],
  [{ tcpSocket: { port: 1, host: "h" } }, "tcp-socket h:1"],
  [{ grpc: { port: 1 } }, "grpc <pod>:1 "],
  [{}, "unknown"],
] as const) {
  test(text, () => expect(printProbe(probe)).toBe(`${text} ${times}`));
}

test("a probe says when and how often", () => {
  const probe = {
    initialDelaySeconds: 1,
    timeoutSeconds: 2,
    periodSeconds: 3,
    successThreshold: 4,
    failureThreshold: 5,
  };
  expect(printProbe(probe)).toBe("unknown delay=1s timeout=2s period=3s #success=4 #failure=5");
});
