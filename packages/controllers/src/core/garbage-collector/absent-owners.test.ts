import { expect, test } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";

const owner = (name: string, namespace = "shop") => ({
  apiVersion: "v1",
  kind: "Pod",
  namespace,
  name,
  uid: `uid-${name}`,
});

test("an owner that was noted is absent, in that namespace and under that name only", () => {
  const absent = new AbsentOwners();
  absent.note(owner("a"));
  expect(
    [owner("a"), owner("b"), owner("a", "bank"), { ...owner("a"), kind: "Node" }].map((each) => absent.has(each)),
  ).toEqual([true, false, false, false]);
});

test("beyond its size, the one that was noted longest ago is forgotten", () => {
  const absent = new AbsentOwners(2);
  for (const name of ["a", "b", "a", "c"]) absent.note(owner(name));
  expect(["a", "b", "c"].map((name) => absent.has(owner(name)))).toEqual([true, false, true]);
});

test("five hundred are remembered", () => {
  const absent = new AbsentOwners();
  for (let i = 0; i < 501; i++) absent.note(owner(`o${i}`));
  expect([absent.has(owner("o0")), absent.has(owner("o1"))]).toEqual([false, true]);
});
