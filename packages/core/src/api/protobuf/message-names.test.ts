import { describe, expect, test } from "vitest";
import { hasProtobuf, loadProtobuf } from "./index.ts";

const { messageOfKind } = await loadProtobuf();
const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";

describe("a kind and its message", () => {
  for (const [apiVersion, kind, message] of [
    ["v1", "Pod", "k8s.io.api.core.v1.Pod"],
    ["v1", "PodList", "k8s.io.api.core.v1.PodList"],
    ["apps/v1", "Deployment", "k8s.io.api.apps.v1.Deployment"],
    ["autoscaling/v1", "Scale", "k8s.io.api.autoscaling.v1.Scale"],
    ["policy/v1", "Eviction", "k8s.io.api.policy.v1.Eviction"],
    ["v1", "Binding", "k8s.io.api.core.v1.Binding"],
    ["authentication.k8s.io/v1", "TokenRequest", "k8s.io.api.authentication.v1.TokenRequest"],
    ["authorization.k8s.io/v1", "SelfSubjectAccessReview", "k8s.io.api.authorization.v1.SelfSubjectAccessReview"],
    [
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    ],
    ["apiregistration.k8s.io/v1", "APIService", "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIService"],
    ["v1", "Status", `${meta}.Status`],
    ["v1", "APIResourceList", `${meta}.APIResourceList`],
    ["v1", "DeleteOptions", `${meta}.DeleteOptions`],
    ["apps/v1", "DeleteOptions", `${meta}.DeleteOptions`],
    ["authentication.k8s.io/v1", "DeleteOptions", `${meta}.DeleteOptions`],
    ["example.com/v1", "DeleteOptions", `${meta}.DeleteOptions`],
    ["meta.k8s.io/v1", "PartialObjectMetadata", `${meta}.PartialObjectMetadata`],
    ["meta.k8s.io/v1beta1", "PartialObjectMetadata", `${meta}.PartialObjectMetadata`],
    ["meta.k8s.io/v1", "PartialObjectMetadataList", `${meta}.PartialObjectMetadataList`],
    ["meta.k8s.io/v1beta1", "PartialObjectMetadataList", `${meta}beta1.PartialObjectMetadataList`],
    ["", "APIVersions", `${meta}.APIVersions`],
    ["", "APIResourceList", `${meta}.APIResourceList`],
  ] as const) {
    test(`${apiVersion || "no version"} ${kind}`, () => {
      expect(messageOfKind({ apiVersion, kind })).toBe(message);
      // Asked twice: the second answer is a remembered one.
      expect(messageOfKind({ apiVersion, kind })).toBe(message);
      expect(hasProtobuf(apiVersion, kind)).toBe(true);
    });
  }

  for (const [apiVersion, kind] of [
    ["meta.k8s.io/v1", "Table"],
    ["v1", "PartialObjectMetadata"],
    ["meta.k8s.io/v2", "PartialObjectMetadata"],
    ["example.com/v1", "Widget"],
    ["apps/v1beta1", "Deployment"],
    ["apps/v1", "Pod"],
    ["", ""],
    ["", "Pod"],
    ["v1", "PartialObjectMetadataList"],
    ["v1", "constructor"],
    ["__proto__", "toString"],
  ] as const) {
    test(`${apiVersion || "no version"} ${kind || "no kind"} has none`, () => {
      expect(messageOfKind({ apiVersion, kind })).toBeUndefined();
      expect(hasProtobuf(apiVersion, kind)).toBe(false);
    });
  }
});
