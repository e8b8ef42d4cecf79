import { expect, test } from "vitest";
import { impersonationHeaders, validateImpersonation } from "./impersonation.ts";

test.each([
  ["a user", { user: "jane" }, { "impersonate-user": "jane" }],
  ["a uid", { user: "jane", uid: "42" }, { "impersonate-user": "jane", "impersonate-uid": "42" }],
  [
    "groups, one header each",
    { user: "jane", groups: ["dev", "ops"] },
    { "impersonate-user": "jane", "impersonate-group": ["dev", "ops"] },
  ],
  [
    "extra values, keys escaped",
    { user: "jane", extra: { "acme.io/scopes": ["view", "edit"], "a%b c": ["x"], é: ["y"] } },
    {
      "impersonate-user": "jane",
      "impersonate-extra-acme.io%2Fscopes": ["view", "edit"],
      "impersonate-extra-a%25b%20c": ["x"],
      "impersonate-extra-%C3%A9": ["y"],
    },
  ],
  ["nothing for empty lists", { user: "jane", uid: "", groups: [], extra: { a: [] } }, { "impersonate-user": "jane" }],
  ["names beyond ASCII as UTF-8 bytes", { user: "é" }, { "impersonate-user": "Ã©" }],
])("sends %s", (_name, impersonation, expected) => {
  expect(impersonationHeaders(impersonation)).toEqual(expected);
});

test.each([
  ["a plain user", { user: "jane", groups: ["a"], extra: { k: ["v"] } }, []],
  ["no user", { user: "", groups: ["a"] }, ["user must be given"]],
  ["an empty extra key", { user: "jane", extra: { "": ["v"] } }, ["extra keys must not be empty"]],
  [
    "line ends everywhere",
    { user: "a\r\nb", uid: "\n", groups: ["ok", "\0"], extra: { k: ["\x7f"] } },
    [
      "user must not hold control characters",
      "uid must not hold control characters",
      "group must not hold control characters",
      'extra "k" must not hold control characters',
    ],
  ],
])("validates %s", (_name, impersonation, expected) => {
  expect(validateImpersonation(impersonation)).toEqual(expected);
});
