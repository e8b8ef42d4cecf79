// What a flag can hold: how its text becomes a value, how a value is printed, and what `--help` calls it. The types are pflag's, by name.
import { isIP } from "node:net";
import { parseQuantity } from "@kubeloop/core/api";
import { parseGoDuration, printGoDuration } from "./go-duration.ts";
import { FlagValueError, invalidSyntax, outOfRange, quote } from "./go-errors.ts";
import { readCsvLine } from "./read-csv-line.ts";

export interface FlagType<T> {
  /** As `--help` and /flagz call it. */
  readonly name: string;
  /** Throws a FlagValueError. `before` is what the same command line has set so far: a list grows, all else is replaced. */
  parse(text: string, before: T | undefined): T;
  print(value: T): string;
  /** What a flag without a value means, as in `--leader-elect`. Without it, the next argument is the value. */
  readonly bareText?: string;
  /** Printed in quotes where `--help` tells the default. */
  readonly isQuoted?: boolean;
}

export const boolType: FlagType<boolean> = { name: "bool", parse: parseBool, print: String, bareText: "true" };

export const stringType: FlagType<string> = {
  name: "string",
  parse: (text) => text,
  print: (value) => value,
  isQuoted: true,
};

/** Milliseconds. */
export const durationType: FlagType<number> = { name: "duration", parse: parseGoDuration, print: printGoDuration };

export const intType: FlagType<number> = { name: "int", parse: (text) => parseInteger(text, 64), print: String };
export const int32Type: FlagType<number> = { name: "int32", parse: (text) => parseInteger(text, 32), print: String };
export const float32Type: FlagType<number> = { name: "float32", parse: parseFloat32, print: String };
export const float64Type: FlagType<number> = { name: "float", parse: parseFloat64, print: String };

/** The first use replaces the default, later ones add to it. */
export const stringsType: FlagType<readonly string[]> = {
  name: "strings",
  parse: (text, before = []) => [...before, ...readCsvLine(text)],
  print: (value) => `[${value.join(",")}]`,
};

export const int32SliceType: FlagType<readonly number[]> = {
  name: "int32Slice",
  parse: (text, before = []) => [...before, ...text.split(",").map((one) => parseInteger(one, 32))],
  print: (value) => `[${value.join(",")}]`,
};

export const stringToStringType: FlagType<Readonly<Record<string, string>>> = {
  name: "stringToString",
  parse: (text, before = {}) => ({ ...before, ...readPairs(text) }),
  print: (value) => `[${Object.entries(value).map(([key, one]) => `${key}=${one}`)}]`,
};

/** Gates by component: `kube:A=true,B=false`. They are split at commas only; what a gate may be called is checked when it is set. */
export const featureGatesType: FlagType<readonly string[]> = {
  name: "colonSeparatedMultimapStringString",
  parse: (text, before = []) => [
    ...before,
    ...text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  ],
  print: (value) => value.join(","),
};

export const ipType: FlagType<string> = {
  name: "ip",
  parse: (text) => {
    if (isIP(text.trim()) === 0) throw new FlagValueError(`failed to parse IP: ${quote(text)}`);
    return text.trim();
  },
  print: (value) => value,
};

export const quantityType: FlagType<string> = {
  name: "quantity",
  parse: (text) => {
    try {
      parseQuantity(text);
    } catch {
      throw new FlagValueError(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    }
    return text;
  },
  print: (value) => value,
};

export interface NamedCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  /** Host names that this certificate is for; those in the certificate where none is given. */
  readonly names: readonly string[];
}

export const namedCertKeysType: FlagType<readonly NamedCertKey[]> = {
  name: "namedCertKey",
  parse: (text, before = []) => [...before, readNamedCertKey(text)],
  print: (value) => `[${value.map(printNamedCertKey).join(";")}]`,
};

export const levelType: FlagType<number> = {
  name: "Level",
  parse: (text) => {
    if (!/^[0-9]+$/.test(text)) throw invalidSyntax("ParseUint", text);
    if (Number(text) >= 2 ** 31) throw outOfRange("ParseUint", text);
    return Number(text);
  },
  print: String,
};

export interface ModuleLevel {
  readonly pattern: string;
  readonly level: number;
}

export const moduleLevelsType: FlagType<readonly ModuleLevel[]> = {
  name: "pattern=N,...",
  parse: (text) =>
    text
      .split(",")
      .filter((one) => one !== "")
      .map(readModuleLevel),
  print: (value) => value.map(({ pattern, level }) => `${pattern}=${level}`).join(","),
};

/** `--version` prints the version, `--version=raw` all that is known of it, `--version=v1.36.4` sets what is said. */
export const versionType: FlagType<string> = {
  name: "version",
  bareText: "true",
  parse: (text) => {
    if (text === "raw" || text.startsWith("v")) return text;
    return String(parseBool(text));
  },
  print: (value) => value,
};

function parseBool(text: string): boolean {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  throw invalidSyntax("ParseBool", text);
}

// Go's base 0: a prefix tells the base, and underscores may stand between digits.
const integerForms = /^[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/;

function parseInteger(text: string, bits: 32 | 64): number {
  if (!integerForms.test(text)) throw invalidSyntax("ParseInt", text);
  const isNegative = text.startsWith("-");
  const digits = text
    .replace(/^[+-]/, "")
    .replaceAll("_", "")
    .replace(/^0(?=[0-7])/, "0o");
  const value = isNegative ? -BigInt(digits) : BigInt(digits);
  if (value !== BigInt.asIntN(bits, value)) throw outOfRange("ParseInt", text);
  return Number(value);
}

function parseFloat64(text: string): number {
  const isNumber = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text);
  const special = /^([+-]?)(?:inf|infinity|nan)$/i.exec(text);
  if (special !== null) return /nan/i.test(text) ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
  if (!isNumber) throw invalidSyntax("ParseFloat", text);
  if (!Number.isFinite(Number(text))) throw outOfRange("ParseFloat", text);
  return Number(text);
}

/** The shortest decimal that is this number in 32 bits, as upstream prints it again. */
function parseFloat32(text: string): number {
  const value = parseFloat64(text);
  if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) throw outOfRange("ParseFloat", text);
  return value;
}

function readPairs(text: string): Record<string, string> {
  const pairs = text.split("=").length - 1 <= 1 ? [text] : readCsvLine(text);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0) throw new FlagValueError(`${pair} must be formatted as key=value`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function readNamedCertKey(text: string): NamedCertKey {
  const colon = text.indexOf(":");
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === "") throw new FlagValueError("empty names list is not allowed");
  const files = (colon < 0 ? text : text.slice(0, colon)).split(",").map((file) => file.trim());
  const [certFile, keyFile] = files;
  if (files.length !== 2 || certFile === undefined || keyFile === undefined) {
    throw new FlagValueError("expected comma separated certificate and key file paths");
  }
  return { certFile, keyFile, names: names?.split(",").map((name) => name.trim()) ?? [] };
}

const printNamedCertKey = ({ certFile, keyFile, names }: NamedCertKey) =>
  `${certFile},${keyFile}${names.length === 0 ? "" : `:${names.join(",")}`}`;

function readModuleLevel(text: string): ModuleLevel {
  const [pattern = "", level = "", ...more] = text.split("=");
  if (more.length > 0 || pattern === "" || level === "") {
    throw new FlagValueError(`${quote(text)} does not have the pattern=N format`);
  }
  if (!/^[0-9]+$/.test(level))
    throw new FlagValueError(`parsing verbosity in ${quote(text)}: ${invalidSyntax("ParseUint", level).message}`);
  return { pattern, level: Number(level) };
}
