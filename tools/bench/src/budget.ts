// A budget is a sentence, a limit and what was measured: ratios within one run, or sizes. Never an absolute time: those
// tell of the machine.

export interface Measurement {
  readonly what: string;
  readonly measured: number;
  readonly limit: number;
  /** Whether the limit is the most or the least allowed. */
  readonly bound: "at most" | "at least";
  readonly unit: string;
  /** The raw numbers behind a ratio, for the reader. */
  readonly detail: string;
}

export function isKept({ measured, limit, bound }: Measurement): boolean {
  return bound === "at most" ? measured <= limit : measured >= limit;
}

export function printMeasurement(measurement: Measurement): string {
  const { what, measured, limit, bound, unit, detail } = measurement;
  const verdict = isKept(measurement) ? "kept  " : "MISSED";
  return `${verdict} ${what}: ${measured.toFixed(3)}${unit} (${bound} ${limit}${unit}); ${detail}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
