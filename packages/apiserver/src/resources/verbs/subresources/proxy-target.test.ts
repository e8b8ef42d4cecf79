import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { checkPodAddress, proxyTargetOf } from "./proxy-target.ts";

test.each([
  ["a", { name: "a", port: "" }],
  ["a:80", { name: "a", port: "80" }],
  ["https:a:web", { name: "a", port: "web" }],
  [":a:", { name: "a", port: "" }],
])("%s names one", (asked, target) => expect(proxyTargetOf(asked, "pod")).toEqual(target));

test.each(["ftp:a:80", ":80", "a:b:c:d", ""])("%j names none", (asked) => {
  expect(() => proxyTargetOf(asked, "service")).toThrow("invalid service request");
});

const check = (podIP: string | undefined) => () => checkPodAddress({ status: { podIP } } as corev1.Pod);

test.each(["10.0.0.1", "8.8.8.8", "fd00::1", "2001:db8::1"])("%s is a pod's own", (ip) => {
  expect(check(ip)).not.toThrow();
});

test.each([
  undefined,
  "x",
  "0.0.0.0",
  "127.0.0.1",
  "169.254.1.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "fe80::1",
  "ff02::1",
])("%s is dialled for nobody", (ip) => expect(check(ip)).toThrow("address not allowed"));
