import { noBody, StatusError } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { systemAdmin, userOf } from "../authentication/users.ts";
import { defaultAuthorizer } from "./authorizer.ts";
import { impersonatedUser } from "./impersonation.ts";

const jane = userOf({ name: "jane" });

async function become(sender: typeof jane, headers: Readonly<Record<string, string | readonly string[]>>) {
  const request = { method: "GET", path: "/api", query: [], headers, body: noBody, prefers: "values" } as const;
  try {
    return await impersonatedUser(request, sender, defaultAuthorizer("default-bindings"));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe("the administrator becomes", () => {
  test.each([
    ["nobody else without headers", {}, systemAdmin],
    ["nobody else by an empty name", { "impersonate-user": "" }, systemAdmin],
    ["a user", { "impersonate-user": "joe" }, userOf({ name: "joe" })],
    [
      "a user of these groups, with a comma in one",
      { "impersonate-user": "joe", "impersonate-group": ["a, b", "c"] },
      userOf({ name: "joe", groups: ["a, b", "c"] }),
    ],
    [
      "a service account, in its groups",
      { "impersonate-user": "system:serviceaccount:ns:sa" },
      userOf({ name: "system:serviceaccount:ns:sa", groups: ["system:serviceaccounts", "system:serviceaccounts:ns"] }),
    ],
    ["the anonymous", { "impersonate-user": "system:anonymous" }, userOf({ name: "system:anonymous" })],
    [
      "somebody nobody knows",
      { "impersonate-user": "joe", "impersonate-group": "system:unauthenticated" },
      { name: "joe", uid: undefined, groups: ["system:unauthenticated"], extra: {} },
    ],
    [
      "somebody with a uid and more, all in UTF-8",
      {
        "impersonate-user": Buffer.from("jané").toString("latin1"),
        "impersonate-uid": "7",
        "impersonate-extra-a%2fb": ["1", "2"],
      },
      userOf({ name: "jané", uid: "7", extra: { "a/b": ["1", "2"] } }),
    ],
  ])("%s", async (_, headers, expected) => {
    expect(await become(systemAdmin, headers)).toEqual(expected);
  });
});

describe("refused is", () => {
  const user = 'User "jane" cannot impersonate resource';
  test.each([
    [
      "who may not",
      { "impersonate-user": "joe" },
      `users "joe" is forbidden: ${user} "users" in API group "" at the cluster scope`,
    ],
    [
      "who may not be a service account",
      { "impersonate-user": "system:serviceaccount:ns:sa" },
      `serviceaccounts "sa" is forbidden: ${user} "serviceaccounts" in API group "" in the namespace "ns"`,
    ],
  ])("%s", async (_, headers, message) => {
    expect(await become(jane, headers)).toEqual({ code: 403, message });
  });

  test.each([
    [
      "a group",
      { "impersonate-group": "a" },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      "a uid",
      { "impersonate-uid": "7" },
      'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      "an extra",
      { "impersonate-extra-k": "v" },
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
    ],
  ])("%s without a user", async (_, headers, message) => {
    expect(await become(systemAdmin, headers)).toEqual({ code: 400, message });
  });
});
