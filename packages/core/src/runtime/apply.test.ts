import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import { newAlreadyExists, newConflict, newMethodNotSupported, newNotFound, newStatusError } from "../api/index.ts";
import type { Tolerance } from "../contract/for-drivers.ts";
import { remove } from "../contract/index.ts";
import { isTolerated } from "./apply.ts";

const name = { group: "", resource: "pods" };
const failures: Partial<Record<Tolerance, Error>> = {
  NotFound: newNotFound(name, "a"),
  AlreadyExists: newAlreadyExists(name, "a"),
  Conflict: newConflict(name, "a", { detail: "changed" }),
  MethodNotSupported: newMethodNotSupported(name, "deletecollection"),
  UnsupportedMediaType: newStatusError({ code: 415, reason: "UnsupportedMediaType", message: "no apply" }),
};

describe("an action tolerates what it names, and nothing else", () => {
  for (const tolerance of Object.keys(failures) as Tolerance[]) {
    test(tolerance, () => {
      const action = remove(pods, "shop/a", { tolerates: [tolerance] });
      const tolerated = Object.entries(failures).filter(([, error]) => isTolerated(action, error));
      expect(tolerated.map(([what]) => what)).toEqual([tolerance]);
    });
  }
});
