// How many tests really ran, according to vitest's JSON report. Skipped ones did not.

export function countRun(report: unknown): number {
  return numberAt(report, "numPassedTests") + numberAt(report, "numFailedTests");
}

function numberAt(report: unknown, field: string): number {
  if (typeof report !== "object" || report === null) return 0;
  const value: unknown = Reflect.get(report, field);
  return typeof value === "number" ? value : 0;
}
