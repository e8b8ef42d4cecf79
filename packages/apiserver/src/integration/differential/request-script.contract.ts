// Requests that are sent to two servers, one after the other, to see whether anybody could tell them apart. A scene is a story of its own: it
// has a namespace and may use what earlier answers said. Both servers hear the same story in the same order.

export interface Answered {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, else the text. */
  readonly body: unknown;
}

export interface Step {
  /** What is asked, in a few words; unique within its scene. */
  readonly title: string;
  readonly method?: string;
  /** `{ns}` stands for the scene's namespace, here and in all that follows. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON; text as it is. */
  readonly body?: unknown;
  /** Where a server's admission looks at a cache: the story goes on when the effect of this step shows in it. */
  readonly seen?: SeenInCache;
}

export interface SeenInCache {
  /** Changes nothing, and is sent until its answer shows the effect. */
  readonly probe: Step;
  readonly isShown: (answer: Answered) => boolean;
}

/** A step that depends on what was answered before, by title. */
export type NextStep = Step | ((earlier: (title: string) => Answered) => Step);

export interface Scene {
  readonly name: string;
  readonly steps: readonly NextStep[];
}

/** What servers may choose freely is made equal; what clients read stays. */
export function normalise(answer: Answered, namespace: string): Answered {
  const text = JSON.stringify(answer.body ?? null);
  const plain = text
    .replaceAll(namespace, "{ns}")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "{uid}")
    .replaceAll(/(resourceVersion\\*":\\*")\d+/g, "$1{version}")
    .replaceAll(/(in record \()\d+(\))/g, "$1{version}$2")
    .replaceAll(/(resource version: \d+, current: )\d+/g, "$1{version}")
    .replaceAll(/127\.0\.0\.1:\d+/g, "{address}")
    // What a server makes up of a prefix.
    .replaceAll(/(A_|[Gg]en-a*)[bcdfghjklmnpqrstvwxz2456789]{5}/g, "$1{suffix}")
    .replaceAll(/(kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}/g, "$1{suffix}")
    // How long ago, in a table: the second may have turned since.
    .replaceAll(/"\d+s"/g, '"{age}"')
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{6})?Z/g, "{time}");
  const { "content-type": type = "", warning, "retry-after": retryAfter } = answer.headers;
  const headers = {
    "content-type": type,
    ...(warning === undefined ? {} : { warning: warning.replaceAll(namespace, "{ns}") }),
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  };
  return { code: answer.code, headers, body: withoutVersions(JSON.parse(plain)) };
}

function writerOf(entry: unknown): string {
  const { operation, manager, apiVersion, subresource } = entry as Readonly<Record<string, string | undefined>>;
  return JSON.stringify([operation, manager, apiVersion, subresource ?? ""]);
}

/** Versions are numbers of the server's own; only whether there is one counts. */
function withoutVersions(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutVersions(item));
    // They stand by age, in seconds: which is older hangs on whether a second turned between two writes.
    return key === "managedFields" ? items.toSorted((a, b) => (writerOf(a) < writerOf(b) ? -1 : 1)) : items;
  }
  if (typeof value === "string") {
    if (key === "resourceVersion") return value === "" ? "" : "{version}";
    if (key === "continue") return value === "" ? "" : "{continue}";
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withoutVersions(held, name)]));
}

/** Paths at which two answers differ, with both values, in words. */
export function differences(ours: Answered, theirs: Answered): readonly string[] {
  const found: string[] = [];
  const compare = (path: string, a: unknown, b: unknown): void => {
    if (Object.is(a, b)) return;
    if (
      typeof a === "object" &&
      typeof b === "object" &&
      a !== null &&
      b !== null &&
      Array.isArray(a) === Array.isArray(b)
    ) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
        compare(`${path}.${name}`, (a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]);
      }
      return;
    }
    found.push(`${path}: ours ${print(a)}, theirs ${print(b)}`);
  };
  compare("code", ours.code, theirs.code);
  compare("headers", ours.headers, theirs.headers);
  compare("body", ours.body, theirs.body);
  return found;
}

const print = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 400));
