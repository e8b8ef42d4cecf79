import { expect, test } from "vitest";
import { proxyFromEnvironment } from "./proxy-from-environment.ts";

const proxy = { HTTPS_PROXY: "http://p:1" };

test.each([
  ["no proxy", "https://k8s", {}, undefined],
  ["the proxy for https", "https://k8s", proxy, "http://p:1"],
  ["in lower case", "https://k8s", { https_proxy: "http://p:2" }, "http://p:2"],
  ["upper case first", "https://k8s", { ...proxy, https_proxy: "http://p:2" }, "http://p:1"],
  ["not the one for http", "https://k8s", { HTTP_PROXY: "http://p:1" }, undefined],
  ["the one for http", "http://k8s", { HTTP_PROXY: "http://p:1" }, "http://p:1"],
  ["a scheme where there is none", "https://k8s", { HTTPS_PROXY: "p:1" }, "http://p:1"],
  ["socks", "https://k8s", { HTTPS_PROXY: "socks5://p:1" }, "socks5://p:1"],
  ["none to this machine by name", "https://localhost:6443", proxy, undefined],
  ["none to this machine by address", "https://127.0.0.2:6443", proxy, undefined],
  ["none to this machine by IPv6 address", "https://[::1]:6443", proxy, undefined],
] as const)("gives %s", (_name, server, env, expected) => {
  expect(proxyFromEnvironment(server, env)).toBe(expected);
});

test.each([
  ["*", "https://k8s", true],
  ["k8s", "https://k8s", true],
  ["K8S.Example.com", "https://k8s.example.com", true],
  ["example.com", "https://k8s.example.com", true],
  ["example.com", "https://badexample.com", false],
  [".example.com", "https://k8s.example.com", true],
  [".example.com", "https://example.com", false],
  ["*.example.com", "https://k8s.example.com", true],
  ["other, k8s ,", "https://k8s", true],
  ["k8s:6443", "https://k8s:6443", true],
  ["k8s:6443", "https://k8s", false],
  ["k8s:443", "https://k8s", true],
  ["10.0.0.1", "https://10.0.0.1:6443", true],
  ["10.0.0.1:6443", "https://10.0.0.1:6443", true],
  ["10.0.0.1:1", "https://10.0.0.1:6443", false],
  ["10.0.0.0/8", "https://10.1.2.3", true],
  ["10.0.0.0/8", "https://11.1.2.3", false],
  ["10.0.0.0/8", "https://k8s", false],
  ["fd00::/8", "https://[fd00::1]", true],
  ["fd00::1", "https://[fd00::1]", true],
  ["[fd00::1]:6443", "https://[fd00::1]:6443", true],
  ["10.0.0.0/99", "https://10.1.2.3", false],
  ["", "https://k8s", false],
])("NO_PROXY=%s and %s: direct is %s", (list, server, isDirect) => {
  expect(proxyFromEnvironment(server, { ...proxy, NO_PROXY: list }) === undefined).toBe(isDirect);
});
