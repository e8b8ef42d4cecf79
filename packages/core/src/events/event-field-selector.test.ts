import { describe, expect, test } from "vitest";
import { printFieldSelector } from "../api/index.ts";
import { eventFieldSelector } from "./event-field-selector.ts";
import type { EventSink } from "./event-sink.ts";
import type { EventSubject } from "./recorded-event.ts";

const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", uid: "2c55cad7" } };

describe("the events about an object", () => {
  test.each<[string, EventSink["api"], EventSubject, string]>([
    ["are all of them when nothing is known of it", "events.k8s.io/v1", {}, ""],
    ["are all of them in core/v1, too", "v1", {}, ""],
    [
      "are asked for by what they regard",
      "events.k8s.io/v1",
      deployment,
      "regarding.name=web,regarding.kind=Deployment,regarding.apiVersion=apps/v1,regarding.uid=2c55cad7",
    ],
    [
      "are asked for by the object involved, in core/v1",
      "v1",
      deployment,
      "involvedObject.name=web,involvedObject.kind=Deployment,involvedObject.apiVersion=apps/v1,involvedObject.uid=2c55cad7",
    ],
    [
      "are asked for by what is known",
      "v1",
      { kind: "Node", name: "n" },
      "involvedObject.name=n,involvedObject.kind=Node",
    ],
  ])("%s", (_, api, about, expected) => {
    expect(printFieldSelector(eventFieldSelector(api, about))).toBe(expected);
  });

  test("cannot be asked for in an API that is not known", () => {
    expect(() => eventFieldSelector("v1alpha1" as "v1", deployment)).toThrow('unexpected value "v1alpha1"');
  });
});
