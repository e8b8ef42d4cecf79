// Serves the garbage collector's owner graph below /debug/controllers/garbage-collector-controller: GET /graph, with ?uid=… only what is
// connected with these objects. A large graph is printed in slices, so that controllers go on meanwhile.
import { type OwnerGraph, printDot } from "@kubeloop/controllers";
import type { Transport } from "@kubeloop/core/api";
import { type Clock, YieldBudget } from "@kubeloop/core/base";
import { textResponse } from "@kubeloop/core/runtime";

export function newGraphHandler(graph: OwnerGraph, clock: Clock): Transport {
  return async ({ path, query }, signal) => {
    if (path !== "/graph") return textResponse(404, "\n");
    const uids = query.filter(([name]) => name === "uid").map(([, uid]) => uid);
    const budget = new YieldBudget(clock);
    const pieces: string[] = [];
    for (const piece of printDot(graph, uids.length === 0 ? undefined : uids)) {
      pieces.push(piece);
      if (!budget.isUsedUp()) continue;
      await budget.yield();
      signal.throwIfAborted();
    }
    return textResponse(200, pieces.join(""), { "content-type": "text/vnd.graphviz" });
  };
}
