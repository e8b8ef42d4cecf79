import { describe, expect, test } from "vitest";
import { objectKeyOf, splitKey } from "../api/index.ts";
import {
  type Deleted,
  DeletedFinalStateUnknown,
  deletionHandlingKeyOf,
  isFinalStateUnknown,
  lastStateOf,
} from "./tombstone.ts";

const web = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name: "web" } };
const key = objectKeyOf("shop", "web");

describe("what was deleted is named", () => {
  const rows: readonly (readonly [name: string, gone: Deleted<typeof web>, lastState: typeof web | undefined])[] = [
    ["by itself", web, web],
    ["by its tombstone", new DeletedFinalStateUnknown(key, web), web],
    ["by a tombstone that never saw it", new DeletedFinalStateUnknown<typeof web>(key, undefined), undefined],
  ];
  for (const [name, gone, lastState] of rows) {
    test(name, () => {
      expect(deletionHandlingKeyOf(gone)).toBe("shop/web");
      expect(splitKey(deletionHandlingKeyOf(gone))).toEqual({ namespace: "shop", name: "web" });
      expect(lastStateOf(gone)).toBe(lastState);
      expect(isFinalStateUnknown(gone)).toBe(gone !== web);
    });
  }
});

test("a tombstone cannot be changed", () => {
  const gone = new DeletedFinalStateUnknown(key, web);
  expect(() => Object.assign(gone, { key: "other" })).toThrow(TypeError);
});
