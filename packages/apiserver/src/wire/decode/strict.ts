// What becomes of faults that only strict decoding refuses: with Ignore nothing, with Warn a warning each, with Strict an error.

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** How YAML's repeated keys begin: one fault, with a line for each key. */
const yamlPrefix = "yaml: unmarshal errors:\n";

export function yamlKeysFault(lines: readonly string[]): string {
  return yamlPrefix + lines.map((line) => `  ${line}`).join("\n");
}

/** The text of the error: `strict decoding error: unknown field "foo", duplicate field "data.a"`. */
export function strictDecodingError(faults: readonly string[]): string {
  return `strict decoding error: ${faults.join(", ")}`;
}

/** The texts of the Warning headers. */
export function strictWarnings(faults: readonly string[]): readonly string[] {
  return faults.flatMap((fault) =>
    fault.startsWith(yamlPrefix)
      ? fault
          .slice(yamlPrefix.length)
          .split("\n")
          .map((line) => line.trim())
      : [fault],
  );
}
