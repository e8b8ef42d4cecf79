// The token that carries a list from one page to the next: the revision all pages are read at, and the key the last one ended with.
// Clients must not look inside; the spelling is kube-apiserver's.
import { newBadRequest } from "@kubeloop/core/api";
import { parseJson, UnmarshalError } from "../../wire/decode/index.ts";

export interface PagePosition {
  /** -1: whatever is there now, since the revision it began at is forgotten. */
  readonly revision: number;
  /** Within the range that is listed. */
  readonly afterKey: string;
}

const version = "meta.k8s.io/v1";

export function printContinueToken({ revision, afterKey }: PagePosition): string {
  const start = revision === -1 ? `${afterKey}\u0000` : `/${afterKey}\u0000`;
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start }), "utf8").toString("base64url");
}

/** Throws 400. */
export function parseContinueToken(text: string): PagePosition {
  const { v, rv, start } = readToken(text);
  if (v !== version) {
    throw newBadRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${String(v ?? "")}`,
    );
  }
  if (typeof rv !== "number" || !Number.isSafeInteger(rv))
    throw newBadRequest("invalid continue token: continue key is not valid");
  if (rv === 0)
    throw newBadRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  if (typeof start !== "string" || start === "") {
    throw newBadRequest(
      "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    );
  }
  const key = start.startsWith("/") ? start.slice(1) : start;
  // Nothing that would lead out of the range: no empty segments, no dots.
  if (key.split("/").some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw newBadRequest(`invalid continue token: continue key is not valid: ${start}`);
  }
  return { revision: rv, afterKey: key.endsWith("\u0000") ? key.slice(0, -1) : beforeKey(key) };
}

/** A token that begins with a key instead of after one. */
const beforeKey = (key: string) => key.slice(0, -1) + String.fromCharCode(key.charCodeAt(key.length - 1) - 1);

function readToken(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const odd = /[^A-Za-z0-9_-]/.exec(text)?.index;
  // One letter alone at the end is the beginning of nothing.
  const at = odd ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (at !== undefined) {
    throw newBadRequest(`invalid continue token: continue key is not valid: illegal base64 data at input byte ${at}`);
  }
  try {
    const token = parseJson(Buffer.from(text, "base64url")).value;
    return typeof token === "object" && token !== null ? token : {};
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw newBadRequest(`invalid continue token: continue key is not valid: ${error.message}`);
  }
}
