// What may be asked of a log, checked before anybody looks for the pod.
import {
  type Fault,
  fieldPath,
  forbiddenFault,
  invalidFault,
  newBadRequest,
  newInvalid,
  type Query,
  queryValue,
} from "@kubeloop/core/api";
import { normalTime, UnmarshalError } from "../../../wire/decode/index.ts";
import { readInteger } from "../../options/request-options.ts";

/** Throws 400 and 422. */
export function checkLogOptions(query: Query, podName: string): void {
  const sinceSeconds = readInteger(query, "sinceSeconds");
  const sinceTime = readTime(query, "sinceTime");
  const tailLines = readInteger(query, "tailLines");
  const limitBytes = readInteger(query, "limitBytes");
  const faults: Fault[] = [];
  const refuse = (name: string, value: number, why: string) => faults.push(invalidFault(fieldPath(name), value, why));
  if (tailLines !== undefined && tailLines < 0) refuse("tailLines", tailLines, "must be greater than or equal to 0");
  if (limitBytes !== undefined && limitBytes < 1) refuse("limitBytes", limitBytes, "must be greater than 0");
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    const why = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    // Upstream's path without a name.
    faults.push(forbiddenFault(fieldPath("[]"), why));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    refuse("sinceSeconds", sinceSeconds, "must be greater than 0");
  }
  if (queryValue(query, "stream") !== undefined) {
    faults.push(forbiddenFault(fieldPath("stream"), "may not be specified"));
  }
  if (faults.length > 0) throw newInvalid({ group: "", kind: "PodLogOptions" }, podName, { faults });
}

function readTime(query: Query, name: string): string | undefined {
  const text = queryValue(query, name) ?? "";
  if (text === "" || text === "null") return undefined;
  try {
    return normalTime(text) ?? undefined;
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(error.message);
    throw error;
  }
}
