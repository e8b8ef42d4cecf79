import { newForbidden } from "@kubeloop/core/api";
import { actionsOf, plan, printAction } from "@kubeloop/core/contract";
import { outcomeOf } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { sliceActions } from "../../domain/endpoint-slices.ts";
import type { DecidedSlices } from "./decide.ts";
import type { SelectingService } from "./observe.ts";
import { report } from "./report.ts";
import { newService, sliceOf } from "./slices.fixture.ts";

const service = newService();
const selecting = { service } as SelectingService;
const before = sliceOf("b");
const actions = sliceActions({
  create: [{ ...sliceOf("x"), metadata: { namespace: "shop", generateName: "web-" } }],
  update: [{ before, after: { ...before, ports: [{ name: "http", port: 1, protocol: "TCP" }] } }],
  remove: [sliceOf("c")],
});
const notes: DecidedSlices = {
  times: { serviceMs: 0, podsMs: new Map() },
  hints: new Map(),
  hasHints: false,
  counts: new Map(),
  distribution: undefined,
  usesTopology: false,
  actions: [actions],
  events: [],
};
const refusal = newForbidden({ group: "discovery.k8s.io", resource: "endpointslices" }, "", { detail: "no" });

interface Given {
  readonly failing?: "create" | "edit" | "delete";
  readonly unfinished?: Error;
  readonly notes?: Partial<DecidedSlices>;
}
function reported({ failing, unfinished, notes: more }: Given) {
  const decided = plan<DecidedSlices>("slices", [actions], { notes: { ...notes, ...more }, unfinished });
  const outcome = outcomeOf(decided, (action) =>
    action.type === failing ? { status: "failed", error: refusal } : undefined,
  );
  return report({ key: "shop/web", selecting, isGone: false }, outcome);
}
const measured = (given: Given) =>
  (reported(given).measures ?? []).map(({ metric, value, labels }) =>
    [metric.definition.name.replace("endpoint_slice_controller_", ""), ...Object.values(labels), value].join(" "),
  );
const events = (given: Given) => actionsOf(reported(given));

describe("it counts", () => {
  test("a look that went well, what was written, and how much of it", () => {
    expect(measured({})).toEqual([
      "syncs success 1",
      "changes create 1",
      "changes update 1",
      "changes delete 1",
      "endpointslices_changed_per_sync Disabled  3",
    ]);
  });
  test("the kind of hints", () => {
    expect(measured({ notes: { usesTopology: true } })).toContain("endpointslices_changed_per_sync Auto  3");
    expect(measured({ notes: { distribution: "PreferClose" } })).toContain(
      "endpointslices_changed_per_sync Disabled PreferClose 3",
    );
  });
  test("a look that failed, and only what was done", () => {
    expect(measured({ failing: "edit" })).toEqual(["syncs error 1", "changes create 1", "changes delete 1"]);
  });
  test("a look at a Service that is gone", () => {
    const outcome = outcomeOf(plan<DecidedSlices>("gone", []));
    const { measures } = report({ key: "shop/web", selecting: undefined, isGone: true }, outcome);
    expect(measures).toMatchObject([{ labels: { result: "success" } }]);
  });
});

describe("it says on the Service", () => {
  const prefix = "Error updating Endpoint Slices for Service shop/web: ";
  for (const [what, given, message] of [
    ["that a slice could not be created", { failing: "create" }, `failed to create EndpointSlice: ${refusal.message}`],
    ["that a slice could not be updated", { failing: "edit" }, `failed to update b EndpointSlice: ${refusal.message}`],
    [
      "that a slice could not be deleted",
      { failing: "delete" },
      `failed to delete c EndpointSlice: ${refusal.message}`,
    ],
    ["that a pod was left out", { unfinished: new Error("skipping Pod p") }, "skipping Pod p"],
    [
      "all that went wrong",
      { unfinished: new Error("skipping Pod p"), failing: "delete" },
      `[skipping Pod p, failed to delete c EndpointSlice: ${refusal.message}]`,
    ],
  ] as const) {
    test(what, () => {
      expect(events(given)).toMatchObject([
        { eventType: "Warning", reason: "FailedToUpdateEndpointSlices", message: `${prefix}${message}` },
      ]);
      expect(events(given).map(printAction)).toEqual([
        "event Warning FailedToUpdateEndpointSlices on Service shop/web",
      ]);
    });
  }
  test("that hints came, also if something failed", () => {
    const event = { type: "Normal", reason: "TopologyAwareHintsEnabled", message: "m" } as const;
    expect(events({ failing: "edit", notes: { events: [event] } })).toMatchObject([
      { eventType: "Normal", reason: "TopologyAwareHintsEnabled", message: "m" },
      { reason: "FailedToUpdateEndpointSlices" },
    ]);
  });
  test("nothing, if all is well", () => expect(events({})).toEqual([]));
});
