import { namespaces } from "@kubeloop/core/resources";
import { newNamespace, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { DeletionAttempts } from "./model.ts";
import { observe } from "./observe.ts";

const active = stored(newNamespace("active"));
const going = stored(newNamespace("going", { metadata: { deletionTimestamp: "2024-05-01T12:00:00Z" } }));
const snapshot = plainSnapshot([[namespaces, [active, going]]]);
const observed = (key: string) => observe(key, { snapshot, model: new DeletionAttempts(), nowMs: 0 });

test("a namespace that is gone is nothing to look at", () => expect(observed("none")).toBeUndefined());
test("a namespace that nobody deletes is nothing to look at", () => expect(observed("active")).toBeUndefined());
test("a namespace that is being deleted is looked at", () => expect(observed("going")?.name).toBe("going"));
