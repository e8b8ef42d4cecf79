// A request's body that is protobuf: an object in its envelope. Bytes that are none are refused with the 400 that a real server answers, in its words.
import {
  type GroupVersionKind,
  type ProtobufKind as Kind,
  newBadRequest,
  type Protobuf,
  ProtobufError,
  parseGroupVersion,
  printGroupVersion,
  quote,
} from "@kubeloop/core/api";

export interface DecodedEnvelope extends Kind {
  /** The object, `kind` and `apiVersion` first. It belongs to the caller. */
  readonly value: Record<string, unknown>;
}

/** The kind that the request's URL stands for. It stands in for what the envelope does not say. */
export interface ExpectedKind extends Kind {
  /** Returns why an object of the kind `said` is refused; undefined if it is not. Asked when the kind has no message. */
  findFault?(said: GroupVersionKind): string | undefined;
  /** The message of an object of this very kind. Looked up by the kind unless given. */
  readonly message?: string | undefined;
  /** An object of a custom resource, which has no message: whatever the envelope holds is refused, in upstream's words. */
  readonly isUnstructured?: boolean;
  /** Options: `findFault` is asked before any message is read, and a fault is reported without what was expected. */
  readonly isOptions?: boolean;
}

/** Throws 400. Whether the kind is one that may be sent there is for the caller to check, unless `expected` can. */
export function decodeEnvelope(codec: Protobuf, bytes: Uint8Array, expected?: ExpectedKind): DecodedEnvelope {
  const isBare = expected === undefined || expected.isOptions === true;
  const { typeMeta, raw } = orBadRequest(
    () => codec.openEnvelope(bytes),
    (fault) =>
      isBare
        ? fault
        : `the object provided is unrecognized (must be of type ${expected.kind}): ${fault} (${summarize(bytes)})`,
  );
  const { apiVersion, kind } = withDefaults(typeMeta, expected);
  const value = orBadRequest(
    () => codec.decodeMessage(raw, messageOf(codec, { apiVersion, kind }, expected), { kind, apiVersion }),
    (fault) =>
      isBare || kind === ""
        ? fault
        : `${kind} in version ${quote(parseGroupVersion(apiVersion).version)} cannot be handled as a ${expected.kind}: ${fault}`,
  );
  return { apiVersion, kind, value };
}

function withDefaults({ apiVersion, kind }: Kind, expected: Kind | undefined): Kind {
  return {
    apiVersion: toVersion(apiVersion) || (expected?.apiVersion ?? ""),
    kind: kind || (expected?.kind ?? ""),
  };
}

/** As Go reads it: what cannot be parsed, or names a group only, counts as not said. */
function toVersion(apiVersion: string): string {
  const [group = "", version, ...more] = apiVersion.split("/");
  if (version === undefined) return group;
  return version === "" || more.length > 0 ? "" : printGroupVersion({ group, version });
}

function messageOf(codec: Protobuf, { apiVersion, kind }: Kind, expected?: ExpectedKind): string {
  if (kind === "") throw new ProtobufError("Object 'Kind' is missing in the protobuf envelope");
  if (apiVersion === "") throw new ProtobufError("Object 'apiVersion' is missing in the protobuf envelope");
  // Upstream asks an empty object what it is.
  if (expected?.isUnstructured === true)
    throw new ProtobufError("Object 'Kind' is missing in 'object has no kind field '");
  const isExpected = expected?.kind === kind && expected.apiVersion === apiVersion;
  const message = (isExpected ? expected.message : undefined) ?? codec.messageOfKind({ apiVersion, kind });
  const isAsked = message === undefined || expected?.isOptions === true;
  const fault = isAsked ? expected?.findFault?.({ ...parseGroupVersion(apiVersion), kind }) : undefined;
  if (message !== undefined && fault === undefined) return message;
  const scheme = "pkg/runtime/scheme.go:111";
  throw new ProtobufError(
    fault ?? `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`,
  );
}

function orBadRequest<T>(work: () => T, describe: (fault: string) => string): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ProtobufError ? newBadRequest(describe(error.message)) : error;
  }
}

const summaryBytes = 30;

/** The beginning of a body, as a real server shows it to its sender. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = Buffer.from(bytes.subarray(0, summaryBytes));
  const isJson = bytes[0] === 0x7b;
  return `${shown.toString(isJson ? "utf8" : "hex")}${bytes.length > summaryBytes ? " ..." : ""}`;
}
