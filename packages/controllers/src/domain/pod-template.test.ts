import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { isSameTemplate, withHash, withoutHash } from "./pod-template.ts";

type Template = corev1.PodTemplateSpec;
const plain: Template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web:1", resources: { limits: { cpu: "1", memory: "1Gi" } } }] },
};
const withSpec = (spec: object): Template => ({ ...plain, spec: { ...plain.spec, ...spec } as corev1.PodSpec });
const withContainer = (more: object): Template => withSpec({ containers: [{ ...plain.spec?.containers[0], ...more }] });
const labelled = (labels: Readonly<Record<string, string>>, more: object = {}): Template => ({
  ...plain,
  metadata: { labels, ...more },
});

describe("templates are the same", () => {
  test.each([
    ["if they are equal", structuredClone(plain)],
    ["whatever the hash of one says", labelled({ app: "web", "pod-template-hash": "123" })],
    [
      "if quantities are written in another way",
      withContainer({ resources: { limits: { cpu: "1000m", memory: "1024Mi" } } }),
    ],
    ["if one has an empty list", withContainer({ args: [] })],
    ["if one has an empty map", labelled({ app: "web" }, { annotations: {} })],
    ["if one has a null", labelled({ app: "web" }, { creationTimestamp: null })],
    ["if one prints what is not set", withSpec({ hostNetwork: false, nodeName: "", serviceAccountName: "" })],
    [
      "if one has an empty struct that is no pointer",
      withContainer({ resources: { limits: { cpu: "1", memory: "1Gi" }, claims: [] } }),
    ],
  ])("%s", (_fact, other) => {
    expect(isSameTemplate(plain, other)).toBe(true);
    expect(isSameTemplate(other, plain)).toBe(true);
  });
});

describe("templates are not the same", () => {
  test.each([
    ["if an image differs", withContainer({ image: "web:2" })],
    ["if a label differs", labelled({ app: "other" })],
    ["if one has a label more", labelled({ app: "web", tier: "front" })],
    ["if an annotation differs", labelled({ app: "web" }, { annotations: { a: "b" } })],
    ["if a quantity differs", withContainer({ resources: { limits: { cpu: "2", memory: "1Gi" } } })],
    ["if one has a pointer to an empty struct", withSpec({ securityContext: {} })],
    ["if one has a pointer to zero", withSpec({ terminationGracePeriodSeconds: 0 })],
    [
      "if a port is a number in one and text in the other",
      withContainer({ livenessProbe: { tcpSocket: { port: "80" } } }),
    ],
  ])("%s", (_fact, other) => expect(isSameTemplate(plain, other)).toBe(false));

  test("if ports differ in kind", () => {
    const probe = (port: number | string) => withContainer({ livenessProbe: { tcpSocket: { port } } });
    expect(isSameTemplate(probe(80), probe("80"))).toBe(false);
  });

  test("if both have hashes and differ elsewhere", () => {
    const [a, b] = [withHash(plain, "1"), withHash(withContainer({ image: "web:2" }), "1")];
    expect(isSameTemplate(a, b)).toBe(false);
    expect(isSameTemplate(a, withHash(plain, "2"))).toBe(true);
  });
});

test("a hash is put on and taken off", () => {
  const hashed = withHash(plain, "123");
  expect(hashed.metadata?.labels).toEqual({ app: "web", "pod-template-hash": "123" });
  expect(withoutHash(hashed)).toEqual(plain);
  expect(withoutHash(plain)).toBe(plain);
});
