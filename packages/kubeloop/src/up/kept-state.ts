// What `kubeloop up` keeps in `.kubeloop/state.json` from one run to the next: its certificate authority, the administrator's token, and the
// end of the resource versions that it may have given out. Together they let a client of the last run go on with this one.
//
// Promises
// - The file is its owner's alone (0600), is replaced as a whole, and a link in its place is never followed.
// - A kept authority that is broken, or not valid for another day, is replaced; `complaint` then says so in one sentence.
// - No resource version is given out twice: versions are reserved on disk before the storage may use them, and a run begins above all that were
//   ever reserved. The clock alone would not do, since it may be set back; it only adds what a lost file would have known.
import { randomBytes, X509Certificate } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  authorityFromPair,
  type CertificateAuthority,
  type CertificatePair,
  createAuthority,
} from "@kubeloop/apiserver/authority";
import { type Clock, toError } from "@kubeloop/core/base";
import { UsageError } from "../usage-error.ts";
import { codeOf, fileFault, isWithoutLinks } from "./start-faults.ts";

/** What one run works with. */
export interface KeptState {
  readonly authority: CertificateAuthority;
  readonly token: string;
  /** Above every resource version of the runs before. */
  readonly firstRevision: number;
  /** Why clients of the last run are not clients of this one, if so. */
  readonly complaint: string | undefined;
  /** Reserves versions up to, and without, the one returned, which is above `wanted`. Throws if that cannot be written down. */
  reserve(wanted: number): number;
}

/** The content of the file. */
interface Written {
  readonly authority: CertificatePair;
  readonly token: string;
  /** No version from here on was given out. */
  readonly nextRevision: number;
}

/** So many versions are reserved at a time: the file is written once a start, and once in so many writes. */
export const reservedAtOnce = 100_000;
/** A run that begins shall not end with its authority. */
const shortestValidityMs = 24 * 60 * 60 * 1000;

/** The folder must exist. Throws a UsageError if the file can be neither read nor written. */
export async function openKeptState(path: string, clock: Clock): Promise<KeptState> {
  const read = readState(path);
  const identity = await identityFrom(read, clock.now());
  const firstRevision = Math.max(read.nextRevision, Math.ceil(clock.now()));
  const own = { authority: identity.authority.pair, token: identity.token };
  let isFirst = true;
  const reserve = (wanted: number) => {
    // Looked at again, because another `up` in this folder may have been here meanwhile.
    const { written, nextRevision: reserved } = readState(path);
    if (isFirst && written?.token !== read.written?.token) throw startedTwice(path);
    const nextRevision = Math.max(wanted + reservedAtOnce, reserved);
    // The file of a server that took over while this one runs stays its own, but for the versions.
    const kept = isFirst ? own : (written ?? own);
    writeState(path, { ...kept, nextRevision }, isFirst && read.isAbsent ? "new" : "replaced");
    isFirst = false;
    return nextRevision;
  };
  const complaint =
    identity.fault === undefined
      ? undefined
      : `${path}: ${identity.fault}; a new authority and token were made, so clients need the new kubeconfig`;
  return { ...identity, firstRevision, complaint, reserve };
}

const startedTwice = (path: string) =>
  new UsageError(`up: ${path} was just written by another \`kubeloop up\`; one runs in a folder at a time`);

interface Identity {
  readonly authority: CertificateAuthority;
  readonly token: string;
  readonly fault: string | undefined;
}

async function identityFrom(read: ReadState, nowMs: number): Promise<Identity> {
  let fault = read.fault;
  if (read.written !== undefined) {
    const { authority: pair, token } = read.written;
    try {
      const authority = await authorityFromPair(pair);
      fault = validityFault(pair.certPem, nowMs);
      if (fault === undefined) return { authority, token, fault };
    } catch (error) {
      fault = toError(error).message;
    }
  }
  return { authority: await createAuthority("kubeloop"), token: randomBytes(24).toString("base64url"), fault };
}

function validityFault(certPem: string, nowMs: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(certPem);
  if (Date.parse(validTo) <= nowMs) return `the certificate authority expired on ${validTo}`;
  if (Date.parse(validTo) <= nowMs + shortestValidityMs) return `the certificate authority expires on ${validTo}`;
  if (Date.parse(validFrom) > nowMs) return `the certificate authority is not valid before ${validFrom}`;
  return undefined;
}

interface ReadState {
  readonly written: Written | undefined;
  readonly isAbsent: boolean;
  readonly nextRevision: number;
  /** Why there is nothing, although there is a file. */
  readonly fault: string | undefined;
}

function readState(path: string): ReadState {
  const nothing = { written: undefined, isAbsent: false, nextRevision: 1 };
  const text = readText(path);
  if (text === undefined) return { ...nothing, isAbsent: true, fault: undefined };
  if (text === "link") return { ...nothing, fault: "it is a link, which is not followed" };
  const written = decodeState(text);
  if (written === undefined) return { ...nothing, fault: "it is not what `up` writes there" };
  return { written, isAbsent: false, nextRevision: written.nextRevision, fault: undefined };
}

/** Undefined if there is no file. */
function readText(path: string): string | undefined {
  let file: number;
  try {
    // Windows has no such flag, and hardly such links.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") return "link";
    throw fileFault(error, "read", path);
  }
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw fileFault(error, "read", path);
  } finally {
    closeSync(file);
  }
}

function decodeState(text: string): Written | undefined {
  const state = parseObject(text);
  const authority = state?.["authority"];
  const { certPem, keyPem } = isRecord(authority) ? authority : {};
  const { token, nextRevision } = state ?? {};
  if (typeof certPem !== "string" || typeof keyPem !== "string" || typeof token !== "string" || token === "") {
    return undefined;
  }
  if (!Number.isSafeInteger(nextRevision) || Number(nextRevision) < 1) return undefined;
  // As far as numbers are exact, with room for a life of reservations.
  if (Number(nextRevision) > Number.MAX_SAFE_INTEGER / 2) return undefined;
  return { authority: { certPem, keyPem }, token, nextRevision: Number(nextRevision) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Broken off, or another's: the caller says so.
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** At once and as a whole. What reads it while it is written sees the one before. Throws if one that is to be new is there already. */
function writeState(path: string, state: Written, target: "new" | "replaced"): void {
  try {
    // Beside the target, since only within one file system files appear whole.
    const drafts = mkdtempSync(join(dirname(path), ".draft-"));
    try {
      const draft = join(drafts, "state.json");
      const file = openSync(draft, "wx", 0o600);
      try {
        writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      if (target === "replaced" || !linked(draft, path)) renameSync(draft, path);
    } finally {
      rmSync(drafts, { recursive: true, force: true });
    }
  } catch (error) {
    throw fileFault(error, "write", path);
  }
}

/** False where the file system has no second names for files. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") throw startedTwice(path);
    if (isWithoutLinks(code)) return false;
    throw error;
  }
}
