import type { networkingv1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";

const classOf = (name: string, isDefault = true, year = 2024) => ({
  kind: "IngressClass",
  apiVersion: "networking.k8s.io/v1",
  metadata: {
    name,
    creationTimestamp: `${year}-01-01T00:00:00Z`,
    annotations: { "ingressclass.kubernetes.io/is-default-class": String(isDefault) },
  },
});

test.each([
  ["gets none where there is none", [], {}, {}, undefined],
  ["gets none where none is everybody's", [classOf("a", false)], {}, {}, undefined],
  ["gets everybody's", [classOf("a")], {}, {}, "a"],
  ["gets the newest of several", [classOf("a"), classOf("b", true, 2025)], {}, {}, "b"],
  ["keeps the one it names", [classOf("a")], { ingressClassName: "x" }, {}, "x"],
  ["keeps the one it names in the old way", [classOf("a")], {}, { "kubernetes.io/ingress.class": "x" }, undefined],
])("an ingress %s", async (_, classes, spec, annotations, expected) => {
  const object = { kind: "Ingress", apiVersion: "networking.k8s.io/v1", metadata: { name: "a", annotations }, spec };
  const stored = { "networking.k8s.io/ingressclasses": classes };
  const resource = resourceOf("networking.k8s.io/ingresses");
  const said = await askPlugin(defaultIngressClass, { object, resource, stored });
  expect((said.object as networkingv1.Ingress).spec?.ingressClassName).toBe(expected);
});
