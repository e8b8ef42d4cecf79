// What the compiler knows about the client. Nothing here is run: a wrong type fails the build of the tests.
import { expectTypeOf, test } from "vitest";
import {
  certificateSigningRequests,
  deployments,
  namespaces,
  nodes,
  pods,
  serviceAccounts,
} from "../../api/generated/resources.ts";
import type {
  appsv1,
  authenticationv1,
  autoscalingv1,
  certificatesv1,
  corev1,
  KubernetesObject,
  metav1,
  PartialObjectMetadata,
  Table,
} from "../../api/index.ts";
import { defineResource } from "../../api/index.ts";
import { type Client, clientOf } from "../client.ts";
import type { BookmarkEvent, ErrorEvent, ObjectEvent } from "../streams/watch-event.ts";

const signal = new AbortController().signal;
const client: Client = clientOf(async () => {
  throw new Error("nobody is asked");
});
const shop = client.resource(pods).in("shop");
const web = client.resource(deployments).in("shop");

interface Widget extends KubernetesObject {
  readonly spec?: { readonly size: number; readonly color?: string };
}
const widgets = client.resource(
  defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" }),
);

test("verbs answer with the resource's type", () => {
  expectTypeOf(shop.get).returns.resolves.toEqualTypeOf<corev1.Pod>();
  expectTypeOf(shop.create).returns.resolves.toEqualTypeOf<corev1.Pod>();
  expectTypeOf(shop.update).returns.resolves.toEqualTypeOf<corev1.Pod>();
  expectTypeOf(shop.patch).returns.resolves.toEqualTypeOf<corev1.Pod>();
  expectTypeOf(web.apply).returns.resolves.toEqualTypeOf<appsv1.Deployment>();
  expectTypeOf(shop.delete).returns.resolves.toEqualTypeOf<corev1.Pod | metav1.Status>();
  expectTypeOf(shop.deleteCollection).returns.resolves.toEqualTypeOf<void>();
  expectTypeOf(shop.table).returns.resolves.toEqualTypeOf<Table>();
  expectTypeOf(widgets.in("a").get).returns.resolves.toEqualTypeOf<Widget>();
});

test("lists and watches give objects and events of that type", () => {
  expectTypeOf(shop.list(signal)).toExtend<AsyncIterable<corev1.Pod>>();
  expectTypeOf(shop.list(signal).toArray).returns.resolves.toEqualTypeOf<{
    readonly items: readonly corev1.Pod[];
    readonly metadata: metav1.ListMeta;
  }>();
  expectTypeOf(shop.watch(signal)).toExtend<AsyncIterable<ObjectEvent<corev1.Pod> | BookmarkEvent | ErrorEvent>>();
});

test("a create takes the resource's type and no other", () => {
  expectTypeOf(shop.create).parameter(0).toEqualTypeOf<corev1.Pod>();
  expectTypeOf<appsv1.Deployment>().not.toExtend<Parameters<typeof shop.create>[0]>();
});

test("subresources have types of their own", () => {
  expectTypeOf(web.subresource("scale").get).returns.resolves.toEqualTypeOf<autoscalingv1.Scale>();
  expectTypeOf(web.subresource("status").patch).returns.resolves.toEqualTypeOf<appsv1.Deployment>();
  expectTypeOf(shop.subresource("eviction").create).returns.resolves.toEqualTypeOf<metav1.Status>();
  expectTypeOf(shop.subresource("binding").create).returns.resolves.toEqualTypeOf<metav1.Status>();
  const token = client.resource(serviceAccounts).in("shop").subresource("token");
  expectTypeOf(token.create).returns.resolves.toEqualTypeOf<authenticationv1.TokenRequest>();
  const approval = client.resource(certificateSigningRequests).subresource("approval");
  expectTypeOf(approval.update).returns.resolves.toEqualTypeOf<certificatesv1.CertificateSigningRequest>();
  expectTypeOf(
    client.resource(namespaces).subresource("finalize").update,
  ).returns.resolves.toEqualTypeOf<corev1.Namespace>();
});

test("a subresource that is not there is a mistake", () => {
  // @ts-expect-error deployments have no eviction
  web.subresource("eviction");
  // @ts-expect-error nodes have no scale
  client.resource(nodes).subresource("scale");
  // Whoever defines a resource without naming its subresources may ask for any.
  expectTypeOf(widgets.subresource("scale").get).returns.resolves.toEqualTypeOf<KubernetesObject>();
});

test("a subresource takes the type it answers with", () => {
  type ScaleBody = Parameters<ReturnType<typeof web.subresource<"scale">>["update"]>[1];
  expectTypeOf<autoscalingv1.Scale>().toExtend<ScaleBody>();
  expectTypeOf<{ apiVersion: "autoscaling/v1"; kind: "Scale"; spec: { replicas: number } }>().toExtend<ScaleBody>();
  expectTypeOf<appsv1.Deployment>().not.toExtend<ScaleBody>();
});

test("an apply takes parts of a spec, but a name", () => {
  type Applied = Parameters<typeof web.apply>[0];
  interface Identity {
    readonly apiVersion: "apps/v1";
    readonly kind: "Deployment";
    readonly metadata: { readonly name: string };
  }
  expectTypeOf<Identity & { spec: { replicas: number } }>().toExtend<Applied>();
  expectTypeOf<Identity>().toExtend<Applied>();
  expectTypeOf<Identity & { spec: { template: { spec: { containers: { name: string }[] } } } }>().toExtend<Applied>();
  expectTypeOf<Identity & { spec: { replicas: string } }>().not.toExtend<Applied>();
  expectTypeOf<Omit<Identity, "metadata"> & { metadata: { labels: Record<string, string> } }>().not.toExtend<Applied>();
  type AppliedWidget = Parameters<typeof widgets.apply>[0];
  expectTypeOf<{
    apiVersion: "v";
    kind: "Widget";
    metadata: { name: "a" };
    spec: { color: "red" };
  }>().toExtend<AppliedWidget>();
  expectTypeOf<{ force: true }>().toExtend<Parameters<typeof web.apply>[1]>();
});

test("where only metadata is seen, nothing whole can be written", () => {
  const metadata = client.metadata(pods).in("shop");
  expectTypeOf(metadata.get).returns.resolves.toEqualTypeOf<PartialObjectMetadata>();
  expectTypeOf(metadata).toHaveProperty("watch");
  expectTypeOf(metadata).not.toHaveProperty("create");
  expectTypeOf(metadata).not.toHaveProperty("update");
});

test("every call takes a signal, last", () => {
  // @ts-expect-error no signal
  expectTypeOf(shop.get).toBeCallableWith("web");
  expectTypeOf(shop.get).toBeCallableWith("web", signal);
  expectTypeOf(shop.get).toBeCallableWith("web", { resourceVersion: "0" }, signal);
});
