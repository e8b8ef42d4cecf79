// When a CronJob runs: five fields, or a word for them. Only whether it can be read is said here, in the words users know.
import { DurationError, parseDuration, quote } from "@kubeloop/core/api";
import { isTimeZone } from "./time-zone.ts";

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const words = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const every = "@every ";

/** What is wrong with it; undefined for a schedule that is right. */
export function scheduleFault(text: string): string | undefined {
  const zone = /^(?:TZ|CRON_TZ)=/.exec(text);
  if (zone === null) return withoutZoneFault(text);
  const space = text.indexOf(" ");
  if (space < 0) return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
  const name = text.slice(zone[0].length, space);
  if (!isTimeZone(name)) return `provided bad location ${name}: unknown time zone ${name}`;
  return withoutZoneFault(text.slice(space).trim());
}

function withoutZoneFault(text: string): string | undefined {
  if (text.startsWith("@")) return wordFault(text);
  const given = text.split(/\s+/).filter((field) => field !== "");
  if (given.length !== fields.length) {
    return `expected exactly ${fields.length} fields, found ${given.length}: [${given.join(" ")}]`;
  }
  for (const [i, field] of fields.entries()) {
    const fault = fieldFault(given[i] ?? "", field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function wordFault(text: string): string | undefined {
  if (words.includes(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  try {
    parseDuration(text.slice(every.length));
    return undefined;
  } catch (error) {
    if (error instanceof DurationError) return `failed to parse duration ${text}: ${error.message}`;
    throw error;
  }
}

function fieldFault(text: string, field: Field): string | undefined {
  for (const range of text.split(",")) {
    const fault = range === "" ? undefined : rangeFault(range, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** "5", "1-5", "*", each with "/2" or without. */
function rangeFault(text: string, { min, max, names }: Field): string | undefined {
  const [range = "", step, ...surplus] = text.split("/");
  const [low = "", high, ...more] = range.split("-");
  const isAll = low === "*" || low === "?";
  const start = isAll ? min : numberIn(low, names);
  if (typeof start === "string") return start;
  if (!isAll && more.length > 0) return `too many hyphens: ${text}`;
  let end = isAll ? max : high === undefined ? start : numberIn(high, names);
  if (typeof end === "string") return end;
  if (surplus.length > 0) return `too many slashes: ${text}`;
  const by = step === undefined ? 1 : numberIn(step);
  if (typeof by === "string") return by;
  if (step !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return by === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** Or what is wrong with it. */
function numberIn(text: string, names: readonly string[] = []): number | string {
  const named = names.indexOf(text.toLowerCase());
  // Months count from one, days of the week from zero.
  if (named >= 0) return names === months ? named + 1 : named;
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`;
  }
  const number = Number(text);
  if (Math.abs(number) > 2 ** 63) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: value out of range`;
  }
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
