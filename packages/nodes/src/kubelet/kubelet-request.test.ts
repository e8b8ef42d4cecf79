import { parseQuery } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { accessOf, parseKubeletRequest } from "./kubelet-request.ts";

const parsed = (url: string) => {
  const [path = "", query = ""] = url.split("?");
  return parseKubeletRequest({ path, query: parseQuery(query) });
};

test.each([
  ["/containerLogs/shop/web/c?follow=true&tailLines=3", "log shop/web follow=true tailLines=3 container=c"],
  [
    "/exec/shop/web/c?input=1&output=1&error=1&tty=1&command=a&command=b",
    "exec shop/web stdin=1 stdout=1 stderr=1 tty=1 command=a command=b container=c",
  ],
  ["/exec/shop/web/1234/c?output=1", "exec shop/web 1234 stdout=1 container=c"],
  ["/attach/shop/web/c", "attach shop/web container=c"],
  ["/portForward/shop/web?port=80", "portforward shop/web port=80"],
  ["/portForward/shop/web/1234", "portforward shop/web 1234"],
  ["/exec/shop/we%62/c", "exec shop/web container=c"],
  ["/exec/shop/web/c?container=other&constructor=1", "exec shop/web constructor=1 container=c"],
])("%s is %s", (url, meaning) => {
  const asked = parsed(url);
  if (asked.of !== "pod") throw new Error(`it is ${asked.of}`);
  const { subresource, namespace, name, uid = [], query } = asked;
  const words = [subresource, `${namespace}/${name}`, uid, query.map(([key, value]) => `${key}=${value}`)];
  expect(words.flat().join(" ")).toBe(meaning);
});

test.each([
  ["/healthz", "health"],
  ["/healthz/ping", "health"],
  ["/pods", "pods"],
  ["/pods/", "pods"],
  ["/", "nothing"],
  ["/pods/web", "nothing"],
  ["/exec/shop/web", "nothing"],
  ["/containerLogs/shop/web/1234/c", "nothing"],
  ["/portForward/shop", "nothing"],
  ["/toString/shop/web/c", "nothing"],
  ["/run/shop/web/c", "nothing"],
])("%s is for %s", (url, of) => {
  expect(parsed(url)).toEqual({ of });
});

test.each([
  ["GET", "/containerLogs/shop/web/c", "get", ["proxy"]],
  ["GET", "/exec/shop/web/c", "get", ["proxy"]],
  ["POST", "/exec/shop/web/c", "create", ["proxy"]],
  ["GET", "/pods", "get", ["pods", "proxy"]],
  ["GET", "/podsandmore", "get", ["proxy"]],
  ["GET", "/healthz", "get", ["healthz", "proxy"]],
  ["GET", "/configz", "get", ["configz", "proxy"]],
  ["GET", "/runningpods/", "get", ["pods", "proxy"]],
  ["GET", "/stats/summary", "get", ["stats"]],
  ["GET", "/metrics/resource", "get", ["metrics"]],
  ["GET", "/logs/", "get", ["log"]],
  ["POST", "/checkpoint/shop/web/c", "create", ["checkpoint"]],
  ["OPTIONS", "/pods", "", ["pods", "proxy"]],
])("%s %s takes %s on %j of a node", (method, path, verb, subresources) => {
  expect(accessOf({ method, path })).toEqual({ verb, subresources });
});
