import { describe, expect, test } from "vitest";
import { decodeDiscovery } from "./discovery.ts";
import { readInputs } from "./inputs.ts";
import { decodeOpenApi } from "./openapi.ts";
import { resourceRows } from "./resource-rows.ts";
import { writeInformers } from "./write-informers.ts";

const inputs = await readInputs();
const rows = resourceRows(decodeOpenApi(inputs.openapi), decodeDiscovery(inputs.discovery));
const files = writeInformers(rows);
const namesIn = (path: string) =>
  [...(files.get(path) ?? "").matchAll(/^export const (\w+)/gm)].map((match) => match[1]);

describe("informers of built-in kinds", () => {
  test("have client-go's names, two for each kind, by group and version", () => {
    expect(namesIn("apps/v1.ts")).toEqual([
      ...["newControllerRevisionInformer", "newFilteredControllerRevisionInformer"],
      ...["newDaemonSetInformer", "newFilteredDaemonSetInformer"],
      ...["newDeploymentInformer", "newFilteredDeploymentInformer"],
      ...["newReplicaSetInformer", "newFilteredReplicaSetInformer"],
      ...["newStatefulSetInformer", "newFilteredStatefulSetInformer"],
    ]);
    expect(namesIn("core/v1.ts")).toContain("newFilteredPodInformer");
    expect(namesIn("storage/v1.ts")).toContain("newCSIDriverInformer");
  });

  test("of the same name in two groups stand in two modules", () => {
    expect([namesIn("core/v1.ts"), namesIn("events/v1.ts")].map((names) => names.includes("newEventInformer"))).toEqual(
      [true, true],
    );
  });

  test("are there for everything that can be listed and watched, and for nothing else", () => {
    const watchable = rows.filter(({ verbs }) => verbs.includes("list") && verbs.includes("watch"));
    expect([...files.keys()].flatMap(namesIn)).toHaveLength(2 * watchable.length);
    expect([...files.keys()].flatMap(namesIn)).not.toContain("newBindingInformer");
  });

  test("the same documents give the same text", () => {
    expect([...writeInformers(rows)]).toEqual([...files]);
  });
});
