// `/scale`: the one number autoscalers and `kubectl scale` care for, in the same shape for every kind that has it.
import {
  type autoscalingv1,
  childPath,
  fieldPath,
  invalidFault,
  type KubernetesObject,
  newBadRequest,
  newInvalid,
  newNotFound,
} from "@kubeloop/core/api";
import { noAdmission } from "../../../admission/chain.ts";
import type { Draft, ScaleRules } from "../../../kinds/kind-rules.ts";
import { printAge } from "../../../kinds/shared/print-age.ts";
import type { Answer } from "../../../wire/answer.ts";
import { checkKind } from "../../../wire/decode/index.ts";
import { scaleKind } from "../../../wire/meta-kinds.ts";
import type { Presentation } from "../../../wire/presentation.ts";
import { type WriteOptions, writeOptionsOf } from "../../options/request-options.ts";
import { admitAndValidate } from "../../registry/admission-attributes.ts";
import { decodePlain } from "../../registry/decode-value.ts";
import { guaranteedUpdate, staleVersion } from "../../registry/guaranteed-update.ts";
import { checkUid, decideUpdate, matchName } from "../../registry/update-object.ts";
import { type ServerParts, storageKeyOf } from "../../registry/write-context.ts";
import { applyPatch, decodedPatch, parsePatch, patchKindOf, reportStrictFaults } from "../apply-patch.ts";
import { readPlain } from "../read-object.ts";
import type { RequestScope } from "../request-scope.ts";

export const scaleVerbs = { get: getScale, update: updateScale, patch: patchScale };

async function getScale(scope: RequestScope): Promise<Answer> {
  const object = await scope.server.storage.get(storageKeyOf(scope, scope.info.name));
  if (object === undefined) throw newNotFound(scope.served.groupResource, scope.info.name);
  return answerOf(scope, scaleOf(object, rulesOf(scope)));
}

async function updateScale(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "UpdateOptions");
  const scale = (await readPlain(scope, scaleKind, options)) as unknown as autoscalingv1.Scale;
  matchName(scope, { metadata: { name: scale.metadata?.name ?? "" } });
  return setScale(scope, options, () => scale);
}

async function patchScale(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "PatchOptions");
  const parsed = await parsePatch(scope, patchKindOf(scope));
  return setScale(scope, options, (current, parent) => {
    const patched = applyPatch(current as KubernetesObject, parsed, scaleKind);
    const decode = (value: unknown) => {
      if (parsed.kind !== "strategic") checkKind(value, scaleKind);
      const { draft, strictFaults } = decodePlain(value, scaleKind);
      reportStrictFaults(scope, [...parsed.strictFaults, ...strictFaults], options);
      return draft as unknown as autoscalingv1.Scale;
    };
    return decodedPatch(parsed, patched, decode, { codec: scaleKind, shown: withManagers(current, parent) });
  });
}

async function setScale(
  scope: RequestScope,
  options: WriteOptions,
  newScale: (current: autoscalingv1.Scale, parent: KubernetesObject) => autoscalingv1.Scale,
): Promise<Answer> {
  const { served, info } = scope;
  const rules = rulesOf(scope);
  const plain = { ...scope, subresource: undefined, server: recordingAs(scope) };
  const { object } = await guaranteedUpdate(
    plain,
    storageKeyOf(scope, info.name),
    async (current) => {
      if (current === undefined) throw newNotFound(served.groupResource, info.name);
      const oldScale = scaleOf(current, rules);
      const scale = newScale(oldScale, current);
      checkScale(scope, scale, current);
      await admitAndValidate(scope, {
        operation: "UPDATE",
        kind: scaleKind,
        object: scale as unknown as Draft<KubernetesObject>,
        oldObject: oldScale as unknown as KubernetesObject,
        options,
        isDryRun: options.isDryRun,
      });
      const draft = structuredClone(current) as Draft<KubernetesObject>;
      rules.setReplicas(draft, scale.spec?.replicas ?? 0);
      return decideUpdate(plain, draft, current, options);
    },
    options,
  );
  return answerOf(scope, scaleOf(object, rules));
}

