// How many nodes there are, and for how long kubelets may keep what they have read because of it.
//
// The steps overlap: the next one begins above `most` nodes and ends below its own `least`, so that one node that comes and goes at a boundary
// does not make all nodes be written again and again. Which step it is in the overlap depends on where the count came from; after a restart
// the nodes of the first list are counted from none, so the lower step is the one.

interface Step {
  readonly least: number;
  readonly most: number;
  readonly ttlSeconds: number;
}

const steps: readonly Step[] = [
  { least: 0, most: 100, ttlSeconds: 0 },
  { least: 90, most: 500, ttlSeconds: 15 },
  { least: 450, most: 1000, ttlSeconds: 30 },
  { least: 900, most: 2000, ttlSeconds: 60 },
  { least: 1800, most: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
];

export class ClusterSize {
  #nodes = 0;
  #step = 0;

  get ttlSeconds(): number {
    return this.#now.ttlSeconds;
  }

  grow(): void {
    this.#nodes++;
    if (this.#nodes > this.#now.most) this.#step++;
  }

  shrink(): void {
    this.#nodes--;
    if (this.#nodes < this.#now.least) this.#step--;
  }

  get #now(): Step {
    const step = steps[this.#step];
    // The first step ends at no nodes and the last one never: counts that are true stay between them.
    if (step === undefined) throw new RangeError(`${this.#nodes} nodes are counted`);
    return step;
  }
}
