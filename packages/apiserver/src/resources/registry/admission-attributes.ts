// The attributes of a write, as admission plugins see it.
import { type GroupVersionKind, type KubernetesObject, printGroupVersion } from "@kubeloop/core/api";
import type { AdmissionAttributes, Operation } from "../../admission/attributes.ts";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { WriteContext } from "./write-context.ts";

export interface AdmittedWrite {
  readonly operation: Operation;
  /** Of the object; the resource's own unless given. */
  readonly kind?: GroupVersionKind;
  readonly object?: Draft<KubernetesObject> | undefined;
  readonly oldObject?: KubernetesObject | undefined;
  readonly options?: object;
  readonly isDryRun?: boolean;
}

export function admissionAttributesOf(context: WriteContext, write: AdmittedWrite): AdmissionAttributes {
  const { served, subresource, namespace, user, warnings, signal } = context;
  const { group, version, plural } = served.resource;
  const { operation, kind = served.resource, object, oldObject, options, isDryRun = false } = write;
  return {
    operation,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group, version, resource: plural },
    subresource: subresource?.name ?? "",
    namespace,
    get name() {
      // A name may be generated between `admit` and `validate`.
      return context.name === "" ? (object?.metadata?.name ?? "") : context.name;
    },
    options,
    isDryRun,
    user,
    object,
    oldObject,
    signal,
    addWarning: (text) => warnings.add(text),
  };
}

/** For what is never stored as it is (Binding, Eviction, reviews, options of a connection): both phases, one after the other. */
export async function admitAndValidate(context: WriteContext, write: AdmittedWrite): Promise<void> {
  const attributes = admissionAttributesOf(context, write);
  await context.server.admission.admit(attributes);
  await context.server.admission.validate(attributes);
}

/** An object of options, as a CONNECT request has instead of a body. */
export function optionsObject(kind: GroupVersionKind, fields: object): Draft<KubernetesObject> {
  return { kind: kind.kind, apiVersion: printGroupVersion(kind), ...fields } as unknown as Draft<KubernetesObject>;
}
