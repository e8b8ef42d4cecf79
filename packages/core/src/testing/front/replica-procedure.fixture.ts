// The controller of replica.fixture.ts with a reconcile function, written without any care for stale caches: it creates or deletes one child at
// a time, and reads the cache after each.
import { pods, replicaSets } from "../../api/generated/resources.ts";
import type { Controller } from "../../contract/index.ts";
import { isPodActive } from "../../rules/index.ts";
import { defineController } from "../../runtime/index.ts";
import { type Naming, newChild, podsByOwner } from "../contract/replica.fixture.ts";

export function replicaProcedure(naming: Naming): Controller {
  return defineController({
    name: "replica-controller",
    for: replicaSets,
    owns: [pods],
    indexes: [podsByOwner],
    workers: 2,
    async reconcile({ key }, context) {
      const { reader, client } = context;
      const set = reader.get(replicaSets, key);
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      const wanted = set.spec?.replicas ?? 1;
      for (let turns = 0; turns < 20; turns++) {
        const children = reader.byIndex(podsByOwner, set.metadata.uid ?? "");
        const active = children.filter((pod) => isPodActive(pod));
        if (active.length < wanted) {
          const taken = new Set(children.map(({ metadata }) => metadata.name));
          const free = Array.from({ length: 40 }, (_, i) => `${set.metadata.name}-${i}`).find(
            (name) => !taken.has(name),
          );
          await client.resource(pods).create(newChild(set, naming === "generated" ? undefined : free));
        } else if (active.length > wanted) {
          const victim = active[Math.floor(context.nowMs / 10) % active.length];
          await client.resource(pods).delete(`shop/${victim?.metadata.name}`);
        } else return;
      }
    },
  });
}
