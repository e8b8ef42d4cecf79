import { expect, test } from "vitest";
import { createTokens, printTokenFile } from "./tokens.ts";

test("the admin has a token although nobody asked for one", () => {
  expect([...createTokens([]).keys()]).toEqual(["admin"]);
});

test("every user has a token of their own", () => {
  expect(new Set(createTokens([{ user: "jane" }, { user: "joe" }]).values()).size).toBe(3);
});

test("the file quotes what CSV would split", () => {
  const users = [{ user: 'the "b"', groups: ["developers", "system:authenticated"] }, { user: "joe" }];
  const tokens = new Map([
    ["admin", "t0"],
    ['the "b"', "t1"],
    ["joe", "t2"],
  ]);
  expect(printTokenFile(users, tokens).split("\n")).toEqual([
    '"t0","admin","uid-of-admin","system:masters"',
    '"t1","the ""b""","uid-of-the ""b""","developers,system:authenticated"',
    '"t2","joe","uid-of-joe",""',
    "",
  ]);
});
