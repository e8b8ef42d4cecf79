// Prints the owner graph in the DOT language, as upstream's debug handler does: arrows lead from dependents to owners, and what has neither
// is left out.
import { type metav1, parseGroupVersion } from "@kubeloop/core/api";
import type { Identity } from "./identity.ts";
import type { GraphNode, OwnerGraph } from "./model.ts";

interface Vertex {
  readonly identity: Identity;
  readonly isMissing: boolean;
  readonly isBeingDeleted: boolean;
  readonly isDeletingDependents: boolean;
  readonly isVirtual: boolean;
}

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Piece by piece, because a graph may be large. With uids, only what is connected with these. */
export function* printDot(graph: OwnerGraph, uids?: readonly string[]): Generator<string, void, undefined> {
  const nodes = uids === undefined ? graph.nodes() : connectedWith(graph, uids);
  const vertices = new Map<string, Vertex>();
  const edges: Edge[] = [];
  for (const node of nodes) {
    const { uid } = node.identity;
    if (node.owners.length === 0 && !graph.hasDependents(uid)) continue;
    vertices.set(uid, toVertex(node));
    for (const { uid: to } of node.owners) edges.push({ from: uid, to });
  }
  for (const { from } of edges) {
    for (const owner of graph.get(from)?.owners ?? []) {
      if (!vertices.has(owner.uid)) vertices.set(owner.uid, toMissing(owner));
    }
  }
  yield "strict digraph full {\n";
  if (vertices.size > 0) yield "  // Node definitions.\n";
  for (const vertex of [...vertices.values()].sort((a, b) => compare(a.identity.uid, b.identity.uid))) {
    yield printVertex(vertex);
  }
  if (edges.length > 0) yield "  // Edge definitions.\n";
  for (const { from, to } of edges.sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to))) {
    yield `  ${quote(from)} -> ${quote(to)};\n`;
  }
  yield "}\n";
}

/** Owners and dependents, theirs, and so on. */
function connectedWith(graph: OwnerGraph, uids: readonly string[]): Iterable<GraphNode> {
  const found = new Map<string, GraphNode>();
  const left = [...uids];
  for (let uid = left.pop(); uid !== undefined; uid = left.pop()) {
    const node = found.has(uid) ? undefined : graph.get(uid);
    if (node === undefined) continue;
    found.set(uid, node);
    for (const owner of node.owners) left.push(owner.uid);
    for (const { identity } of graph.dependentsOf(uid)) left.push(identity.uid);
  }
  return found.values();
}

function toVertex({ identity, isVirtual, deletion }: GraphNode): Vertex {
  const isDeletingDependents = deletion === "deletingDependents";
  return { identity, isMissing: false, isBeingDeleted: deletion !== "none", isDeletingDependents, isVirtual };
}

function toMissing({ apiVersion, kind, name, uid }: metav1.OwnerReference): Vertex {
  const identity = { apiVersion, kind, namespace: "", name, uid };
  return { identity, isMissing: true, isBeingDeleted: false, isDeletingDependents: false, isVirtual: false };
}

function printVertex(vertex: Vertex): string {
  const { namespace, name, uid, kind, apiVersion } = vertex.identity;
  const { group, version } = parseGroupVersion(apiVersion);
  const attributes = {
    label: printLabel(vertex),
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing: String(vertex.isMissing),
    beingDeleted: String(vertex.isBeingDeleted),
    deletingDependents: String(vertex.isDeletingDependents),
    virtual: String(vertex.isVirtual),
  };
  const lines = Object.entries(attributes).map(([attribute, value]) => `    ${attribute}=${quote(value)}\n`);
  return `  ${quote(uid)} [\n${lines.join("")}  ];\n`;
}

function printLabel(vertex: Vertex): string {
  const { namespace, name, uid, kind, apiVersion } = vertex.identity;
  const { group, version } = parseGroupVersion(apiVersion);
  const kubectlName = [kind, version, ...(group === "" ? [] : [group])].join(".");
  const conditions = [
    vertex.isBeingDeleted ? ["beingDeleted"] : [],
    vertex.isDeletingDependents ? ["deletingDependents"] : [],
    vertex.isVirtual ? ["virtual"] : [],
    vertex.isMissing ? ["missingFromGraph"] : [],
  ].flat();
  const condition = conditions.length === 0 ? "" : `${conditions.join(",")}\n`;
  return `uid=${uid}\nnamespace=${namespace}\n${kubectlName}/${name}\n${condition}`;
}

/** As Go quotes, but for control characters, which no such text has: line feed is the only one. */
const quote = (text: string) => JSON.stringify(text);

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
