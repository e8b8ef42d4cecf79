// Logs `Warning` headers of the server, each text once per client, parsed as RFC 7234 and apimachinery do.
// A malformed header is parsed as far as possible, because warnings are not essential.
import type { HttpHeaders, Transport } from "../../api/transport.ts";
import type { Log } from "../../base/index.ts";

export interface Warning {
  /** 299 is what API servers send: miscellaneous, persistent. */
  readonly code: number;
  readonly agent: string;
  readonly text: string;
}

export interface WarningOptions {
  readonly log: Log;
  /** How many texts are remembered to avoid repetition. Default: the newest 1000. */
  readonly maxRemembered?: number | undefined;
}

/** Logs the warnings of the final responses. Belongs outside the retries. */
export function withWarnings(transport: Transport, options: WarningOptions): Transport {
  const { log, maxRemembered = 1000 } = options;
  const reported = new Set<string>();
  return async (request, signal) => {
    const response = await transport(request, signal);
    if (!Object.hasOwn(response.headers, "warning")) return response;
    for (const { code, text } of parseWarnings(response.headers)) {
      if (code !== 299 || text === "" || reported.has(text)) continue;
      reported.add(text);
      log.warn("server warning", { text });
    }
    for (const oldest of reported) {
      if (reported.size <= maxRemembered) break;
      reported.delete(oldest);
    }
    return response;
  };
}

/** Returns all warnings of a response, whether its headers are repeated or joined by commas. */
export function parseWarnings(headers: HttpHeaders): readonly Warning[] {
  const values = Object.hasOwn(headers, "warning") ? headers["warning"] : undefined;
  if (values === undefined) return [];
  return (typeof values === "string" ? [values] : values).flatMap(parseHeader);
}

function parseHeader(header: string): readonly Warning[] {
  const text = decodeUtf8(header);
  const warnings: Warning[] = [];
  // A code, an agent, a quoted text, an optional quoted date; then the end or a comma.
  const warning = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"\s*(?:"[^"]*"\s*)?(?:,|$)/y;
  while (warning.lastIndex < text.length) {
    const [whole, code = "", agent = "", quoted = ""] = warning.exec(text) ?? [];
    if (whole === undefined || /\p{Cc}/u.test(agent + quoted)) break;
    warnings.push({ code: Number(code), agent, text: quoted.replace(/\\(.)/g, "$1") });
  }
  return warnings;
}

/** Servers send UTF-8, but some HTTP libraries decode headers as Latin-1. */
function decodeUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}
