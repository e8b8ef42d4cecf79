// Bindings in tables: the role, and in wide ones all who have it.
import type { metav1, rbacv1 } from "@kubeloop/core/api";
import type { PrintContext } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";

interface Binding {
  readonly metadata: metav1.ObjectMeta;
  readonly roleRef: rbacv1.RoleRef;
  readonly subjects?: readonly rbacv1.Subject[];
}

export function printBinding({ metadata, roleRef, subjects = [] }: Binding, { nowMs }: PrintContext): unknown[] {
  const named = (kind: string, nameOf = ({ name }: rbacv1.Subject) => name) =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(nameOf)
      .join(", ");
  return [
    metadata.name,
    `${roleRef.kind}/${roleRef.name}`,
    printAge(metadata.creationTimestamp, nowMs),
    named("User"),
    named("Group"),
    named("ServiceAccount", accountName),
  ];
}

const accountName = ({ namespace = "", name }: rbacv1.Subject) => `${namespace}/${name}`;
