import { newForbidden } from "@kubeloop/core/api";
import { actionsOf, create, editObject, plan } from "@kubeloop/core/contract";
import { endpoints } from "@kubeloop/core/resources";
import { outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newService } from "../../discovery/endpointslice/slices.fixture.ts";
import type { DecidedEndpoints } from "./decide.ts";
import { report } from "./report.ts";

const object = stored({ apiVersion: "v1", kind: "Endpoints", metadata: { namespace: "shop", name: "web" } } as const);
const refusal = newForbidden({ group: "", resource: "endpoints" }, "web", { detail: "no" });
const creation = create(endpoints, object);
const edit = editObject(endpoints, object, { ...object, metadata: { ...object.metadata, labels: { a: "b" } } });

describe("a failed", () => {
  for (const [what, action, reason, message] of [
    [
      "create is said",
      creation,
      "FailedToCreateEndpoint",
      `Failed to create endpoint for service shop/web: ${refusal.message}`,
    ],
    ["update is said", edit, "FailedToUpdateEndpoint", `Failed to update endpoint shop/web: ${refusal.message}`],
  ] as const) {
    test(what, () => {
      const outcome = outcomeOf(plan<DecidedEndpoints>("", [[action]]), () => ({ status: "failed", error: refusal }));
      const seen = { key: "shop/web", service: newService(), pods: [], current: undefined, times: undefined };
      expect(actionsOf(report(seen, outcome) ?? plan("", []))).toMatchObject([
        { type: "event", eventType: "Warning", reason, message, about: { kind: "Endpoints" } },
      ]);
      expect(report(seen, outcomeOf(plan<DecidedEndpoints>("", [[action]])))).toBeUndefined();
    });
  }
});
