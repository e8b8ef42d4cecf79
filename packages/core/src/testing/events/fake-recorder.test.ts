import { describe, expect, test } from "vitest";
import { recordEvent } from "../../contract/index.ts";
import { recordEventActions } from "../../events/index.ts";
import { FakeRecorder } from "./fake-recorder.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "web" } };

describe("a fake recorder", () => {
  test("keeps what it is told, in order, until it is taken", () => {
    const recorder = new FakeRecorder();
    recorder.event(pod, "Normal", "Started", "it runs");
    recorder.annotatedEvent(pod, { by: "me" }, "Warning", "Failed", "it does not");
    recorder.eventf({ regarding: pod, type: "Normal", reason: "Scheduled", action: "Binding", note: "to n1" });
    expect(recorder.recorded[1]).toEqual({
      regarding: pod,
      annotations: { by: "me" },
      type: "Warning",
      reason: "Failed",
      note: "it does not",
    });
    expect(recorder.take()).toEqual(["Normal Started it runs", "Warning Failed it does not", "Normal Scheduled to n1"]);
    expect(recorder.events).toEqual([]);
  });

  test("keeps them as they were", () => {
    const recorder = new FakeRecorder();
    const changing = structuredClone(pod);
    recorder.event(changing, "Normal", "R", "m");
    changing.metadata.name = "other";
    expect(recorder.recorded[0]?.regarding).toEqual(pod);
  });

  test("takes the events of controllers' plans", () => {
    const recorder = new FakeRecorder();
    const action = recordEvent(pod, { type: "Warning", reason: "FailedCreate", message: "quota" });
    if (action.type === "event") recordEventActions(recorder)(action);
    expect(recorder.events).toEqual(["Warning FailedCreate quota"]);
  });
});
