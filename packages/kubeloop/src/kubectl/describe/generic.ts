// The description of a kind that has no description of its own, custom kinds among them: all its fields, in the order of their names,
// under titles made of them.
import type { AnyObject } from "../object-printer.ts";
import { Description, sortedKeys, writeAnnotations, writeLabels } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { printGoValue } from "./go-value.ts";

/** Those of the metadata are above the others, or of no use to a person. */
const hidden = new Set(
  ["managedFields", "name", "namespace", "labels", "annotations"].map((name) => `.metadata.${name}`),
);

export function describeAnyObject(object: AnyObject, events: ShownEvents, nowMs: number): string {
  const { metadata } = object;
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  writeFields(to, 0, object, "");
  writeEvents(to, events, nowMs);
  return to.toString();
}

/** Items of a list have the path of the list. */
function writeFields(to: Description, level: number, fields: object, path: string): void {
  const values = fields as { readonly [field: string]: unknown };
  for (const field of sortedKeys(fields)) {
    const at = `${path}.${field}`;
    const value = values[field];
    if (hidden.has(at)) continue;
    if (typeof value !== "object" || value === null) {
      to.line(level, `${titleOf(field)}:`, printGoValue(value));
      continue;
    }
    to.line(level, `${titleOf(field)}:`);
    if (!Array.isArray(value)) writeFields(to, level + 1, value, at);
    else for (const item of value) writeItem(to, level + 1, item, at);
  }
}

function writeItem(to: Description, level: number, item: unknown, path: string): void {
  const isObject = typeof item === "object" && item !== null && !Array.isArray(item);
  if (isObject) writeFields(to, level, item, path);
  else to.line(level, printGoValue(item));
}

const acronyms = ["API", "URL", "UID", "GUID"];

/** `Cluster Name` of clusterName, `API Version` of apiVersion. What has other characters than letters and dashes stays. */
export function titleOf(field: string): string {
  if (!/^[\p{L}-]*$/u.test(field)) return field;
  return mergeAcronyms(splitWords(field))
    .map((word) => {
      if (acronyms.includes(word.toUpperCase())) return word.toUpperCase();
      return word === word.toLowerCase() ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    })
    .join(" ");
}

/** An upper-case letter before a lower-case one begins a word. */
function splitWords(field: string): readonly string[] {
  const runs = field.match(/\p{Ll}+|\p{Lu}+|[^\p{Ll}\p{Lu}]+/gu) ?? [];
  const words: string[] = [];
  let start = "";
  for (const [at, run] of runs.entries()) {
    const next = runs[at + 1] ?? "";
    const gives = /^\p{Lu}/u.test(run) && /^\p{Ll}/u.test(next);
    const word = start + (gives ? run.slice(0, -1) : run);
    if (word !== "") words.push(word);
    start = gives ? run.slice(-1) : "";
  }
  return words;
}

/** `UR` and `Ls` are one word. */
function mergeAcronyms(words: readonly string[]): readonly string[] {
  const merged: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word = "", next = ""] = words.slice(at, at + 2);
    const isAcronym = word.length >= 2 && !/\p{Ll}/u.test(word) && /^\p{Lu}/u.test(next);
    merged.push(isAcronym ? word + next : word);
    if (isAcronym) at++;
  }
  return merged;
}
