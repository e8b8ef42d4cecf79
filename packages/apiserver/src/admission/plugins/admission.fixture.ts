// A plugin on a storage of its own: what it does to one object, without a server around it.
import type { KubernetesObject } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { systemAdmin } from "../../authentication/users.ts";
import { defaultAuthorizer } from "../../authorization/authorizer.ts";
import type { Draft } from "../../kinds/kind-rules.ts";
import { MemoryStorage } from "../../storage/index.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { AdmissionChain } from "../chain.ts";
import type { NewPlugin } from "../plugin.ts";

export interface Told extends Partial<Omit<AdmissionAttributes, "object" | "oldObject">> {
  readonly object?: object | undefined;
  readonly oldObject?: object | undefined;
  /** Stored before, by collection. */
  readonly stored?: Readonly<Record<string, readonly object[]>>;
}

export interface Said {
  /** As the plugin left it. */
  readonly object: KubernetesObject | undefined;
  /** Empty where it was let through. */
  readonly refusal: string;
  readonly warnings: readonly string[];
}

/** Both phases. Creates pod "a" in namespace "shop" unless told otherwise. */
export async function askPlugin(newPlugin: NewPlugin, told: Told): Promise<Said> {
  await using storage = new MemoryStorage();
  for (const [collection, objects] of Object.entries(told.stored ?? {})) {
    for (const each of objects as readonly KubernetesObject[]) {
      const { namespace, name = "" } = each.metadata;
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      await storage.write([{ collection, key, expected: 0, object: structuredClone(each) }]);
    }
  }
  const authorizer = defaultAuthorizer("default-bindings");
  const clock = new FakeClock();
  const chain = new AdmissionChain([newPlugin({ storage, clock, random: seededRandom(1), authorizer })]);
  const warnings: string[] = [];
  const { stored: _stored, object, oldObject, ...given } = told;
  const draft = object === undefined ? undefined : (structuredClone(object) as Draft<KubernetesObject>);
  const attributes: AdmissionAttributes = {
    operation: "CREATE",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    subresource: "",
    namespace: "shop",
    name: "a",
    options: undefined,
    isDryRun: false,
    user: systemAdmin,
    signal: new AbortController().signal,
    addWarning: (text) => warnings.push(text),
    ...given,
    object: draft,
    oldObject: oldObject as KubernetesObject | undefined,
  };
  try {
    const asked = chain.admit(attributes).then(() => chain.validate(attributes));
    // What waits, waits in virtual time.
    asked.catch(() => {});
    await clock.advance(60_000);
    await asked;
    return { object: draft as KubernetesObject | undefined, refusal: "", warnings };
  } catch (error) {
    return { object: draft as KubernetesObject | undefined, refusal: (error as Error).message, warnings };
  }
}

export const resourceOf = (collection: string, version = "v1") => {
  const [group = "", resource] = collection.includes("/") ? collection.split("/") : ["", collection];
  return { group, version, resource: resource ?? "" };
};
