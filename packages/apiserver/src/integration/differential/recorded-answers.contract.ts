// What a real server answered to the stories of kinds, in short, and whether another answers the same: without what is another each time,
// and without what a story is not about. `recorded-answers.kubernetes.test.ts` asks the real one again.
import { readFileSync } from "node:fs";
import { admissionregistrationScenes } from "./admissionregistration-scenes.contract.ts";
import { apiextensionsScenes } from "./apiextensions-scenes.contract.ts";
import { apiregistrationScenes } from "./apiregistration-scenes.contract.ts";
import { autoscalingScenes } from "./autoscaling-scenes.contract.ts";
import { certificateStories } from "./certificates-scenes.contract.ts";
import { coordinationScenes } from "./coordination-scenes.contract.ts";
import { discoveryScenes } from "./discovery-scenes.contract.ts";
import { flowcontrolScenes } from "./flowcontrol-scenes.contract.ts";
import { networkingScenes } from "./networking-scenes.contract.ts";
import { nodeScenes } from "./node-scenes.contract.ts";
import { optionKindsScenes } from "./option-kinds-scenes.contract.ts";
import { policyScenes } from "./policy-scenes.contract.ts";
import { rbacScenes } from "./rbac-scenes.contract.ts";
import { type Answered, normalise, type Scene } from "./request-script.contract.ts";
import { resourceScenes } from "./resource-scenes.contract.ts";
import { schedulingScenes } from "./scheduling-scenes.contract.ts";
import { storageScenes } from "./storage-scenes.contract.ts";
import { writingScenes } from "./writing-scenes.contract.ts";

/** What a patch may say, and what a body may not. */
const patchScenes = writingScenes.filter(({ name }) => ["bodies", "strategic patches"].includes(name));

export const recordedScenes: readonly Scene[] = [
  ...admissionregistrationScenes,
  ...apiextensionsScenes,
  ...apiregistrationScenes,
  ...autoscalingScenes,
  ...certificateStories,
  ...coordinationScenes,
  ...discoveryScenes,
  ...flowcontrolScenes,
  ...networkingScenes,
  ...nodeScenes,
  ...optionKindsScenes,
  ...policyScenes,
  ...rbacScenes,
  ...resourceScenes,
  ...schedulingScenes,
  ...storageScenes,
  ...patchScenes,
];

export const recordedUrl = new URL("recorded-answers.jsonl", import.meta.url);

/** By "scene: title", in the order asked. */
export type RecordedAnswers = Readonly<Record<string, unknown>>;

/** One step a line. */
export function readRecorded(): RecordedAnswers {
  const lines = readFileSync(recordedUrl, "utf8").trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as readonly [string, unknown]));
}

export const printRecorded = (answers: RecordedAnswers): string =>
  Object.entries(answers)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");

/** The refusal's text, the table's cells or the object, with its code and warnings where there is something to say about them. */
export function shortAnswer(answer: Answered, namespace: string): unknown {
  const { code, headers, body } = normalise(answer, namespace);
  const said = isRecord(body) ? shortBody(body) : body;
  const { warning } = headers;
  return warning === undefined ? { code, ...asField(said) } : { code, ...asField(said), warning };
}

type JsonRecord = Readonly<Record<string, unknown>>;

const asField = (said: unknown) => (typeof said === "string" ? { says: said } : { shows: said });

function shortBody(body: JsonRecord): unknown {
  if (body["kind"] === "Status") return body["status"] === "Failure" ? body["message"] : "Success";
  if (body["kind"] === "Table") {
    const rows = body["rows"] as readonly { readonly cells: unknown }[];
    return rows.map(({ cells }) => withoutUser(cells));
  }
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = body;
  return { ...(withoutUser(rest) as object), metadata: shortMetadata(metadata as JsonRecord) };
}

const passedOver = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields"];

function shortMetadata(metadata: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !passedOver.includes(field)));
}

/** Who asks is somebody else on each server. */
function withoutUser(value: unknown): unknown {
  if (value === "admin" || value === "system:admin") return "{admin}";
  if (Array.isArray(value)) return value.map(withoutUser);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([field, held]) => field !== "uid" || held !== "uid-of-admin");
  return Object.fromEntries(entries.map(([field, held]) => [field, withoutUser(held)]));
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
