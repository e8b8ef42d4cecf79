import { expect, test, vi } from "vitest";

test("the table is loaded when the codec is asked for, not before and not twice", async () => {
  // Whoever ran before in this process may have asked already: these modules are new ones.
  vi.resetModules();
  const api = await import("../protobuf-table.ts");
  const loadProtobufTable = vi.fn(api.loadProtobufTable);
  vi.doMock("../protobuf-table.ts", () => ({ ...api, loadProtobufTable }));
  const { hasProtobuf, loadProtobuf } = await import("./index.ts");
  expect(hasProtobuf("v1", "Pod")).toBe(true);
  expect(loadProtobufTable).not.toHaveBeenCalled();
  expect(await loadProtobuf()).toBe(await loadProtobuf());
  expect(loadProtobufTable).toHaveBeenCalledTimes(1);
  vi.doUnmock("../protobuf-table.ts");
  vi.resetModules();
});
