// What kubectl says when something fails, in its words, and whether that is one failure or several.
import { StatusError, TransportError } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";

/** A failure in kubectl's own words, without the `error: ` in front. */
export class KubectlError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Failed", retry: "never" });
  }
}

/** The text for standard error, with its last newline; undefined for a fault that is nobody's but ours. */
export function printFailures(errors: readonly unknown[], server: string): string | undefined {
  const [first] = errors;
  if (errors.length > 1) {
    const lines = errors.map((error) => knownMessage(error, server) ?? ownMessage(error));
    return lines.every((line) => line !== undefined) ? lines.map((line) => `${line}\n`).join("") : undefined;
  }
  if (first instanceof StatusError && first.status.reason === "Invalid") return printInvalid(first);
  const known = knownMessage(first, server);
  if (known !== undefined) return `${known}\n`;
  const own = ownMessage(first);
  if (own === undefined) return undefined;
  return own.startsWith("error: ") ? `${own}\n` : `error: ${own}\n`;
}

function knownMessage(error: unknown, server: string): string | undefined {
  if (error instanceof StatusError) {
    const { reason = "", message = "" } = error.status;
    if (reason === "Unauthorized") return `error: You must be logged in to the server (${message})`;
    return reason === "" ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
  }
  if (!(error instanceof TransportError)) return undefined;
  if (error.reason !== "ConnectionRefused") return `Unable to connect to the server: ${error.message}`;
  return `The connection to the server ${server} was refused - did you specify the right host or port?`;
}

function ownMessage(error: unknown): string | undefined {
  return error instanceof KubeloopError ? error.message : undefined;
}

/** A refused object: each field at fault has a line. */
function printInvalid({ status }: StatusError): string {
  const { details, message = "" } = status;
  if (details === undefined)
    return message === "" ? "The request is invalid\n" : `The request is invalid: ${message}\n`;
  const { kind = "", name = "", causes = [] } = details;
  const isNamed = kind !== "" || name !== "";
  const what = isNamed ? `The ${kind} ${JSON.stringify(name)} is invalid` : "The request is invalid";
  const lines = [...new Set(causes.map((cause) => `${cause.field ?? ""}: ${cause.message ?? ""}`))];
  const [first] = lines;
  if (first === undefined) return isNamed || message === "" ? `${what}\n` : `${what}: ${message}\n`;
  return lines.length === 1 ? `${what}: ${first}\n` : `${what}: \n${lines.map((line) => `* ${line}\n`).join("")}`;
}

/** The same error, with words that say what was being done to the object of which file. */
export function withSource(error: unknown, verb: string, source: string): unknown {
  if (error instanceof StatusError) {
    const message = `error when ${verb} ${JSON.stringify(source)}: ${error.status.message ?? ""}`;
    return new StatusError({ ...error.status, message }, { cause: error });
  }
  if (!(error instanceof KubeloopError) || error instanceof TransportError) return error;
  return new KubectlError(`error when ${verb} ${JSON.stringify(source)}: ${error.message}`);
}
