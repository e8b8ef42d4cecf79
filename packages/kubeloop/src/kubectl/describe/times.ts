// Times in descriptions: as mail has them, in the zone of the machine, and ages as tables have them.
import { parseTime, printShortDuration } from "@kubeloop/core/api";

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A time that is not there. */
const zeroTime = "Mon, 01 Jan 0001 00:00:00 +0000";

/** Minutes that the machine's clock is ahead of UTC at a time. */
export type ZoneOffset = (ms: number) => number;

const ofThisMachine: ZoneOffset = (ms) => -new Date(ms).getTimezoneOffset();

/** `Wed, 18 Nov 2026 07:40:53 +0000`. */
export function printLocalTime(time: string | null | undefined, offsetAt: ZoneOffset = ofThisMachine): string {
  if (time === undefined || time === null) return zeroTime;
  const ms = parseTime(time);
  const offset = offsetAt(ms);
  const local = new Date(ms + offset * 60_000);
  const two = (number: number) => String(number).padStart(2, "0");
  const date = `${two(local.getUTCDate())} ${months[local.getUTCMonth()]} ${String(local.getUTCFullYear()).padStart(4, "0")}`;
  const clock = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(two).join(":");
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${days[local.getUTCDay()]}, ${date} ${clock} ${zone}`;
}

/** How long ago; what is not there is unknown. */
export function printSince(time: string | null | undefined, nowMs: number): string {
  return time === undefined || time === null ? "<unknown>" : printShortDuration(nowMs - parseTime(time));
}
