// Compares what a write sent with what the server returned, and prints the fields that the server has filled in or reset. The result is text
// for people.
import { printValuePath } from "../api/index.ts";

/** Once more than this number of differences were found, the search ends. */
const mostFields = 5;

type Path = readonly (string | number)[];

/**
 * Returns the differences between the sent body and the answer, as "path: sent …, the server has …". Fields that a patch does not contain are
 * not compared. But items of a list are always sent whole, and if `isWhole` is true the body is the whole object: there, fields that only the
 * answer has are differences, too.
 */
export function findDifferences(sent: unknown, answered: unknown, isWhole: boolean): readonly string[] {
  const found: string[] = [];
  // A JSON patch is a list of operations, which cannot be compared with fields.
  if (Array.isArray(sent)) return found;
  const visit = (one: unknown, other: unknown, path: Path, whole: boolean): void => {
    if (found.length > mostFields || one === other) return;
    if (isServers(path) || (one === undefined && path.length === 1)) return;
    if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
      for (const [i, item] of one.entries()) visit(item, other[i], [...path, i], true);
      return;
    }
    if (isFields(one) && isFields(other)) {
      const names = whole ? new Set([...Object.keys(one), ...Object.keys(other)]) : Object.keys(one);
      for (const name of names) visit(one[name], other[name], [...path, name], whole);
      return;
    }
    if ((one ?? undefined) === (other ?? undefined) || isBothEmpty(one, other)) return;
    found.push(`${printValuePath(path)}: sent ${print(one)}, the server has ${print(other)}`);
  };
  visit(sent, answered, [], isWhole);
  return found;
}

function isBothEmpty(one: unknown, other: unknown): boolean {
  const isEmpty = (value: unknown) =>
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
  return isEmpty(one) && isEmpty(other);
}

const serversFields = new Set([
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields"].map(
    (name) => `metadata ${name}`,
  ),
  "apiVersion",
  "kind",
]);

/** Whether the path is a field that a writer does not send, or that the server does not take from the writer. */
function isServers(path: Path): boolean {
  return serversFields.has(path.join(" "));
}

/** Returns the fields that a patch or an object contains, as "path: sent …". */
export function sentFields(body: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (found.length > mostFields) return;
    if (isFields(value)) for (const [name, held] of Object.entries(value)) visit(held, [...path, name]);
    else found.push(`${printValuePath(path)}: sent ${print(value)}`);
  };
  if (Array.isArray(body)) return body.map(({ path, value }) => `${String(path)}: sent ${print(value)}`);
  visit(body, []);
  return found;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function print(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
