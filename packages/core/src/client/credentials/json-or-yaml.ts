// Parses JSON or YAML as kubectl does: its YAML is neither 1.1 nor 1.2 (`yes` is true, `0o10` is 8, but `22:22`
// and `2001-12-14` are strings). Of several documents the first counts, of repeated keys the last.
//
// The YAML library is loaded only if the text is YAML. Errors have line and column but no part of the text, which may
// be secret.
import type { DocumentOptions, LineCounter, ParseOptions, ScalarTag, SchemaOptions, Tags, YAMLError } from "yaml";
import { KubeloopError } from "../../base/index.ts";

export class SyntaxFault extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Decode", retry: "never" });
  }
}

/** Returns the value of the first document; undefined if the text is empty. Throws a SyntaxFault. */
export async function parseJsonOrYaml(text: string): Promise<unknown> {
  return parseJson(text) ?? (await parseYaml(text));
}

/** Prints the value as YAML. Strings that any version of YAML would parse as another type are quoted. */
export async function printYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  const customTags = (tags: Tags) => [octal, ...tags];
  return stringify(value, { ...options, customTags, aliasDuplicateObjects: false, lineWidth: 0 });
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Flow-style YAML begins like JSON, and errors of the YAML parser quote nothing.
    return undefined;
  }
}

async function parseYaml(text: string): Promise<unknown> {
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, { ...options, lineCounter, prettyErrors: false });
  if (document === undefined) return undefined;
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxFault(describe(error, lineCounter));
  try {
    return document.toJS() ?? undefined;
  } catch (cause) {
    // The aliases of the document expand without end.
    throw new SyntaxFault(cause instanceof Error ? cause.message : "cannot be resolved");
  }
}

function describe(error: YAMLError, lineCounter: LineCounter): string {
  const { line, col } = lineCounter.linePos(error.pos[0]);
  return `line ${line}, column ${col}: ${error.message}`;
}

const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  format: "OCT",
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  identify: () => false,
  resolve(text) {
    const magnitude = Number.parseInt(text.replace(/^[-+]?0o|_/g, ""), 8);
    return text.startsWith("-") ? -magnitude : magnitude;
  },
};

const foreignTags = ["binary", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`);

function kubectlTags(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag !== "string" && tag.format !== "TIME" && !foreignTags.includes(tag.tag));
  return [octal, ...kept];
}

const options: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: "yaml-1.1",
  merge: true,
  uniqueKeys: false,
  customTags: kubectlTags,
  logLevel: "error",
};
