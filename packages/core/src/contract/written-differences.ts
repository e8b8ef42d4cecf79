// What was sent in a write, beside what the server answered: names the fields that the server has filled in or reset. For people: the
// result is text.
import { printValuePath } from "../api/index.ts";

/** Further differences are not reported. */
const mostFields = 5;

type Path = readonly (string | number)[];

/**
 * Where the answer is not what was sent, as "path: sent …, the server has …". A patch says nothing about fields that it does not name, but
 * an item of a list is sent whole; so is everything where `isWhole`.
 */
export function findDifferences(sent: unknown, answered: unknown, isWhole: boolean): readonly string[] {
  const found: string[] = [];
  // The operations of a JSON patch are no fields.
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

/** What a writer of an object does not send, or is not believed. */
function isServers(path: Path): boolean {
  return serversFields.has(path.join(" "));
}

/** The fields that a patch, or an object, says something about, as "path: sent …". */
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
