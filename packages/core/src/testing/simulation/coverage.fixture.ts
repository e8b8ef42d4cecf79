// Counts how often all seeds together have hit each name that they must hit.

export class Coverage {
  readonly #counts = new Map<string, number>();

  constructor(wanted: readonly string[]) {
    for (const name of wanted) this.#counts.set(name, 0);
  }

  hit(name: string, times = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + times);
  }

  get missed(): readonly string[] {
    return [...this.#counts].filter(([, count]) => count === 0).map(([name]) => name);
  }

  /** Returns one line for each name, the rarest first. */
  print(): string {
    const sorted = [...this.#counts].sort(([, a], [, b]) => a - b);
    return sorted.map(([name, count]) => `${String(count).padStart(9)}  ${name}`).join("\n");
  }
}
