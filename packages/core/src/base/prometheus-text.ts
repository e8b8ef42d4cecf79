// Formats numbers, help texts and label values for the Prometheus text format.

/** Formats as Go's shortest `%g`: `1e+06`, `0.001`, `+Inf`. */
export function printNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Returns a help text, escaped so that it stays on one line. */
export function printText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** Returns `name="value"`, escaped. */
export function printLabels(name: string, value: string): string {
  return `${name}="${printText(value).replaceAll('"', '\\"')}"`;
}
