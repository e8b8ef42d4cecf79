import { expect, test } from "vitest";
import { camelPlural, kebabCase, pascalCase, UniqueNames } from "./names.ts";

for (const [kind, plural, type, constant, file] of [
  ["Widget", "widgets", "Widget", "widgets", "widget"],
  ["CronTab", "crontabs", "CronTab", "cronTabs", "cron-tab"],
  ["NetworkPolicy", "networkpolicies", "NetworkPolicy", "networkPolicies", "network-policy"],
  ["HTTPRoute", "httproutes", "HTTPRoute", "httpRoutes", "http-route"],
  ["VPA", "vpas", "VPA", "vpas", "vpa"],
  ["Endpoints", "endpoints", "Endpoints", "endpoints", "endpoints"],
  ["widget", "widgets", "Widget", "widgets", "widget"],
  ["my-kind", "my-kinds", "MyKind", "mykinds", "my-kind"],
  ["L2Advertisement", "l2advertisements", "L2Advertisement", "l2Advertisements", "l2-advertisement"],
] as const) {
  test(`${kind} is the type ${type}, the constant ${constant}, the file ${file}.ts`, () => {
    expect([pascalCase(kind), camelPlural(kind, plural), kebabCase(kind)]).toEqual([type, constant, file]);
  });
}

test("a name is handed out once", () => {
  const names = new UniqueNames(["class"]);
  expect(["class", "widget", "widget", "widget"].map((name) => names.take(name))).toEqual([
    ...["class2", "widget", "widget2", "widget3"],
  ]);
});
