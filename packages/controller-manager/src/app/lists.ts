// What the process can say about itself without running: its controllers and its feature gates.

import { readFeatureGates } from "../options/index.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";

export function listControllers(): string {
  const rows = controllerDescriptors.map(
    ({ name, alias = "-", serviceAccount = "-", start, isOffByDefault, isCloud }) => [
      name,
      alias,
      serviceAccount,
      [
        ...(start === undefined ? ["not written yet"] : []),
        ...(isOffByDefault === true ? ["off by default"] : []),
        ...(isCloud === true ? ["cloud"] : []),
      ].join(", ") || "-",
    ],
  );
  return table([["NAME", "ALIAS", "SERVICE ACCOUNT", "REMARKS"], ...rows]);
}

export function listFeatureGates(): string {
  const rows = readFeatureGates({})
    .gates.all()
    .map(({ name, stage, isOn }) => [name, stage, isOn ? "on" : "off"]);
  return table([["NAME", "STAGE", "DEFAULT"], ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}
