import { loadProtobufTable } from "@kubeloop/core/api";
import { expect, test, vi } from "vitest";
import { hasProtobuf, loadProtobuf } from "./index.ts";

vi.mock("@kubeloop/core/api", async (importOriginal) => {
  const original = await importOriginal<typeof import("@kubeloop/core/api")>();
  return { ...original, loadProtobufTable: vi.fn(original.loadProtobufTable) };
});

test("the table is loaded when the codec is asked for, not before and not twice", async () => {
  expect(hasProtobuf("v1", "Pod")).toBe(true);
  expect(loadProtobufTable).not.toHaveBeenCalled();
  expect(await loadProtobuf()).toBe(await loadProtobuf());
  expect(loadProtobufTable).toHaveBeenCalledTimes(1);
});
