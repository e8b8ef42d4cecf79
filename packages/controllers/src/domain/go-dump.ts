// Prints a pod template as upstream's dump for hashes does: all fields of Go's structs, set or not, in Go's order, with Go's names and types.
// The types come from the generated table (tools/generate/src/write-go-structs.ts has its grammar), which is read on first use.
//
//   (v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) … Labels:(map[string]string)map[app:web] …} Spec:(v1.PodSpec){…}}
//
// Promises
// - What JSON cannot tell apart is printed as upstream's manager sees it. It reads protobuf, so an empty list or map is an absent one, and a
//   quantity that is absent and not held by pointer is "0".
// - A quantity is printed with the fields that Go has after it parsed the text; the server serves the canonical text.
// - A time is printed in UTC. Upstream prints it in the local zone of its process; a template hardly ever has one.
import { parseQuantity, parseTime, printQuantity, type Quantity } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { goStructs } from "./generated/go-structs.ts";

export interface DumpOptions {
  /**
   * Upstream has sent the object in this sync already. Then quantities that are no values of maps remember their canonical text, also where
   * parsing left it out.
   */
  readonly isAsSent?: boolean | undefined;
}

/** `type` is Go's name: "v1.PodTemplateSpec". */
export function dumpForHash(type: string, value: unknown, { isAsSent = false }: DumpOptions = {}): string {
  const out = new Output(isAsSent);
  out.push(`(${type})`);
  printerOf(type)(value, out);
  return out.toString();
}

class Output {
  readonly #parts: string[] = [];
  readonly #isAsSent: boolean;
  #mapDepth = 0;

  constructor(isAsSent: boolean) {
    this.#isAsSent = isAsSent;
  }

  get remembersText(): boolean {
    return this.#isAsSent && this.#mapDepth === 0;
  }

  push(...parts: readonly string[]): void {
    this.#parts.push(...parts);
  }

  /** What `print` prints are values of a map. */
  pushMap(print: () => void): void {
    this.#mapDepth++;
    print();
    this.#mapDepth--;
  }

  toString(): string {
    return this.#parts.join("");
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Prints a value without its type. Undefined and null are Go's zero value. */
type Printer = (value: unknown, out: Output) => void;

const printers = new Map<string, Printer>();

function printerOf(type: string): Printer {
  const known = printers.get(type);
  if (known !== undefined) return known;
  // Before it is made: structs may hold structs of their own type.
  let made: Printer | undefined;
  printers.set(type, (value, out) => made?.(value, out));
  made = newPrinter(type);
  printers.set(type, made);
  return made;
}

function newPrinter(type: string): Printer {
  const basic = basics[type];
  if (basic !== undefined) return basic;
  if (type.startsWith("*")) return newPointer(type.slice(1));
  if (type.startsWith("[]")) return newSlice(type.slice(2));
  const map = /^map\[([^\]]+)\](.+)$/.exec(type);
  if (map !== null) return newMap(map[2] ?? "");
  const { structs, others } = table();
  const other = others.get(type);
  if (other !== undefined) return printerOf(other);
  const fields = structs.get(type);
  if (fields === undefined) {
    throw new KubeloopError(`the table of Go structs has no ${type}`, { reason: "Internal", retry: "never" });
  }
  return newStruct(fields);
}

function newPointer(type: string): Printer {
  const print = printerOf(type);
  return (value, out) => {
    if (isAbsent(value)) out.push("<nil>");
    else print(value, out);
  };
}

function newSlice(type: string): Printer {
  const print = printerOf(type);
  return (value, out) => {
    if (!Array.isArray(value) || value.length === 0) {
      out.push("<nil>");
      return;
    }
    value.forEach((item, i) => {
      out.push(i === 0 ? "[" : " ");
      print(item, out);
    });
    out.push("]");
  };
}

function newMap(type: string): Printer {
  const print = printerOf(type);
  return (value, out) => {
    const entries = isAbsent(value) ? [] : Object.entries(value as JsonObject);
    if (entries.length === 0) {
      out.push("<nil>");
      return;
    }
    entries.sort(([a], [b]) => compareAsBytes(a, b));
    out.pushMap(() => {
      entries.forEach(([key, held], i) => {
        out.push(i === 0 ? "map[" : " ", key, ":");
        print(held, out);
      });
    });
    out.push("]");
  };
}

function newStruct(fields: readonly Field[]): Printer {
  const parts = fields.map(({ name, json, type }, i) => ({
    before: `${i === 0 ? "" : " "}${name}:(${type})`,
    json,
    print: printerOf(type),
  }));
  return (value, out) => {
    const object = isAbsent(value) ? {} : (value as JsonObject);
    out.push("{");
    for (const { before, json, print } of parts) {
      out.push(before);
      print(json === "" ? object : Object.hasOwn(object, json) ? object[json] : undefined, out);
    }
    out.push("}");
  };
}

const isAbsent = (value: unknown) => value === undefined || value === null;

const text: Printer = (value, out) => {
  out.push(isAbsent(value) ? "" : String(value));
};
const number: Printer = (value, out) => {
  out.push(isAbsent(value) ? "0" : String(value));
};

/** The types that Go's runtime has, and those whose JSON is a scalar. */
const basics: { readonly [type: string]: Printer } = {
  string: text,
  int32: number,
  int64: number,
  bool: (value, out) => {
    out.push(value === true ? "true" : "false");
  },
  "resource.Quantity": (value, out) => {
    out.push(printQuantityStruct(isAbsent(value) ? "0" : String(value), out.remembersText));
  },
  "intstr.IntOrString": (value, out) => {
    const isText = typeof value === "string";
    const fields = isText ? ["1", "0", value] : ["0", String(value ?? 0), ""];
    out.push(`{Type:(intstr.Type)${fields[0]} IntVal:(int32)${fields[1]} StrVal:(string)${fields[2]}}`);
  },
  "v1.Time": (value, out) => {
    out.push(`{Time:(time.Time)${printTimeStruct(value)}}`);
  },
  "v1.FieldsV1": (value, out) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    out.push(`{Raw:([]uint8)[${bytes.join(" ")}]}`);
  },
};

