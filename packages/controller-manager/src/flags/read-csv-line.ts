// One line of comma-separated values, as Go's encoding/csv reads it: a field in double quotes may hold commas, and a doubled quote in it
// is one. Promises Go's complaints with line and column.
import { FlagValueError } from "./go-errors.ts";

export function readCsvLine(text: string): readonly string[] {
  if (text === "") return [];
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const field = text[at] === '"' ? readQuoted(text, at) : readBare(text, at);
    fields.push(field.value);
    if (field.end >= text.length) return fields;
    at = field.end + 1;
  }
}

interface Field {
  readonly value: string;
  /** Where its comma stands, or the text's end. */
  readonly end: number;
}

function readBare(text: string, start: number): Field {
  const comma = text.indexOf(",", start);
  const end = comma < 0 ? text.length : comma;
  const value = text.slice(start, end);
  const quoteAt = value.indexOf('"');
  if (quoteAt >= 0) throw fault(start + quoteAt, 'bare " in non-quoted-field');
  return { value, end };
}

function readQuoted(text: string, start: number): Field {
  let value = "";
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) throw fault(text.length, 'extraneous or missing " in quoted-field');
    value += text.slice(at, close);
    if (text[close + 1] !== '"') {
      if (close + 1 < text.length && text[close + 1] !== ",")
        throw fault(close, 'extraneous or missing " in quoted-field');
      return { value, end: close + 1 };
    }
    value += '"';
    at = close + 2;
  }
}

const fault = (index: number, what: string) =>
  new FlagValueError(`parse error on line 1, column ${index + 1}: ${what}`);
