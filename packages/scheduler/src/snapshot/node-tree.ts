// The order in which nodes are searched: zones take turns, in the order in which they first appeared, and within a zone nodes come in the order
// of their arrival. So a search that stops early has seen all zones alike.
import type { Node } from "@kubeloop/core/types/core/v1";

export class NodeTree {
  /** Names by zone. A Map keeps the order of insertion, and a zone that loses its last node goes. */
  readonly #zones = new Map<string, Set<string>>();

  add(node: Node): void {
    const zone = zoneKey(node);
    const names = this.#zones.get(zone) ?? new Set<string>();
    names.add(node.metadata.name ?? "");
    this.#zones.set(zone, names);
  }

  remove(node: Node): void {
    const zone = zoneKey(node);
    const names = this.#zones.get(zone);
    names?.delete(node.metadata.name ?? "");
    if (names?.size === 0) this.#zones.delete(zone);
  }

  update(before: Node, after: Node): void {
    if (zoneKey(before) === zoneKey(after)) return;
    this.remove(before);
    this.add(after);
  }

  list(): string[] {
    const zones = [...this.#zones.values()].map((names) => [...names]);
    const longest = Math.max(0, ...zones.map(({ length }) => length));
    const list: string[] = [];
    for (let index = 0; index < longest; index++) {
      for (const names of zones) {
        const name = names[index];
        if (name !== undefined) list.push(name);
      }
    }
    return list;
  }
}

/** Returns the region and the zone as one text; empty if the node has neither. As upstream, the older label names win. */
function zoneKey({ metadata: { labels = {} } }: Node): string {
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? "";
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}
