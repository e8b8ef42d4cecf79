// Nodes: a node registers and updates only its own Node, and changes nothing there that could bring workloads to it that are not meant for it.
import { type corev1, quote } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { NodeRule } from "./node-rule.ts";

type Labels = Readonly<Record<string, string>>;

/** What kubelets set of Kubernetes' own labels. */
const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

const kubeletDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];
/** Among these is node-restriction.kubernetes.io, which is for administrators alone: by its labels pods are kept to nodes that are trusted. */
const kubernetesDomains = ["kubernetes.io", "k8s.io"];

export const nodeObjectRule: NodeRule = async ({ nodeName, attributes }) => {
  const { operation, name, object, oldObject } = attributes;
  const who = `node ${quote(nodeName)} is not allowed to`;
  if (name !== nodeName) return `${who} modify node ${quote(name)}`;
  const node = object as unknown as corev1.Node;
  if (operation === "CREATE") {
    // "pods" is upstream's word here.
    if (node.spec?.configSource !== undefined) return `${who} create pods with a non-nil configSource`;
    const refused = forbiddenLabels(node.metadata.labels);
    return refused.length === 0 ? undefined : `${who} set the following labels: ${refused.join(", ")}`;
  }
  if (operation !== "UPDATE") return undefined;
  const old = oldObject as corev1.Node;
  // An old kubelet may drop the field, which takes nothing from anybody.
  const { configSource } = node.spec ?? {};
  if (configSource !== undefined && !deepEqual(configSource, old.spec?.configSource)) {
    return `${who} update configSource to a new non-nil configSource`;
  }
  if (!deepEqual(node.spec?.taints ?? [], old.spec?.taints ?? [])) return `${who} modify taints`;
  if (!deepEqual(node.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? [])) {
    return `${who} modify ownerReferences`;
  }
  const refused = forbiddenLabels(node.metadata.labels, old.metadata.labels);
  return refused.length === 0 ? undefined : `is not allowed to modify labels: ${refused.join(", ")}`;
};

/** Returns the keys, in order, of labels that differ and that no node may add, change or remove. */
function forbiddenLabels(labels: Labels = {}, old: Labels = {}): readonly string[] {
  const keys = [...new Set([...Object.keys(labels), ...Object.keys(old)])];
  return keys.filter((key) => labels[key] !== old[key] && !mayChange(key)).sort();
}

function mayChange(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (!kubernetesDomains.some((each) => isWithin(domain, each))) return true;
  return kubeletLabels.has(key) || kubeletDomains.some((each) => isWithin(domain, each));
}

const isWithin = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);
