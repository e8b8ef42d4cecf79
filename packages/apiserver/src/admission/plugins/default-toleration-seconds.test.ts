import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { askPlugin } from "./admission.fixture.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";

const toleration = (name: string) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});
const both = [toleration("not-ready"), toleration("unreachable")];
const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 };
const noSchedule = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoSchedule" };
const everything = { operator: "Exists" };
const other = { key: "a", operator: "Exists" };

test.each([
  ["a pod that says nothing gets both", undefined, {}, both],
  ["what it has comes first", [other], {}, [other, ...both]],
  ["what it says of one stays", [own], {}, [own, toleration("unreachable")]],
  ["for another effect is not enough", [noSchedule], {}, [noSchedule, ...both]],
  ["who tolerates everything gets none", [everything], {}, [everything]],
  ["an update gets them, too", undefined, { operation: "UPDATE" }, both],
  ["a status does not", undefined, { operation: "UPDATE", subresource: "status" }, undefined],
  ["a template does not", undefined, { resource: { group: "", version: "v1", resource: "podtemplates" } }, undefined],
] as const)("%s", async (_, tolerations, told, expected) => {
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec: { containers: [], tolerations } };
  const { object: pod } = await askPlugin(defaultTolerationSeconds, { object, ...told });
  expect((pod as corev1.Pod).spec.tolerations).toEqual(expected);
});
