import { describe, expect, test } from "vitest";
import { configMaps, deployments, nodes } from "../../api/generated/resources.ts";
import { defineDefaulter, defineValidator } from "./admission-webhook.ts";
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  webhookConversion,
} from "./webhook-manifests.ts";

const defaults = defineDefaulter({ name: "maps.defaults.example.com", resource: configMaps, default: () => undefined });
const rules = defineValidator({
  name: "deployments.rules.example.com",
  resource: deployments,
  subresources: ["scale"],
  failurePolicy: "Ignore",
  timeoutSeconds: 3,
  namespaceSelector: { matchLabels: { team: "shop" } },
  create: () => undefined,
  delete: () => undefined,
});
const webhooks = [defaults, rules];
const address = { service: { namespace: "system", name: "webhooks" }, caPem: "PEM" };

describe("a configuration", () => {
  test("of what mutates, with everything said that has a default", () => {
    expect(mutatingWebhookConfiguration({ name: "mine", webhooks, address })).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "mine" },
      webhooks: [
        {
          name: "maps.defaults.example.com",
          admissionReviewVersions: ["v1"],
          clientConfig: {
            service: { namespace: "system", name: "webhooks", port: 443, path: "/mutate--v1-configmap" },
            caBundle: "UEVN",
          },
          rules: [
            {
              operations: ["CREATE", "UPDATE"],
              apiGroups: [""],
              apiVersions: ["v1"],
              resources: ["configmaps"],
              scope: "Namespaced",
            },
          ],
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          sideEffects: "None",
          timeoutSeconds: 10,
          reinvocationPolicy: "Never",
        },
      ],
    });
  });

  test("of what validates: the operations it has functions for, and what it was told", () => {
    const url = "https://192.0.2.1:9443/";
    const labels = { app: "mine" };
    expect(validatingWebhookConfiguration({ name: "mine", webhooks, address: { url }, labels })).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "mine", labels },
      webhooks: [
        {
          name: "deployments.rules.example.com",
          admissionReviewVersions: ["v1"],
          clientConfig: { url: "https://192.0.2.1:9443/validate-apps-v1-deployment" },
          rules: [
            {
              operations: ["CREATE", "DELETE"],
              apiGroups: ["apps"],
              apiVersions: ["v1"],
              resources: ["deployments", "deployments/scale"],
              scope: "Namespaced",
            },
          ],
          failurePolicy: "Ignore",
          matchPolicy: "Equivalent",
          sideEffects: "None",
          timeoutSeconds: 3,
          namespaceSelector: { matchLabels: { team: "shop" } },
        },
      ],
    });
  });

  test("of subresources only, and of what lives in no namespace", () => {
    const status = defineValidator({
      name: "nodes.status.example.com",
      resource: nodes,
      subresources: { only: ["status"] },
      update: () => undefined,
    });
    const { webhooks: made } = validatingWebhookConfiguration({ name: "mine", webhooks: [status], address });
    expect(made?.[0]?.rules).toEqual([
      { operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["nodes/status"], scope: "Cluster" },
    ]);
  });

  test("has each name once", () => {
    const twice = [defaults, { ...defaults, path: "/other" }];
    expect(() => mutatingWebhookConfiguration({ name: "mine", webhooks: twice, address })).toThrow(
      "mine has two webhooks called maps.defaults.example.com",
    );
  });
});

test("the conversion of a custom resource", () => {
  expect(webhookConversion({ service: { namespace: "system", name: "webhooks", port: 9443 } })).toEqual({
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { service: { namespace: "system", name: "webhooks", port: 9443, path: "/convert" } },
    },
  });
});