/** Seconds between the years 1 and 1970. */
const unixToInternal = 62_135_596_800;
const utc =
  "{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}";

function printTimeStruct(value: unknown): string {
  if (isAbsent(value)) return "{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}";
  const seconds = Math.floor(parseTime(String(value)) / 1000);
  return `{wall:(uint64)0 ext:(int64)${seconds + unixToInternal} loc:(*time.Location)${utc}}`;
}

/** `i` holds what surely fits an int64, `d` all other amounts, and `s` the text where that is canonical. */
function printQuantityStruct(written: string, remembersText: boolean): string {
  const quantity = parseQuantity(written);
  const { mantissa, exponent, format, text: parsed = "" } = quantity;
  const kept = remembersText ? printQuantity(quantity) : parsed;
  const fits = isInt64(written);
  const i = fits ? `{value:(int64)${mantissa} scale:(resource.Scale)${exponent}}` : zeroAmount;
  const d = fits ? "<nil>" : printDecimal(quantity);
  return `{i:(resource.int64Amount)${i} d:(resource.infDecAmount){Dec:(*inf.Dec)${d}} s:(string)${kept} Format:(resource.Format)${format}}`;
}

const zeroAmount = "{value:(int64)0 scale:(resource.Scale)0}";
const quantityShape = /^[+-]?0*([0-9]*)(?:\.([0-9]*))?(.*)$/;
const binaryDigits: { readonly [suffix: string]: number } = { Ki: 3, Mi: 6, Gi: 9, Ti: 12, Pi: 15, Ei: 18 };

/** Go's estimate, by the number of digits. */
function isInt64(written: string): boolean {
  const [, whole = "", fraction = "", suffix = ""] = quantityShape.exec(written) ?? [];
  const digits = Math.max(whole.length, 1) + fraction.length;
  const binary = binaryDigits[suffix];
  if (binary !== undefined) return fraction === "" && digits + binary <= 14;
  return digits <= 18 && parseQuantity(written).exponent >= -9 && !isFinerThanNano(fraction, suffix);
}

/** What is finer is rounded, and held as a decimal. */
function isFinerThanNano(fraction: string, suffix: string): boolean {
  const exponent = { n: -9, u: -6, m: -3 }[suffix] ?? (/^[eE]/.test(suffix) ? Number(suffix.slice(1)) : 0);
  return exponent - fraction.length < -9;
}

const maxInt64 = 2n ** 63n - 1n;
const word = 2n ** 64n;

/** Go rounds what it does not cap or find to be zero to nanos, and keeps that scale. */
function printDecimal({ mantissa, exponent, format }: Quantity): string {
  const isCapped = format === "BinarySI" && (mantissa === maxInt64 || mantissa === -maxInt64) && exponent === 0;
  const scale = isCapped || mantissa === 0n ? -exponent : 9;
  const unscaled = mantissa * 10n ** BigInt(exponent + scale);
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest /= word) words.push(rest % word);
  const abs = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)${abs}} scale:(inf.Scale)${scale}}`;
}

/** Go sorts the keys of maps by their UTF-8 bytes, which is the order of code points. */
function compareAsBytes(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

interface Field {
  readonly name: string;
  /** "" of an embedded struct, whose fields lie in its parent's JSON. */
  readonly json: string;
  readonly type: string;
}

interface Table {
  readonly structs: ReadonlyMap<string, readonly Field[]>;
  /** Types with another name → what they are. */
  readonly others: ReadonlyMap<string, string>;
}

let decoded: Table | undefined;

function table(): Table {
  decoded ??= decodeTable();
  return decoded;
}

function decodeTable(): Table {
  const structs = new Map<string, readonly Field[]>();
  const others = new Map<string, string>();
  for (const line of goStructs.split("\n")) {
    const [first = "", ...words] = line.split(" ");
    if (first === "string") for (const name of words) others.set(name, "string");
    else if (first === "is")
      for (const [name = "", type = ""] of words.map((each) => each.split("="))) others.set(name, type);
    else structs.set(first, words.map(decodeField));
  }
  return { structs, others };
}

function decodeField(row: string): Field {
  const [, name = "", json, type = ""] = /^(\w+)(?:=(\w*))?:(.+)$/.exec(row) ?? [];
  return { name, json: json ?? name.charAt(0).toLowerCase() + name.slice(1), type };
}

/** For tests: the structs with their fields, and the other types by name. */
export const goTypes: () => Table = table;
