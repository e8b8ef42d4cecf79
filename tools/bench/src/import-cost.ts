// What importing costs: time and resident memory of `import "@kubeloop/core/api"`, as a share of what importing
// @kubernetes/client-node takes on the same Node in the same run. Each import gets a process of its own; the two take turns.
import { execFileSync } from "node:child_process";
import { type Measurement, median } from "./budget.ts";
import { installPeers } from "./peers.ts";
import { repositoryRoot } from "./repository.ts";

interface ImportCost {
  readonly ms: number;
  readonly mb: number;
}

const rounds = 9;

// Collected first, so that what is counted is what the import holds, not what it dropped on the way.
const program = `
  gc();
  const rss = process.memoryUsage().rss, start = performance.now();
  await import(process.argv[1]);
  const ms = performance.now() - start;
  gc();
  console.log(JSON.stringify({ ms, mb: (process.memoryUsage().rss - rss) / 2 ** 20 }));
`;

function measureImport(folder: string, specifier: string): ImportCost {
  const args = ["--expose-gc", "--input-type=module", "--eval", program, specifier];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })) as ImportCost;
}

export function measureImportCost(): readonly Measurement[] {
  const peers = installPeers();
  const ours: ImportCost[] = [];
  const theirs: ImportCost[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(measureImport(repositoryRoot, "@kubeloop/core/api"));
    theirs.push(measureImport(peers, "@kubernetes/client-node"));
  }
  return (["ms", "mb"] as const).map((unit) => {
    const mine = median(ours.map((cost) => cost[unit]));
    const peer = median(theirs.map((cost) => cost[unit]));
    return {
      what: `import of @kubeloop/core/api, ${unit === "ms" ? "time" : "memory"} against @kubernetes/client-node`,
      measured: mine / peer,
      limit: 0.1,
      bound: "at most",
      unit: " ×",
      detail: `${mine.toFixed(1)} of ${peer.toFixed(1)} ${unit === "ms" ? "ms" : "MB"}, median of ${rounds}`,
    };
  });
}
