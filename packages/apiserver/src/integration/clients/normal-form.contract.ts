// What two runs of one story have in common: everything but uids, times and versions, and the order of managers, which is by time.

const varying: Readonly<Record<string, string>> = {
  uid: "{uid}",
  resourceVersion: "{version}",
  creationTimestamp: "{time}",
  deletionTimestamp: "{time}",
  time: "{time}",
};

/** The same value with its varying fields replaced where they are set. */
export function normalForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalForm);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name === "managedFields" && Array.isArray(field)) return [name, field.map(normalForm).sort(byText)];
      const stand = typeof field === "string" && field !== "" ? varying[name] : undefined;
      return [name, stand ?? normalForm(field)];
    }),
  );
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
