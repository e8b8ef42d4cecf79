// An address taken apart as Go does, or what Go finds wrong with it. Hosts may hold hardly anything escaped; everywhere else it is enough
// that escapes are whole.
import { isIPv4, isIPv6 } from "node:net";
import { quote } from "@kubeloop/core/api";

export interface Address {
  readonly scheme: string;
  /** Undefined where there is none; empty where there is nothing before the "@". */
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

export type ParsedAddress = { readonly address: Address } | { readonly fault: string };

export function parseAddress(text: string): ParsedAddress {
  const [whole, fragment] = cut(text, "#");
  const parsed = parseParts(whole);
  if ("fault" in parsed) return { fault: `parse ${quote(whole)}: ${parsed.fault}` };
  const fault = escapeFault(fragment);
  return fault === undefined
    ? { address: { ...parsed.address, fragment } }
    : { fault: `parse ${quote(text)}: ${fault}` };
}

const nothing: Address = { scheme: "", user: undefined, host: "", query: "", fragment: "" };

function parseParts(text: string): ParsedAddress {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return { fault: "net/url: invalid control character in URL" };
  if (text === "*") return { address: nothing };
  if (text.startsWith(":")) return { fault: "missing protocol scheme" };
  const given = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  const scheme = (given ?? "").toLowerCase();
  const [rest, query] = cut(given === undefined ? text : text.slice(given.length + 1), "?");
  const address = { ...nothing, scheme, query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { address };
    if (cut(rest, "/")[0].includes(":")) return { fault: "first path segment in URL cannot contain colon" };
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  const authority = hasAuthority ? cut(rest.slice(2), "/")[0] : "";
  const path = hasAuthority ? rest.slice(2 + authority.length) : rest;
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const user = at < 0 ? undefined : authority.slice(0, at);
  const fault = hostFault(host, scheme) ?? userFault(user ?? "") ?? escapeFault(path);
  return fault === undefined ? { address: { ...address, user, host } } : { fault };
}

function userFault(user: string): string | undefined {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return "net/url: invalid userinfo";
  const [name, password] = cut(user, ":");
  return escapeFault(name) ?? escapeFault(password);
}

function hostFault(host: string, scheme: string): string | undefined {
  const opening = host.lastIndexOf("[");
  if (opening > 0) return "invalid IP-literal";
  if (opening === 0) return literalFault(host);
  // A host of the web has one colon at most, before its port.
  const colon = /^https?$/.test(scheme) ? host.indexOf(":") : host.lastIndexOf(":");
  return (colon < 0 ? undefined : portFault(host.slice(colon))) ?? hostTextFault(host);
}

function literalFault(host: string): string | undefined {
  const closing = host.lastIndexOf("]");
  if (closing < 0) return "missing ']' in host";
  const fault = portFault(host.slice(closing + 1));
  if (fault !== undefined) return fault;
  const [ip, ...zones] = host.slice(1, closing).split("%25");
  const textFault = hostTextFault(ip ?? "") ?? hostTextFault(zones.join("%25"), true);
  if (textFault !== undefined) return textFault;
  if (isIPv4(ip ?? "")) return "invalid IP-literal";
  return isIPv6(ip ?? "") ? undefined : `invalid host: ParseAddr(${quote(ip ?? "")}): unable to parse IP`;
}

const portFault = (port: string): string | undefined =>
  /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${quote(port)} after host`;

/** From left to right; characters beyond ASCII may stand as they are or escaped. In a zone, so may spaces and what a host may hold. */
function hostTextFault(text: string, isZone = false): string | undefined {
  for (const [part] of text.matchAll(/%(?:[0-9A-Fa-f]{2})?|[^%]/gsu)) {
    if (part === "%") return escapeFault(text);
    if (part.length === 3 && part.startsWith("%")) {
      const code = Number.parseInt(part.slice(1), 16);
      const isAllowed = isZone && (code === 0x20 || isHostCharacter(String.fromCharCode(code)));
      if (part !== "%25" && code < 0x80 && !isAllowed) return `invalid URL escape ${quote(part)}`;
    } else if (part <= "\u007f" && !isHostCharacter(part)) {
      return `invalid character ${quote(part)} in host name`;
    }
  }
  return undefined;
}

const isHostCharacter = (character: string): boolean => /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/.test(character);

/** Of the first escape that is not whole. */
function escapeFault(text: string): string | undefined {
  const found = /%(?![0-9A-Fa-f]{2})/.exec(text);
  return found === null ? undefined : `invalid URL escape ${quote(text.slice(found.index, found.index + 3))}`;
}

function cut(text: string, mark: string): readonly [before: string, after: string] {
  const i = text.indexOf(mark);
  return i < 0 ? [text, ""] : [text.slice(0, i), text.slice(i + mark.length)];
}
