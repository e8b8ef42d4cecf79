// The rules of the house that a machine can see, as pure functions from files to complaints: imports point only down, no
// `any` outside decoders, time and chance only in `base`, no default exports, no `export *`, a promise on top of each file.
// Patterns over text: a tripwire, not a proof; review remains.
import { resolvePath } from "./folder-cycles.ts";
import { checkKindLookUps } from "./kind-look-ups.ts";
import { checkMeasuredTime } from "./measured-time.ts";
import type { SourceFile } from "./repository.ts";
import { blankOut, importsOf, lineAt } from "./source-text.ts";

/** Core's layers; each may import only from itself and from those before it. */
export const coreLayers = [
  "base",
  "workqueue",
  "api",
  "rules",
  "contract",
  "client",
  "informer",
  "election",
  "events",
  "runtime",
  "testing",
] as const;

/** What stands in core's informer, its folders and files, in the same way. Tests may stand on all of it. */
export const informerFolders = [
  "tombstone.ts",
  "requeue-error.ts",
  "option-checks.ts",
  "liveness.ts",
  "wait",
  "store",
  "handler",
  "reflector",
  "queue",
  "controller",
  "shared",
  "lister",
  "factory",
  "generated",
  "watch",
  "compat",
  "index.ts",
] as const;

/**
 * The rooms of the embedded server, files at its top among them; each may import only from itself and from those before it. Tests may stand on
 * the whole server.
 */
export const apiserverLayers = [
  "generated",
  "go-prose",
  "version.ts",
  "storage",
  "kinds",
  "wire",
  "authentication",
  "authorization",
  "admission",
  "resources",
  "managed-fields",
  "reservations",
  "describe",
  "bootstrap",
  "inflight-limits.ts",
  "request-deadline.ts",
  "handle-request.ts",
  "serving",
  "api-server.ts",
  "index.ts",
] as const;

/** The scheduler's folders and the files beside them, in the same way. Only `driver` knows a server. */
export const schedulerLayers = [
  "snapshot",
  "framework",
  "volumes",
  "plugins",
  "preemption",
  "schedule.ts",
  "queue",
  "driver",
  "config",
  "index.ts",
] as const;
/** The folders of the hollow nodes: what a container does, a pod's life, the node, logs and exec, a kubelet's port, and what talks to the API server. */
export const nodesLayers = ["script", "life", "node", "streams", "kubelet", "driver", "index.ts"] as const;

interface PackageRule {
  /** Folders in their order: an import points to the same one, or to one before it. Without order when absent. */
  readonly layers?: readonly string[];
  /** Whether tests keep the order, too. */
  readonly ordersTests?: boolean;
  /** Which of core's layers it may import; all when absent. */
  readonly coreLayers?: readonly string[];
  /** Which other packages of ours. */
  readonly packages: readonly string[];
  /** Which foreign packages at run time. */
  readonly dependencies: readonly string[];
  /** Which foreign packages for their types only. */
  readonly types?: readonly string[];
}

/** What each package may depend on: design.md's table. */
export const packageRules: Readonly<Record<string, PackageRule>> = {
  core: {
    layers: coreLayers,
    ordersTests: true,
    packages: [],
    dependencies: ["undici", "yaml"],
    types: ["pino", "prom-client"],
  },
  apiserver: {
    layers: apiserverLayers,
    coreLayers: ["base", "api", "rules", "types", "resources"],
    packages: [],
    dependencies: ["yaml", "@marcbachmann/cel-js", "re2js", "jose", "pkijs", "asn1js"],
  },
  controllers: {
    coreLayers: ["base", "api", "rules", "contract", "types", "resources"],
    packages: [],
    dependencies: [],
  },
  "controller-manager": {
    packages: ["@kubeloop/controllers", "@kubeloop/scheduler"],
    dependencies: ["prom-client", "pkijs", "asn1js"],
  },
  scheduler: { layers: schedulerLayers, packages: [], dependencies: [] },
  nodes: { layers: nodesLayers, packages: [], dependencies: [] },
  kubeloop: {
    packages: [
      "@kubeloop/apiserver",
      "@kubeloop/apiserver/authority",
      "@kubeloop/controllers",
      "@kubeloop/controller-manager",
      "@kubeloop/scheduler",
      "@kubeloop/nodes",
    ],
    dependencies: ["yaml"],
  },
};

const testPackages = [
  "vitest",
  "fast-check",
  "pino",
  "prom-client",
  "@kubeloop/real-cluster",
  "@kubeloop/client-suite",
  "@kubeloop/counted-work",
  "@kubeloop/informer-suite",
  "@kubeloop/simulation-suite",
  "@kubeloop/scenarios",
  // Scenarios run on the embedded server, and certificates are made by its authority.
  "@kubeloop/apiserver",
];

export type Rule = (file: SourceFile) => readonly string[];

export const rules: Readonly<Record<string, Rule>> = {
  "imports point down": checkImports,
  "no any outside decoders": checkAny,
  "time and chance only in base": checkTimeAndChance,
  "tests measure no time": checkMeasuredTime,
  "pure layers do no I/O": checkPurity,
  "a served resource says its schema": checkKindLookUps,
  "no default exports": checkDefaultExports,
  "no export *": checkStarExports,
  "a promise on top": checkHeader,
};

/** Every complaint about these files, as `path:line: what`. */
export function complaints(files: readonly SourceFile[], checks: readonly Rule[] = Object.values(rules)): string[] {
  return files.flatMap((file) => checks.flatMap((check) => check(file)));
}

const isTest = (path: string) => /\.test\.ts$/.test(path);
/** Tests, the suites and the props they share: no package's build has them. */
const isForTests = (path: string) => /\.(?:test|contract|fixture)\.ts$/.test(path);
const isGenerated = (path: string) => path.includes("/generated/");

