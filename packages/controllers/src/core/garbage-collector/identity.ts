// How an object is named by those who refer to it: apiVersion, kind, name and uid of an owner reference, and the namespace of the one that
// refers. A uid alone does not say where to look; references to one uid may disagree about the rest, and all but one of them are wrong then.
import { type metav1, objectKeyOf, type Resource } from "@kubeloop/core/api";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Whoever refers to an owner in its own namespace. */
export interface Dependent {
  readonly identity: Identity;
  readonly owners: readonly metav1.OwnerReference[];
}

export function referredIdentity(reference: metav1.OwnerReference, namespace: string): Identity {
  const { apiVersion, kind, name, uid } = reference;
  return { apiVersion, kind, namespace, name, uid };
}

export function isSameIdentity(one: Identity, other: Identity): boolean {
  return one.namespace === other.namespace && isReferenceTo(one, other);
}

/** Whether the reference names this object by all that references have. */
export function isReferenceTo(reference: Omit<Identity, "namespace">, identity: Identity): boolean {
  const { uid, name, kind, apiVersion } = identity;
  return (
    reference.uid === uid && reference.name === name && reference.kind === kind && reference.apiVersion === apiVersion
  );
}

/** One text for each identity. */
export function identityId({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return [apiVersion, kind, namespace, name, uid].join("\u0000");
}

/** As upstream's events print it. */
export function printIdentity({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** The key under which the server has it. */
export function keyIn(resource: Resource, { namespace, name }: Pick<Identity, "namespace" | "name">): string {
  return objectKeyOf(resource.namespaced ? namespace : "", name);
}

/**
 * Divides the dependents of a uid: those with a reference that names this identity, and those with one that names the uid otherwise. One
 * with several references may be both.
 */
export function partitionDependents<D extends Dependent>(
  dependents: Iterable<D>,
  identity: Identity,
): { readonly matching: readonly D[]; readonly nonmatching: readonly D[] } {
  const matching: D[] = [];
  const nonmatching: D[] = [];
  for (const dependent of dependents) {
    if (identity.namespace !== "" && identity.namespace !== dependent.identity.namespace) {
      nonmatching.push(dependent);
      continue;
    }
    const references = dependent.owners.filter(({ uid }) => uid === identity.uid);
    if (references.some((reference) => isReferenceTo(reference, identity))) matching.push(dependent);
    if (references.some((reference) => !isReferenceTo(reference, identity))) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/**
 * Another identity under which these dependents refer to the uid: in order, the first after the absent one, or the first of all, so that
 * each has its turn. Undefined when there is no other.
 */
export function alternateIdentity(dependents: Iterable<Dependent>, absent: Identity): Identity | undefined {
  let first: Identity | undefined;
  let next: Identity | undefined;
  for (const { identity, owners } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const other = withKnownScope(referredIdentity(reference, identity.namespace), absent);
      if (isSameIdentity(other, absent)) continue;
      if (first === undefined || compareIdentities(other, first) < 0) first = other;
      const isNext = compareIdentities(absent, other) < 0;
      if (isNext && (next === undefined || compareIdentities(other, next) < 0)) next = other;
    }
  }
  return next ?? first;
}

/** The absent one shows whether its kind is cluster-scoped. */
function withKnownScope(identity: Identity, { namespace, apiVersion, kind }: Identity): Identity {
  const isClusterScoped = namespace === "" && identity.apiVersion === apiVersion && identity.kind === kind;
  return isClusterScoped ? { ...identity, namespace: "" } : identity;
}

const inOrder = ["kind", "apiVersion", "namespace", "name", "uid"] as const;

/** Kinds before namespaces, so that the order of kinds does not depend on their scope. */
function compareIdentities(one: Identity, other: Identity): number {
  for (const field of inOrder) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}