/** The object changes as by any update, but it is remembered through which subresource; and it is the Scale that is admitted, not the object. */
function recordingAs(scope: RequestScope): ServerParts {
  const { fieldManagers } = scope.server;
  const record: typeof fieldManagers.record = ({ draft, old, manager }) =>
    fieldManagers.record({
      context: scope,
      draft: asScaled(draft),
      old: old === undefined ? undefined : (asScaled(old) as KubernetesObject),
      manager,
    });
  return { ...scope.server, fieldManagers: { ...fieldManagers, record }, admission: noAdmission };
}

/** A Scale of nothing does not say so: whoever sets it to nothing takes the number away from all, and does not get it. */
function asScaled(object: Draft<KubernetesObject> | KubernetesObject): Draft<KubernetesObject> {
  const { spec, ...rest } = object as Draft<KubernetesObject> & { spec?: { replicas?: number } };
  if (spec?.replicas !== 0) return object as Draft<KubernetesObject>;
  const { replicas: _none, ...others } = spec;
  return { ...rest, spec: others } as Draft<KubernetesObject>;
}

/** As a patch sees it: with those who manage the number. */
function withManagers(scale: autoscalingv1.Scale, { metadata }: KubernetesObject): KubernetesObject {
  const managedFields = (metadata.managedFields ?? []).flatMap(({ fieldsV1, subresource, ...entry }) => {
    const fields = fieldsV1 as { readonly "f:spec"?: { readonly "f:replicas"?: object } } | undefined;
    if (fields?.["f:spec"]?.["f:replicas"] === undefined) return [];
    const own = { ...entry, apiVersion: "autoscaling/v1", fieldsV1: { "f:spec": { "f:replicas": {} } } };
    return [subresource === undefined ? own : { ...own, subresource }];
  });
  return { ...scale, metadata: { ...scale.metadata, managedFields } } as KubernetesObject;
}

function answerOf({ served }: RequestScope, scale: autoscalingv1.Scale): Answer {
  const presentation = scalePresentation(served.presentation);
  return { kind: "object", code: 200, object: scale as KubernetesObject, presentation };
}

/** A Scale has a table of its own; its first and last column are every kind's. */
function scalePresentation({ resource, columns }: Presentation): Presentation {
  const own = { type: "integer", format: "", priority: 0 };
  const { group, version, kind, apiVersion } = scaleKind;
  return {
    resource: { ...resource, group, version, kind, apiVersion },
    codec: scaleKind,
    columns: [
      ...columns.filter(({ name }) => name === "Name").map((column) => ({ ...column, format: "" })),
      { ...own, name: "Desired", description: "replicas is the desired number of instances for the scaled object." },
      {
        ...own,
        name: "Available",
        description: "replicas is the actual number of observed instances of the scaled object.",
      },
      ...columns.filter(({ name }) => name === "Age"),
    ],
    toServed: (object) => object,
    storedOf: (object) => object,
    printRow: (object, { nowMs }) => {
      const { metadata, spec, status } = object as autoscalingv1.Scale;
      return [metadata?.name, spec?.replicas ?? 0, status?.replicas ?? 0, printAge(metadata?.creationTimestamp, nowMs)];
    },
  };
}

function checkScale(scope: RequestScope, { metadata, spec }: autoscalingv1.Scale, current: KubernetesObject): void {
  const { name = "", namespace = "", resourceVersion = "" } = metadata ?? {};
  matchName(scope, { metadata: { name } });
  checkUid(scope, { metadata: metadata ?? {} }, current);
  if (namespace !== "" && namespace !== scope.info.namespace) {
    throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (resourceVersion !== "" && resourceVersion !== current.metadata.resourceVersion) {
    throw staleVersion(scope, scope.info.name);
  }
  if ((spec?.replicas ?? 0) >= 0) return;
  const path = childPath(fieldPath("spec"), "replicas");
  const faults = [invalidFault(path, spec?.replicas, "must be greater than or equal to 0")];
  throw newInvalid({ group: "autoscaling", kind: "Scale" }, name, { faults });
}

function rulesOf({ served }: RequestScope): ScaleRules<KubernetesObject> {
  const { scale } = served.rules;
  if (scale === undefined) throw newNotFound(served.groupResource, "scale");
  return scale;
}

function scaleOf(object: KubernetesObject, rules: ScaleRules<KubernetesObject>): autoscalingv1.Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = rules.replicasOf(object);
  const selector = rules.selectorOf(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: rules.statusReplicasOf(object), ...(selector === "" ? {} : { selector }) },
  } as autoscalingv1.Scale;
}
