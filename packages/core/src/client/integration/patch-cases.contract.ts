// All kinds of patch, server-side apply, and what a status is separated by.
import { expect } from "vitest";
import { configMaps, deployments, pods } from "../../api/generated/resources.ts";
import { findStatusCause, isConflict, isInvalid, isNotFound, isUnsupportedMediaType } from "../../api/index.ts";
import type { ClientCase } from "./client-suite.contract.ts";
import { configMap, deployment, haveWidgets, pod, refusal, widget } from "./objects.contract.ts";

const patches: readonly ClientCase[] = [
  {
    name: "a JSON patch changes what it names, if its tests hold",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const annotations = { "kubeloop.dev/x": "1", z: "1" };
      await maps.create({ ...configMap("a"), metadata: { name: "a", annotations } }, signal);
      const patch = (value: string) =>
        maps.patch(
          "a",
          {
            type: "json",
            operations: [
              { op: "test", path: "/metadata/annotations/kubeloop.dev~1x", value },
              { op: "replace", path: "/metadata/annotations/kubeloop.dev~1x", value: "2" },
              { op: "remove", path: "/metadata/annotations/z" },
            ],
          },
          signal,
        );
      expect(isInvalid(await refusal(patch("other")))).toBe(true);
      expect((await maps.get("a", signal)).metadata.annotations).toEqual(annotations);
      expect((await patch("1")).metadata.annotations).toEqual({ "kubeloop.dev/x": "2" });
    },
  },
  {
    name: "a merge patch removes by null and replaces lists",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const finalizers = ["kubeloop.dev/a", "kubeloop.dev/b"];
      await maps.create({ ...configMap("a", { x: "1", y: "1" }), metadata: { name: "a", finalizers } }, signal);
      const body = { data: { x: null, z: "2" }, metadata: { finalizers: ["kubeloop.dev/b"] } };
      const patched = await maps.patch("a", { type: "merge", body }, signal);
      expect([patched.data, patched.metadata.finalizers]).toEqual([{ y: "1", z: "2" }, ["kubeloop.dev/b"]]);
    },
  },
  {
    name: "a strategic patch merges lists by their keys",
    async run({ client, namespace, signal }) {
      const here = client.resource(deployments).in(namespace);
      await here.create(deployment("web"), signal);
      const containers = [{ name: "side", image: "example.invalid/side" }];
      const strategic = { type: "strategic", body: { spec: { template: { spec: { containers } } } } } as const;
      const both = await here.patch("web", strategic, signal);
      expect(both.spec?.template.spec?.containers.map(({ name }) => name).sort()).toEqual(["main", "side"]);
      const image = [
        { name: "main", image: "example.invalid/new" },
        { name: "side", $patch: "delete" },
      ];
      const body = { spec: { template: { spec: { containers: image } } } };
      const one = await here.patch("web", { type: "strategic", body }, signal);
      expect(one.spec?.template.spec?.containers).toMatchObject([{ name: "main", image: "example.invalid/new" }]);
    },
  },
  {
    name: "custom resources take JSON and merge patches, no strategic ones",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      await widgets.create(widget("a", { size: 1, color: "red" }), signal);
      const merged = await widgets.patch("a", { type: "merge", body: { spec: { color: null } } }, signal);
      expect(merged.spec).toEqual({ size: 1 });
      const operations = [{ op: "replace", path: "/spec/size", value: 2 }] as const;
      expect((await widgets.patch("a", { type: "json", operations }, signal)).spec).toEqual({ size: 2 });
      const strategic = widgets.patch("a", { type: "strategic", body: { spec: { size: 3 } } }, signal);
      expect(isUnsupportedMediaType(await refusal(strategic))).toBe(true);
    },
  },
];

