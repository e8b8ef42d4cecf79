// What is particular to a kind. Everything else (storage, verbs, patches, options, encodings) is generic and asks these rules at
// the right moment; a kind without rules gets the structural checks of its schema only. One folder per group, one file per kind.
//
// Rules are pure but for their draft: `defaults` and the `prepare…` functions change the object they are given, which belongs to
// the request and to nobody else. They do no I/O: what needs other objects (quota, addresses) is asked for by the generic code.
//
// The order for a write: decode to the schema's normal form → `defaults` → `prepareCreate`/`prepareUpdate` → `validate`… →
// `warnings`. Old objects are frozen and defaulted.
import type { Fault, KubernetesObject, Resource } from "@kubeloop/core/api";

/** The same type, to be written to: readonly taken off, all the way down. */
export type Draft<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

/** What a rule may know about the request beside the objects. */
export interface RuleContext {
  /** Wall time. */
  readonly nowMs: number;
  readonly user: RequestUser;
  readonly isDryRun: boolean;
}

export interface RequestUser {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What is wrong with a name, as upstream says it; empty when it is right. `asPrefix` for a generateName. */
export type NameCheck = (name: string, asPrefix: boolean) => readonly string[];

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface KindRules<T extends KubernetesObject = KubernetesObject> {
  /** In the version it is stored in. */
  readonly resource: Resource<T>;
  /** The same objects under other versions. Those given are stored under the first resource. */
  readonly otherVersions?: readonly ServedVersion<T>[];
  /** A DNS-1123 subdomain unless given. */
  checkName?(...of: [...Parameters<NameCheck>, object: T]): readonly string[];
  /** A Warning for every request, whatever it is and comes to. */
  readonly deprecation?: string;

  /** Changes since the version before; in place. Must be idempotent. Throws 400 where the version that is not shown could not hold it. */
  defaults?(draft: Draft<T>): void;
  /** On create: drops what clients may not set (`status` is dropped by the generic code), computes what the server knows. */
  prepareCreate?(draft: Draft<T>, context: RuleContext): void;
  /** On update of the main resource; `status` is already the old one where the kind has a status subresource. */
  prepareUpdate?(draft: Draft<T>, old: T, context: RuleContext): void;
  /** All faults at once, without those of metadata, which are checked for all kinds. Not called for updates: see below. */
  validate?(object: T, context: RuleContext): readonly Fault[];
  /** Also everything `validate` would say. Without it: `validate` of the new object. */
  validateUpdate?(object: T, old: T, context: RuleContext): readonly Fault[];
  /** As Warning headers. `old` is undefined on create. */
  warnings?(object: T, old: T | undefined): readonly string[];

  /** "spec": 1 at first, raised when anything but metadata and status changes; "none": not tracked (as given on create, never
   * changed after). A function says whether this change raises it. */
  readonly generation?: "spec" | "none" | GenerationCheck<T>["isRaised"];
  /** PUT of what does not exist creates it. False unless given. */
  readonly createsOnUpdate?: boolean;
  /** A write without resourceVersion is refused. False unless given. */
  readonly needsVersionOnUpdate?: boolean;
  /** Whether a create keeps the status that came with it (Node). */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether its own rules look at the metadata of a new one, before everybody's do, which find less and only speak if nobody else did.
   * They do unless given. */
  readonly metadataOnCreate?: "passed over";
  /** How its own rules look at metadata when it changes, after everybody's have: at what changed unless given. */
  readonly metadataOnUpdate?: readonly MetadataLook[];
  /** Whether its own rules let finalizers have any name, and not only one that says whose it is. */
  readonly finalizerNames?: "any";
  /** By subresource ("" is the object itself): what writes through that subresource leave as it is, and so nobody comes to manage. The status
   * for the object itself and the spec for its status unless given; nothing for other subresources. */
  readonly untouched?: Readonly<Record<string, readonly (readonly string[])[]>>;

  readonly deletion?: DeletionRules<T>;
  /** Which fields a field selector may name, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: SelectableFields<T>;
  /** Cells of one row, in the order of the kind's columns (from the data, Name included). Name and Created At unless given. */
  printRow?(object: T, context: PrintContext): readonly unknown[];
  /** `conditions` of its row: a pod that has ended is marked so. None unless given. */
  rowConditions?(object: T): readonly object[];
  /** By name: "status", "approval", "finalize", "ephemeralcontainers", "resize". Those not here use `statusRules`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  /** Where `/scale` finds its numbers. */
  readonly scale?: ScaleRules<T>;
}

/** At what differs from before, or at the whole as if it were new. Each look tells its faults once more. */
export type MetadataLook = "changes" | "whole";

/** A method and not a property, so that the rules of all kinds fit into one list. */
interface GenerationCheck<T extends KubernetesObject> {
  isRaised(object: T, old: T): boolean;
}

export interface PrintContext {
  readonly nowMs: number;
}

/** A second group or version under which the same objects are served, converted without waiting. */
export interface ServedVersion<T extends KubernetesObject> extends VersionRules<T> {
  readonly resource: Resource;
  /** From the stored version; the result is printed, never stored. */
  fromStored(object: T): KubernetesObject;
  /** To the stored version; may take the draft apart. */
  toStored(draft: Draft<KubernetesObject>): Draft<T>;
}

/** What is particular to a version that is not the stored one. */
export interface VersionRules<T extends KubernetesObject> {
  /** Before it is converted to the stored version. */
  defaults?(draft: Draft<KubernetesObject>): void;
  /** What is reported before the faults of metadata that its own rules find; of every write under this version. */
  validateFirst?(object: T): readonly Fault[];
  /** For writes under this version, instead of the stored version's own; of objects as they are stored. */
  validate?(object: T, context: RuleContext): readonly Fault[];
  validateUpdate?(object: T, old: T, context: RuleContext): readonly Fault[];
  /** See the kind's own, of which this version's take the place. */
  readonly metadata?: Pick<KindRules<T>, "checkName" | "metadataOnUpdate"> & {
    readonly metadataOnCreate?: "looked at";
  };
  readonly selectableFields?: SelectableFields<KubernetesObject>;
}

export interface DeletionRules<T extends KubernetesObject> {
  /** The answer to a delete is the object itself instead of a Status. */
  readonly answersWithObject?: boolean;
  /** "Background" unless given; "none" where dependents are never looked at (Event). */
  readonly propagation?: Propagation | "none";
  /** Pods: how long, given what was asked for. Undefined deletes at once. */
  gracePeriod?(object: T, askedSeconds: number | undefined): number | undefined;
  /** Why it may not be deleted, as the text of a 403. */
  forbids?(object: T): string | undefined;
  /** Whether something beside `metadata.finalizers` keeps it: a namespace's `spec.finalizers`. */
  isHeld?(object: T): boolean;
  /** When its deletion is first asked for: the object stays for now, whether or not anything holds it, and this is what it is
   * told. The draft has its `deletionTimestamp`; what the kind does not have (a grace period) is taken away. */
  mark?(draft: Draft<T>): void;
  /** For who does not say what is to become of dependents; told before anybody looks whether there is such an object. */
  readonly silenceWarning?: string;
}

export interface SelectableFields<T extends KubernetesObject> {
  /** Name → value, for all names that may be asked for beside the two of metadata. */
  valuesOf(object: T): Readonly<Record<string, string>>;
  readonly names: readonly string[];
  /** Old spelling → new ("spec.host" → "spec.nodeName"). */
  readonly aliases?: Readonly<Record<string, string>>;
  /** False where `metadata.namespace` is refused (Node, Namespace, CertificateSigningRequest). True unless given. */
  readonly hasNamespace?: boolean;
  /** What an unknown one gets, as 400. */
  unknownText?(name: string): string;
}

export interface SubresourceRules<T extends KubernetesObject> {
  /** Takes from the new object only what this subresource may change; `draft` comes in as sent. */
  prepareUpdate(draft: Draft<T>, old: T, context: RuleContext): void;
  validateUpdate?(object: T, old: T, context: RuleContext): readonly Fault[];
  warnings?(object: T, old: T): readonly string[];
  /** See the kind's own. */
  readonly metadataOnUpdate?: readonly MetadataLook[];
}

export interface ScaleRules<T extends KubernetesObject> {
  replicasOf(object: T): number;
  statusReplicasOf(object: T): number;
  /** As a selector's text: "app=web". */
  selectorOf(object: T): string;
  setReplicas(draft: Draft<T>, replicas: number): void;
}
