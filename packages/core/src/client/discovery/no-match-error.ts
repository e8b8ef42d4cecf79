// The server serves no resource that matches. If group-versions that might contain it could not be read, they
// are named: then its absence is not certain, and nothing should be concluded from it.
import { printGroupVersion } from "../../api/group-version.ts";
import { quote } from "../../api/quote.ts";
import { KubeloopError } from "../../base/index.ts";
import type { KindQuery, ResourceQuery } from "./resource-index.ts";

export type Asked = { readonly kind: KindQuery } | { readonly resource: string | ResourceQuery };

export class NoMatchError extends KubeloopError {
  readonly asked: Asked;
  /** By apiVersion, why it could not be read. If empty, the server certainly does not serve the resource. */
  readonly unread: ReadonlyMap<string, Error>;

  constructor(asked: Asked, failures: ReadonlyMap<string, Error>) {
    const unread = new Map([...failures].filter(([apiVersion]) => mayHold(apiVersion, asked)));
    const doubt = unread.size === 0 ? "" : ` (could not read ${[...unread.keys()].join(", ")})`;
    super(`no matches for ${print(asked)}${doubt}`, { reason: "NoMatch", cause: [...unread.values()][0] });
    this.asked = asked;
    this.unread = unread;
  }
}

function print(asked: Asked): string {
  if ("kind" in asked) {
    const { group, version, kind } = asked.kind;
    const place =
      version === undefined ? `group ${quote(group)}` : `version ${quote(printGroupVersion({ group, version }))}`;
    return `kind ${quote(kind)} in ${place}`;
  }
  const { resource } = asked;
  if (typeof resource === "string") return `resource ${quote(resource)}`;
  const { group, version } = resource;
  const places = [
    ...(group === undefined ? [] : [`group ${quote(group)}`]),
    ...(version === undefined ? [] : [`version ${quote(version)}`]),
  ];
  return [`resource ${quote(resource.resource)}`, places.join(", ")].filter((part) => part !== "").join(" in ");
}

function mayHold(apiVersion: string, asked: Asked): boolean {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if ("resource" in asked && typeof asked.resource === "string") {
    const [, rest = ""] = /^[^.]*\.(.*)$/.exec(asked.resource.toLowerCase()) ?? [];
    return rest === "" || rest === group || rest === `${version}.${group}` || apiVersion === rest;
  }
  const wanted = "kind" in asked ? asked.kind : (asked.resource as ResourceQuery);
  const isGroup = wanted.group === undefined || wanted.group === group;
  return isGroup && (wanted.version === undefined || wanted.version === version);
}
