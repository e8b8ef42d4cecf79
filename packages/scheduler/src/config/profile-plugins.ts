// Which plugins a profile has: the default ones, without those that it disables, and with the weights that it gives. `multiPoint` is about all of a plugin, `filter`
// and `score` about a part of it.
import type { Scoring } from "../framework/score-nodes.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import type { FieldReader } from "./decode-fields.ts";

const points = ["multiPoint", "filter", "score"] as const;
/** What upstream has, and what cannot be taken away from this scheduler. */
const builtIn = ["SchedulingGates", "PrioritySort", "DefaultPreemption", "DefaultBinder", "DynamicResources"] as const;

export function readPlugins(fields: FieldReader): readonly Scoring[] {
  fields.only(points);
  let plugins: readonly Scoring[] = defaultPlugins;
  for (const point of points) {
    const set = fields.object(point);
    set.only(["enabled", "disabled"]);
    const disabled = set.list("disabled").map((each) => readName(each));
    for (const name of disabled) plugins = without(plugins, point, name);
    for (const each of set.list("enabled")) plugins = enable(plugins, point, each);
  }
  return plugins;
}

function readName(field: FieldReader): string {
  const name = field.text("name") ?? "";
  if (name === "*") return name;
  if (builtIn.some((each) => each === name)) field.fault("name", `${name} cannot be switched off`);
  else if (!defaultPlugins.some(({ plugin }) => plugin.name === name)) {
    field.fault("name", `there is no plugin ${JSON.stringify(name)}`);
  }
  return name;
}

function without(plugins: readonly Scoring[], point: (typeof points)[number], name: string): readonly Scoring[] {
  const isMeant = ({ plugin }: Scoring) => name === "*" || plugin.name === name;
  if (point === "multiPoint") return plugins.filter((each) => !isMeant(each));
  return plugins.map((each) => (isMeant(each) ? withoutPart(each, point) : each));
}

function withoutPart({ plugin, weight }: Scoring, point: "filter" | "score"): Scoring {
  const { preFilter, preScore, reserve, ...rest } = plugin;
  // What a filter has not looked at is not reserved.
  const kept = point === "filter" ? { preScore } : { preFilter, reserve };
  const given = Object.fromEntries(Object.entries(kept).filter(([, part]) => part !== undefined));
  return { plugin: { ...rest, ...given }, weight };
}

/** A plugin that is there gets its weight; one that was taken away comes back, at the end for all points, or in its place for one. */
function enable(plugins: readonly Scoring[], point: (typeof points)[number], field: FieldReader): readonly Scoring[] {
  field.only(["name", "weight"]);
  const name = field.text("name") ?? "";
  const weight = field.integer("weight", { min: 0, max: 100 }) ?? 0;
  const byDefault = defaultPlugins.find(({ plugin }) => plugin.name === name);
  if (byDefault === undefined) {
    if (!builtIn.some((each) => each === name)) field.fault("name", `there is no plugin ${JSON.stringify(name)}`);
    return plugins;
  }
  const enabled: Scoring = { plugin: byDefault.plugin, weight: weight === 0 ? 1 : weight };
  const isThere = plugins.some(({ plugin }) => plugin.name === name);
  if (!isThere) return [...plugins, point === "multiPoint" ? enabled : withoutPart(enabled, other(point))];
  return plugins.map((each) => {
    if (each.plugin.name !== name) return each;
    if (point === "multiPoint") return enabled;
    return point === "filter"
      ? { plugin: { ...each.plugin, ...pick(enabled, "preFilter"), ...pick(enabled, "reserve") }, weight: each.weight }
      : { plugin: { ...each.plugin, ...pick(enabled, "preScore") }, weight: enabled.weight };
  });
}

const other = (point: "filter" | "score") => (point === "filter" ? "score" : "filter");

function pick({ plugin }: Scoring, part: "preFilter" | "preScore" | "reserve"): Partial<Scoring["plugin"]> {
  return plugin[part] === undefined ? {} : { [part]: plugin[part] };
}