const applies: readonly ClientCase[] = [
  {
    name: "an apply creates, owns and gives up fields",
    needs: ["apply"],
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const mine = { fieldManager: "mine" };
      const created = await maps.apply(configMap("a", { x: "1", y: "1" }), mine, signal);
      expect(created.metadata.managedFields).toMatchObject([{ manager: "mine", operation: "Apply" }]);
      await maps.apply(configMap("a", { z: "1" }), { fieldManager: "yours" }, signal);
      expect((await maps.apply(configMap("a", { x: "2" }), mine, signal)).data).toEqual({ x: "2", z: "1" });
    },
  },
  {
    name: "an apply to another's field is a conflict that says whose, unless forced",
    needs: ["apply"],
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      await maps.apply(configMap("a", { x: "1" }), { fieldManager: "mine" }, signal);
      const refused = await refusal(maps.apply(configMap("a", { x: "2" }), { fieldManager: "yours" }, signal));
      expect(isConflict(refused)).toBe(true);
      expect(findStatusCause(refused, "FieldManagerConflict")).toMatchObject({ field: ".data.x" });
      expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "mine": .data.x');
      const forced = await maps.apply(configMap("a", { x: "2" }), { fieldManager: "yours", force: true }, signal);
      expect([forced.data, forced.metadata.managedFields?.map(({ manager }) => manager)]).toEqual([
        { x: "2" },
        ["yours"],
      ]);
    },
  },
  {
    name: "an apply takes parts of a spec, and merges lists by their keys",
    needs: ["apply"],
    async run({ client, namespace, signal }) {
      const here = client.resource(deployments).in(namespace);
      await here.create(deployment("web"), signal);
      const identity = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } } as const;
      const containers = [{ name: "side", image: "example.invalid/side" }];
      const applied = await here.apply(
        { ...identity, spec: { template: { spec: { containers } } } },
        { fieldManager: "mine" },
        signal,
      );
      expect(applied.spec?.template.spec?.containers.map(({ name }) => name).sort()).toEqual(["main", "side"]);
      expect(applied.spec?.replicas).toBe(1);
    },
  },
  {
    name: "custom resources can be applied",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      const applied = { ...widget("a", { color: "red" }), metadata: { name: "a" } };
      await widgets.apply(applied, { fieldManager: "mine" }, signal);
      const other = { ...widget("a", { size: 3 }), metadata: { name: "a" } };
      expect((await widgets.apply(other, { fieldManager: "yours" }, signal)).spec).toEqual({ color: "red", size: 3 });
    },
  },
];

const statuses: readonly ClientCase[] = [
  {
    name: "update leaves the status alone, updateStatus all else",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      const created = await widgets.create({ ...widget("a", { size: 1 }), status: { ready: 7 } }, signal);
      expect(created.status).toBeUndefined();
      const changed = { ...created, spec: { size: 2 }, status: { ready: 1 } };
      const withStatus = await widgets.updateStatus(changed, signal);
      expect([withStatus.spec, withStatus.status, withStatus.metadata.generation]).toEqual([
        { size: 1 },
        { ready: 1 },
        1,
      ]);
      const updated = await widgets.update({ ...withStatus, spec: { size: 3 }, status: { ready: 9 } }, signal);
      expect([updated.spec, updated.status, updated.metadata.generation]).toEqual([{ size: 3 }, { ready: 1 }, 2]);
      expect(isConflict(await refusal(widgets.updateStatus(changed, signal)))).toBe(true);
    },
  },
  {
    name: "a status is patched and applied on its own",
    needs: ["apply"],
    async run({ client, namespace, signal }) {
      const podsHere = client.resource(pods).in(namespace);
      await podsHere.create(pod("a"), signal);
      const body = { status: { phase: "Running" }, spec: { activeDeadlineSeconds: 5 } };
      const patched = await podsHere.subresource("status").patch("a", { type: "strategic", body }, signal);
      expect([patched.status?.phase, patched.spec.activeDeadlineSeconds]).toEqual(["Running", undefined]);
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      const applied = { ...widget("a", undefined), metadata: { name: "a" }, status: { ready: 4 } };
      const early = widgets.applyStatus(applied, { fieldManager: "mine" }, signal);
      expect(isNotFound(await refusal(early))).toBe(true);
      await widgets.create(widget("a", { size: 1 }), signal);
      const answer = await widgets.applyStatus(applied, { fieldManager: "mine" }, signal);
      expect([answer.spec, answer.status]).toEqual([{ size: 1 }, { ready: 4 }]);
    },
  },
];

export const patchCases: readonly ClientCase[] = [...patches, ...applies, ...statuses];
