// Where two pieces of plain data differ, as paths a person can read: `metadata.labels["app.kubernetes.io/name"]`.

export interface Difference {
  readonly path: string;
  /** Undefined where there was nothing. */
  readonly was: unknown;
  readonly is: unknown;
}

export function deepDifferences(was: unknown, is: unknown, path = ""): Difference[] {
  if (Object.is(was, is)) return [];
  if (!isContainer(was) || !isContainer(is) || Array.isArray(was) !== Array.isArray(is)) return [{ path, was, is }];
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  const isList = Array.isArray(was);
  return [...keys].flatMap((key) => {
    const at = isList ? `${path}[${key}]` : memberPath(path, key);
    // A key whose value is undefined differs from an absent one, and looks the same: say so here, not deeper down.
    if (Object.hasOwn(was, key) !== Object.hasOwn(is, key)) return [{ path: at, was: was[key], is: is[key] }];
    return deepDifferences(was[key], is[key], at);
  });
}

/** One line each: `spec.replicas: was 1, is 2`. */
export function printDifferences(differences: readonly Difference[]): string {
  return differences.map(({ path, was, is }) => `${path || "."}: was ${print(was)}, is ${print(is)}`).join("\n");
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

const longestText = 200;

function print(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
