// The differences between two values of plain data, with readable paths: `metadata.labels["app.kubernetes.io/name"]`.

export interface Difference {
  readonly path: string;
  /** Undefined if the value was absent. */
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
    // A key whose value is undefined differs from an absent key but prints the same, so it is reported here, not one level down.
    if (Object.hasOwn(was, key) !== Object.hasOwn(is, key)) return [{ path: at, was: was[key], is: is[key] }];
    return deepDifferences(was[key], is[key], at);
  });
}

/** One line per difference: `spec.replicas: was 1, is 2`. */
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
