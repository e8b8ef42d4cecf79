// The formats of texts that a schema of a custom resource may ask for, as upstream's registry looks at them.
import { isIPv4, isIPv6 } from "node:net";
import { validateDns1123Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { parseAddress } from "../../go-prose/go-address.ts";

type Format = (text: string) => boolean;

const matches =
  (pattern: RegExp): Format =>
  (text) =>
    pattern.test(text);

const uuid = (version: string, variant: string) =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i"));

const formats: Readonly<Record<string, Format>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  uri: isUri,
  email: matches(/^[^\s@<>]+@[^\s@<>]+$|^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matches(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}|(?:[0-9a-f]{2}\1){2}[0-9a-f]{2})|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2,3})$/i,
  ),
  uuid: uuid("[0-9a-f]", "[0-9a-f]"),
  uuid3: uuid("3", "[0-9a-f]"),
  uuid4: uuid("4", "[89ab]"),
  uuid5: uuid("5", "[89ab]"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i),
  rgbcolor: isRgbColor,
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  password: () => true,
  date: isDate,
  // Each text can be read in one way only: one that is no duration after all would be tried in all ways.
  duration: matches(
    /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)\s*(?:ns|us|µs|μs|ms|[mhdw]|(?:nano|micro|milli)?s(?:ec(?:ond)?s?)?|min(?:ute)?s?|hours?|hrs?|days?|weeks?|wks?)\s*)+)$/i,
  ),
  datetime: isDateTime,
  k8sshortname: (text) => validateDns1123Label(text).length === 0,
  k8slongname: (text) => validateDns1123Subdomain(text).length === 0,
};

/** Without dashes, as upstream compares them. */
const nameOf = (format: string) => format.replaceAll("-", "");

/** A format that nobody knows is none. */
export const isKnownFormat = (format: string): boolean => Object.hasOwn(formats, nameOf(format));

export const hasFormat = (format: string, text: string): boolean => formats[nameOf(format)]?.(text) ?? true;

function isUri(text: string): boolean {
  const parsed = parseAddress(text);
  if ("fault" in parsed || text.includes("#")) return false;
  return parsed.address.scheme !== "" || text.startsWith("/");
}

function isHostname(text: string): boolean {
  const label = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
  if (text === "" || Buffer.byteLength(text) > 255) return false;
  const labels = text.split(".");
  if (!labels.every((each) => label.test(each) && Buffer.byteLength(each) <= 63)) return false;
  return labels.length === 1 || /^[a-zA-Z\p{L}]{2,63}$/u.test(labels.at(-1) ?? "");
}

function isCidr(text: string): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return false;
  return isIPv4(address) ? Number(length) <= 32 : isIPv6(address) && Number(length) <= 128;
}

const digitsOf = (text: string) => text.replaceAll(/[\s-]/g, "");

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, sign, i) => total + (10 - i) * (sign === "X" ? 10 : Number(sign)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, sign, i) => total + Number(sign) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].toReversed().reduce((total, sign, i) => {
    const doubled = Number(sign) * (i % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return parts?.slice(1).every((part) => Number(part) <= 255 && String(Number(part)) === part) === true;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const parts = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  if (!isDate(date) || parts === null) return false;
  const [hours = "", minutes = "", seconds = ""] = parts.slice(1);
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}
