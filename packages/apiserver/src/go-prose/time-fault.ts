// Why a text is no time, as Go's parser says it: `cannot parse "x" as "2006"`, `month out of range`. Only for texts that core's
// reader refused: what is accepted is decided there.

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

interface Element {
  /** As the layout spells it. */
  readonly spelling: string;
  readonly shape: RegExp;
  /** What is out of range, if anything is. */
  check?(found: string): string | undefined;
}

const inRange = (name: string, from: number, to: number) => (digits: string) =>
  Number(digits) < from || Number(digits) > to ? `${name} out of range` : undefined;

const literal = (spelling: string): Element => ({ spelling, shape: new RegExp(`^${spelling}`) });

const clock: readonly Element[] = [
  { spelling: "2006", shape: /^\d{4}/ },
  literal("-"),
  { spelling: "01", shape: /^\d\d/, check: inRange("month", 1, 12) },
  literal("-"),
  { spelling: "02", shape: /^\d\d/ },
  literal("T"),
  { spelling: "15", shape: /^\d\d?/, check: inRange("hour", 0, 23) },
  literal(":"),
  { spelling: "04", shape: /^\d\d/, check: inRange("minute", 0, 59) },
  literal(":"),
  { spelling: "05", shape: /^\d\d(?:[.,]\d+)?/, check: (digits) => inRange("second", 0, 59)(digits.slice(0, 2)) },
];
const zone: Element = {
  spelling: "Z07:00",
  shape: /^(?:Z|[+-]\d\d:\d\d)/,
  check(text) {
    if (Number(text.slice(1, 3)) > 24) return "time zone offset hour out of range";
    return Number(text.slice(4, 6)) > 60 ? "time zone offset minute out of range" : undefined;
  },
};
const timeElements = [...clock, zone];
const microTimeElements = [
  ...clock.slice(0, -1),
  { spelling: "05", shape: /^\d\d/, check: inRange("second", 0, 59) },
  { spelling: ".000000", shape: /^[.,]\d{6}/ },
  zone,
];

/** The whole message; undefined for a text in which nothing is wrong. */
export function findTimeFault(text: string, type: "time" | "micro-time"): string | undefined {
  const [layout, elements] =
    type === "time" ? [timeLayout, timeElements] : ([microTimeLayout, microTimeElements] as const);
  const about = `parsing time ${quoteBytes(text)}`;
  let rest = text;
  for (const element of elements) {
    const found = element.shape.exec(rest)?.[0];
    if (found === undefined) {
      return `${about} as "${layout}": cannot parse ${quoteBytes(rest)} as "${element.spelling}"`;
    }
    const range = element.check?.(found);
    if (range !== undefined) return `${about}: ${range}`;
    rest = rest.slice(found.length);
  }
  if (rest !== "") return `${about}: extra text: ${quoteBytes(rest)}`;
  return isDayOfMonth(text) ? undefined : `${about}: day out of range`;
}

function isDayOfMonth(text: string): boolean {
  const [year = 0, month = 0, day = 0] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

/** More of a text is not shown: a message need not be longer than the body it is about. */
const maxShown = 1000;

/** Go's time package quotes byte by byte: "é" shows as "\\xc3\\xa9". */
function quoteBytes(text: string): string {
  let quoted = "";
  for (const byte of Buffer.from(text.slice(0, maxShown))) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += character === '"' || character === "\\" ? `\\${character}` : character;
  }
  return text.length > maxShown ? `"${quoted}..."` : `"${quoted}"`;
}
