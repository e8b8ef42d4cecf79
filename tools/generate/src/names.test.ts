import { expect, test } from "vitest";
import { camelPlural, compareVersions, homeOf, tableName } from "./names.ts";

for (const [name, folder, version, alias, type] of [
  ["io.k8s.api.core.v1.Pod", "core", "v1", "corev1", "Pod"],
  ["io.k8s.api.apps.v1.Deployment", "apps", "v1", "appsv1", "Deployment"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "meta", "v1", "metav1", "ObjectMeta"],
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", "meta", "v1", "metav1", "Quantity"],
  ["io.k8s.apimachinery.pkg.version.Info", "meta", "v1", "metav1", "VersionInfo"],
  [
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
    ...["apiextensions", "v1", "apiextensionsv1", "JSON"],
  ],
  ["com.example.stable.v1beta1.Widget", "stable.example.com", "v1beta1", "stableExampleComv1beta1", "Widget"],
] as const) {
  test(`${name} is ${alias}.${type}`, () => expect(homeOf(name)).toMatchObject({ folder, version, alias, type }));
}

for (const [kind, plural, constant] of [
  ["Pod", "pods", "pods"],
  ["ReplicaSet", "replicasets", "replicaSets"],
  ["NetworkPolicy", "networkpolicies", "networkPolicies"],
  ["Endpoints", "endpoints", "endpoints"],
  ["Ingress", "ingresses", "ingresses"],
  ["CSIDriver", "csidrivers", "csiDrivers"],
  ["APIService", "apiservices", "apiServices"],
  ["IPAddress", "ipaddresses", "ipAddresses"],
  ["ServiceCIDR", "servicecidrs", "serviceCIDRs"],
] as const) {
  test(`${plural} of ${kind} are called ${constant}`, () => expect(camelPlural(kind, plural)).toBe(constant));
}

test("versions are ordered best first", () => {
  const versions = ["v1alpha1", "v1", "v2beta1", "v2", "v1beta2", "v1beta1", "odd", "v11"];
  expect(versions.sort(compareVersions)).toEqual([
    ...["v11", "v2", "v1", "v2beta1", "v1beta2", "v1beta1", "v1alpha1", "odd"],
  ]);
});

test("the table shortens versioned names only", () => {
  expect(tableName("io.k8s.api.core.v1.Pod")).toBe("core.v1.Pod");
  expect(tableName("io.k8s.apimachinery.pkg.version.Info")).toBe("io.k8s.apimachinery.pkg.version.Info");
});
