// The story every kind has: made with as little as it takes, shown in a table, refused for what is wrong with it, changed in what may and
// what may not change, named badly, asked for by a field nobody knows, taken away.
import type { NextStep, Scene } from "./request-script.contract.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface KindStory {
  readonly name: string;
  /** Of the collection; `{ns}` stands for the scene's namespace. */
  readonly path: string;
  /** As little as it takes. Its name should hold `{ns}` where it lives in no namespace. */
  readonly object: Fields;
  /** Others that are made, or refused, without leaving anything: what differs from `object`, in the first or second level. Undefined
   * takes a field away. */
  readonly others?: Readonly<Record<string, Fields>>;
  /** Merge patches, one after the other. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** The same through subresources, by "name: title". */
  readonly throughSubresources?: Readonly<Record<string, unknown>>;
  /** Whether the object is really stored; else all is asked as a dry run. True unless given. */
  readonly isStored?: boolean;
  /** The name that is refused. */
  readonly badName?: string;
  /** What else is asked before it is taken away. */
  readonly steps?: readonly NextStep[];
}

const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const dryRun = { dryRun: "All" };

export function kindScene(story: KindStory): Scene {
  const { path, object, isStored = true } = story;
  const { name } = object["metadata"] as { readonly name: string };
  const it = `${path}/${name}`;
  const create: NextStep = {
    title: "make it",
    method: "POST",
    path,
    body: object,
    ...(isStored ? {} : { query: dryRun }),
  };
  return {
    name: story.name,
    steps: [
      create,
      ...(isStored ? [{ title: "as a table", path: it, headers: table }] : []),
      ...Object.entries(story.others ?? {}).map(([title, fields]) => ({
        title,
        method: "POST",
        path,
        query: dryRun,
        body: differing(object, fields, `${name}-other`),
      })),
      {
        title: "badly named",
        method: "POST",
        path,
        query: dryRun,
        body: differing(object, {}, story.badName ?? "A_b"),
      },
      ...(isStored ? storedSteps(story, it) : []),
      { title: "by a field nobody knows", path, query: { fieldSelector: "nonsense=a" } },
    ],
  };
}

function storedSteps(
  { object, changes = {}, throughSubresources = {}, steps = [] }: KindStory,
  it: string,
): NextStep[] {
  const { name } = object["metadata"] as { readonly name: string };
  const patch = (title: string, at: string, body: unknown): NextStep => ({
    title,
    method: "PATCH",
    path: at,
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });
  return [
    ...Object.entries(changes).map(([title, change]) => patch(title, it, change)),
    patch("labelled", it, { metadata: { labels: { a: "b" } } }),
    patch("badly labelled", it, { metadata: { labels: { "a b": "c" } } }),
    // After all other writes: who wrote last is listed last, however fast the clock runs.
    ...Object.entries(throughSubresources).map(([title, change]) => {
      const [subresource = ""] = title.split(":");
      return patch(title, `${it}/${subresource}`, change);
    }),
    { title: "replaced without a version", method: "PUT", path: it, query: dryRun, body: object },
    {
      title: "replaced where there is nothing",
      method: "PUT",
      path: `${it}-absent`,
      query: dryRun,
      body: differing(object, {}, `${name}-absent`),
    },
    ...steps,
    { title: "taken away", method: "DELETE", path: it },
    { title: "gone", path: it },
  ];
}

function differing(object: Fields, fields: Fields, name: string): Fields {
  const all: Record<string, unknown> = { ...object };
  for (const [field, value] of Object.entries(fields)) {
    all[field] = isRecord(value) && isRecord(all[field]) ? { ...all[field], ...value } : value;
  }
  const metadata = (fields["metadata"] ?? {}) as Fields;
  return { ...all, metadata: { name, ...metadata } };
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
