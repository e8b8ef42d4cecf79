// CRDs out of text: YAML or JSON, any number of documents, lists of objects as `kubectl get -o yaml` prints them. Other
// objects beside them (a whole install manifest) are passed over.
import { LineCounter, parseAllDocuments } from "yaml";
import { UsageError } from "../usage-error.ts";
import { type Crd, decodeCrd, isCrd } from "./crd.ts";
import { isRecord } from "./schema.ts";

/** `source` names the text in complaints. */
export function readCrds(text: string, source: string): readonly Crd[] {
  const objects = parseDocuments(text, source).flatMap(itemsOf);
  const crds = objects.filter(isCrd);
  if (crds.length > 0) return crds.map((crd) => decodeCrd(crd, source));
  const kinds = new Set(objects.map((object) => (isRecord(object) ? String(object["kind"] ?? "") : "")));
  kinds.delete("");
  const others = kinds.size === 0 ? "" : `, only ${[...kinds].join(", ")}`;
  throw new UsageError(`${source} holds no CustomResourceDefinition${others}`);
}

function parseDocuments(text: string, source: string): readonly unknown[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, merge: true, logLevel: "error" });
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      throw new UsageError(`${source} is not YAML: line ${line}, column ${col}: ${error.message}`);
    }
    try {
      return document.toJS() as unknown;
    } catch (cause) {
      // Aliases without end.
      throw new UsageError(`${source} is not YAML: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  });
}

function itemsOf(document: unknown): readonly unknown[] {
  if (!isRecord(document) || !Array.isArray(document["items"])) return [document];
  // A list need not repeat on its items what they are.
  const isTyped = document["kind"] === "CustomResourceDefinitionList";
  const own = { apiVersion: document["apiVersion"], kind: "CustomResourceDefinition" };
  return document["items"].map((item: unknown) => (isTyped && isRecord(item) ? { ...own, ...item } : item));
}