function checkImports(file: SourceFile): string[] {
  const packageName = /^packages\/([^/]+)\/src\//.exec(file.path)?.[1] ?? "";
  const rule = packageRules[packageName];
  if (rule === undefined) return [];
  const layer = layerOf(file.path);
  const isCore = packageName === "core";
  return importsOf(file.text).flatMap(({ specifier, isTypeOnly, line }) => {
    const complain = (what: string) => [`${file.path}:${line}: ${what} "${specifier}"`];
    if (specifier.startsWith("node:")) return [];
    if (specifier.startsWith(".")) {
      const target = resolvePath(file.path, specifier);
      if (!target.startsWith(`packages/${packageName}/src/`)) return complain("leaves its package with");
      if (!isForTests(file.path) && isUpwardsInInformer(file.path, target)) {
        return complain(`informer/${folderOf(file.path)} imports upwards:`);
      }
      if (rule.layers === undefined || (isForTests(file.path) && rule.ordersTests !== true)) return [];
      return isBelow(rule.layers, layerOf(target), layer) ? [] : complain(`layer ${layer} imports upwards:`);
    }
    const core = /^@kubeloop\/core\/([^/]+)/.exec(specifier);
    if (core !== null && !isCore) {
      const isAllowed = rule.coreLayers === undefined || rule.coreLayers.includes(core[1] ?? "");
      return isAllowed || isForTests(file.path) ? [] : complain(`${packageName} may not see core's`);
    }
    if (rule.packages.includes(specifier)) return [];
    const foreign = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    if (rule.dependencies.includes(foreign)) return [];
    if (isTypeOnly && rule.types?.includes(foreign)) return [];
    if (isForTests(file.path) && testPackages.includes(foreign)) return [];
    return complain(`${packageName} may not depend on`);
  });
}

/** The folder below src, or the file if it stands there itself. */
function layerOf(path: string): string {
  return path.split("/")[3] ?? "";
}

/** The folder inside a layer, or the file if it stands there itself. */
function folderOf(path: string): string {
  return path.split("/")[4] ?? "";
}

const informerRoot = "packages/core/src/informer/";

function isUpwardsInInformer(path: string, target: string): boolean {
  if (!path.startsWith(informerRoot) || !target.startsWith(informerRoot)) return false;
  return folderOf(path) !== folderOf(target) && !isBelow(informerFolders, folderOf(target), folderOf(path));
}

function isBelow(layers: readonly string[], target: string, from: string): boolean {
  return layers.includes(target) && layers.indexOf(target) <= layers.indexOf(from);
}

function checkAny(file: SourceFile): string[] {
  if (/(^|\/)(decode|decoder)[^/]*\.ts$|-decoder\.ts$/.test(file.path)) return [];
  return findAll(file, /(?<![.\w$])any\b(?!\s*[:(])/g, () => "`any` outside a decoder");
}

const realTime =
  /(?<![.\w$])(?:globalThis\.)?(?:setTimeout|setInterval|setImmediate)\b|\bDate\.now\b|\bnew Date\b(?:\(\s*\)|(?!\s*\())|\bMath\.random\b|\bperformance\.now\b|\bprocess\.hrtime\b|\bAbortSignal\.(?:timeout|any)\b/g;

function checkTimeAndChance(file: SourceFile): string[] {
  if (file.path.startsWith("packages/core/src/base/")) return [];
  const uses = findAll(file, realTime, (found) => `${found} outside base`);
  // Our tools may draw an identity for a lock; what we ship names things by the Random it is given.
  if (file.path.startsWith("packages/"))
    uses.push(...findAll(file, /\brandomUUID\b/g, (found) => `${found} outside base`));
  const modules = importsOf(file.text).filter(({ specifier }) => /^node:timers/.test(specifier));
  return [...uses, ...modules.map(({ specifier, line }) => `${file.path}:${line}: ${specifier} outside base`)];
}

const outsideWorld = /^node:(?:child_process|cluster|dgram|dns|fs|http|http2|https|net|tls|worker_threads)(?:\/|$)/;
const pureRooms =
  /^packages\/(?:core\/src\/(?:base|workqueue|api|rules|contract)|controllers\/src|scheduler\/src\/(?:snapshot|framework|volumes|plugins|preemption|queue))\//;

function checkPurity(file: SourceFile): string[] {
  if (!pureRooms.test(file.path) || isTest(file.path)) return [];
  const forbidden = importsOf(file.text).filter(({ specifier }) => outsideWorld.test(specifier));
  return forbidden.map(({ specifier, line }) => `${file.path}:${line}: a pure layer imports ${specifier}`);
}

function checkDefaultExports(file: SourceFile): string[] {
  // vitest wants its configuration so; and a description of another's module says what is there.
  if (file.path === "vitest.config.ts" || file.path.endsWith(".d.ts")) return [];
  return findAll(file, /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\b/g, () => "default export");
}

function checkStarExports(file: SourceFile): string[] {
  // Generated namespaces of types carry a name.
  return findAll(file, /\bexport\s+(?:type\s+)?\*(?!\s*as\b)/g, () => "export *");
}

function checkHeader(file: SourceFile): string[] {
  if (isTest(file.path) || isGenerated(file.path)) return [];
  const text = file.text.replace(/^#!.*\n/, "");
  return text.startsWith("//") ? [] : [`${file.path}:1: no promise on top`];
}

function findAll(file: SourceFile, pattern: RegExp, say: (found: string) => string): string[] {
  const code = blankOut(file.text);
  return [...code.matchAll(pattern)].map((match) => `${file.path}:${lineAt(file.text, match.index)}: ${say(match[0])}`);
}
