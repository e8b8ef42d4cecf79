// The objects of `-f`: a file, a folder (its .json, .yaml and .yml files, below it with -R), standard input (-); YAML or JSON, any number
// of documents, lists taken apart. Read as YAML 1.1, as kubectl does: `yes` is true.
import { readdir, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { LineCounter, parseAllDocuments, type ScalarTag, type Tags } from "yaml";
import { KubectlError } from "./kubectl-error.ts";
import type { AnyObject } from "./object-printer.ts";
import type { KubectlWorld } from "./world.ts";

export interface Manifest {
  readonly object: AnyObject;
  /** The file, or STDIN. */
  readonly source: string;
}

export const manifestFlags = {
  filename: { type: "list", short: "f" },
  recursive: { type: "switch", short: "R" },
} as const;

export async function readManifests(
  filenames: readonly string[],
  isRecursive: boolean,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const filename of filenames.flatMap((list) => list.split(","))) {
    if (filename === "-") {
      manifests.push(...parseManifests(await world.readStdin(), "STDIN"));
      continue;
    }
    for (const file of await filesAt(filename, isRecursive, world)) {
      const text = await world.host.readFile(resolve(world.host.cwd(), file), signal);
      manifests.push(...parseManifests(text, file));
    }
  }
  return manifests;
}

const extensions = [".json", ".yaml", ".yml"];

/** Of a folder the files in order of their names. */
async function filesAt(path: string, isRecursive: boolean, { host }: KubectlWorld): Promise<readonly string[]> {
  const absolute = resolve(host.cwd(), path);
  const found = await stat(absolute).catch(() => undefined);
  if (found === undefined) throw new KubectlError(`the path ${JSON.stringify(path)} does not exist`);
  if (!found.isDirectory()) return [path];
  const files = await filesBelow(absolute, path, isRecursive);
  if (files.length > 0) return files;
  throw new KubectlError(`error reading [${path}]: recognized file extensions are [${extensions.join(" ")}]`);
}

async function filesBelow(absolute: string, path: string, isRecursive: boolean): Promise<readonly string[]> {
  const files: string[] = [];
  const entries = await readdir(absolute, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [inner, shown] = [join(absolute, entry.name), join(path, entry.name)];
    if (entry.isDirectory()) files.push(...(isRecursive ? await filesBelow(inner, shown, true) : []));
    else if (extensions.includes(extname(entry.name))) files.push(shown);
  }
  return files;
}

export function parseManifests(text: string, source: string): readonly Manifest[] {
  return parseDocuments(text, source)
    .filter((document) => document !== null && document !== undefined)
    .flatMap((document) => objectsIn(document, source))
    .map((object) => ({ object, source }));
}

function objectsIn(document: unknown, source: string): readonly AnyObject[] {
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new KubectlError(`error parsing ${source}: a document is no object`);
  const { kind = "", apiVersion = "", items } = document as Partial<AnyObject>;
  const missing = kind === "" ? "Kind" : apiVersion === "" ? "apiVersion" : undefined;
  if (missing !== undefined) {
    const shown = JSON.stringify(document);
    throw new KubectlError(
      `error when retrieving current configuration of ${JSON.stringify(source)}: Object '${missing}' is missing in '${shown}'`,
    );
  }
  requireTexts(document as AnyObject, source);
  if (Array.isArray(items) && kind.endsWith("List")) return items.flatMap((item: unknown) => objectsIn(item, source));
  return [document as AnyObject];
}

/** `on: yes` is no label, and a server would say so in words about its own code. */
function requireTexts({ metadata }: Partial<AnyObject>, source: string): void {
  for (const field of ["labels", "annotations"] as const) {
    const wrong = Object.values(metadata?.[field] ?? {}).find(
      (value: unknown) => typeof value !== "string" && value !== null,
    );
    if (wrong === undefined) continue;
    const type = Array.isArray(wrong) ? "array" : ({ boolean: "bool" }[typeof wrong as string] ?? typeof wrong);
    const fault = `json: cannot unmarshal ${type} into Go struct field ObjectMeta.metadata.${field} of type string`;
    throw new KubectlError(`unable to decode ${JSON.stringify(source)}: ${fault}`);
  }
}

function parseDocuments(text: string, source: string): readonly unknown[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    customTags: likeKubectl,
    merge: true,
    lineCounter,
    prettyErrors: false,
    logLevel: "error",
  });
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = lineCounter.linePos(error.pos[0]);
      throw new KubectlError(
        `error parsing ${source}: error converting YAML to JSON: yaml: line ${line}: ${error.message}`,
      );
    }
    return document.toJS() as unknown;
  });
}

/** Times stay texts, and 1:30 is no number. */
function likeKubectl(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === "string") return tag !== "timestamp" && tag !== "intTime" && tag !== "floatTime";
    return tag.tag !== "tag:yaml.org,2002:timestamp" && (tag as ScalarTag).format !== "TIME";
  });
}
