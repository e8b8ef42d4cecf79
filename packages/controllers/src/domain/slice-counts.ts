// How many endpoints and slices there are, and how many slices would do: for the gauges of the controllers that make slices. What one Service
// counts replaces what it counted before, so that the sums are right without counting all Services again.

/** Of the slices that share their ports. */
export interface GroupCount {
  readonly endpoints: number;
  readonly slices: number;
}

interface Sums {
  readonly endpoints: number;
  readonly slices: number;
  readonly desiredSlices: number;
}

const none: Sums = { endpoints: 0, slices: 0, desiredSlices: 0 };

export interface SliceCountsOptions {
  /** How many endpoints a slice holds. */
  readonly most: number;
  /** How many slices a Service has at least: one where there is a placeholder, 0 where there is none. */
  readonly least: 0 | 1;
}

export class SliceCounts {
  readonly #options: SliceCountsOptions;
  readonly #byKey = new Map<string, Sums>();
  #total = none;

  constructor(options: SliceCountsOptions) {
    this.#options = options;
  }

  get total(): Sums {
    return this.#total;
  }

  set(key: string, groups: readonly GroupCount[]): void {
    const { most, least } = this.#options;
    let sums = none;
    for (const { endpoints, slices } of groups) {
      const desiredSlices = Math.ceil(endpoints / most);
      sums = added(sums, { endpoints, slices, desiredSlices });
    }
    this.#replace(key, { ...sums, desiredSlices: Math.max(least, sums.desiredSlices) });
  }

  forget(key: string): void {
    this.#replace(key, undefined);
  }

  #replace(key: string, sums: Sums | undefined): void {
    const before = this.#byKey.get(key) ?? none;
    if (sums === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, sums);
    this.#total = added(added(this.#total, sums ?? none), before, -1);
  }
}

const added = (one: Sums, other: Sums, times = 1): Sums => ({
  endpoints: one.endpoints + times * other.endpoints,
  slices: one.slices + times * other.slices,
  desiredSlices: one.desiredSlices + times * other.desiredSlices,
});
