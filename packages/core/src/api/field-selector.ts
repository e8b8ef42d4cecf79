// Field selectors: "metadata.name=web,status.phase!=Running". They support only equality; the server decides which fields exist.
// A field that an object does not have counts as empty text.
import { KubeloopError } from "../base/errors.ts";

export interface FieldRequirement {
  readonly field: string;
  /** `==` is parsed as `=`. */
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** All requirements must match. An empty list selects everything. */
export type FieldSelector = readonly FieldRequirement[];

export class FieldSelectorError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "InvalidSelector", retry: "never" });
  }
}

/**
 * Throws a FieldSelectorError. The terms are sorted, so that equal selectors print the same text; a
 * term without field and value is dropped.
 */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .toSorted()
    .filter((term) => term !== "")
    .map((term) => {
      const parts = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (parts === null) {
        throw new FieldSelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      return {
        field: parts[1] ?? "",
        operator: parts[2] === "!=" ? "!=" : "=",
        value: unescapeFieldValue(parts[3] ?? ""),
      } as const;
    })
    .filter(({ field, value }) => field !== "" || value !== "");
}

export function printFieldSelector(selector: FieldSelector): string {
  return selector.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(",");
}

export function fieldSelectorFrom(fields: Readonly<Record<string, string>>): FieldSelector {
  return Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value }));
}

export function matchesFieldSelector(selector: FieldSelector, get: (field: string) => string | undefined): boolean {
  for (const { field, operator, value } of selector) {
    if (((get(field) ?? "") === value) !== (operator === "=")) return false;
  }
  return true;
}

/** Returns the value that the field must have, if the selector requires one. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === "=")?.value;
}

/** Rewrites each term; an empty field and value drop it. Errors of `rewrite` are passed on. */
export function mapFieldSelector(
  selector: FieldSelector,
  rewrite: (field: string, value: string) => { readonly field: string; readonly value: string },
): FieldSelector {
  return selector
    .map((requirement) => ({ ...requirement, ...rewrite(requirement.field, requirement.value) }))
    .filter(({ field, value }) => field !== "" || value !== "");
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function unescapeFieldValue(text: string): string {
  let value = "";
  let isEscaped = false;
  for (const character of text) {
    const isSpecial = character === "\\" || character === "," || character === "=";
    if (isEscaped && !isSpecial) throw invalidEscape(`\\${character}`);
    if (!isEscaped && (character === "," || character === "=")) {
      const fault = `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`;
      throw new FieldSelectorError(fault);
    }
    isEscaped = !isEscaped && character === "\\";
    if (!isEscaped) value += character;
  }
  if (isEscaped) throw invalidEscape("\\");
  return value;
}

function invalidEscape(sequence: string): FieldSelectorError {
  return new FieldSelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}
