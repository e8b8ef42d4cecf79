// Users known by a static token: kube-apiserver reads them from a CSV file at its start. Tokens are made for this run.
import { randomBytes } from "node:crypto";

export interface TokenUser {
  readonly user: string;
  readonly groups?: readonly string[];
}

export const admin: TokenUser = { user: "admin", groups: ["system:masters"] };

/** One new token for each user; the admin is always among them. */
export function createTokens(users: readonly TokenUser[]): ReadonlyMap<string, string> {
  return new Map([admin, ...users].map(({ user }) => [user, randomBytes(16).toString("hex")]));
}

/** The file's lines: `token,user,uid,"group,group"`. */
export function printTokenFile(users: readonly TokenUser[], tokens: ReadonlyMap<string, string>): string {
  return [admin, ...users]
    .map(({ user, groups = [] }) =>
      [tokens.get(user) ?? "", user, `uid-of-${user}`, groups.join(",")].map(quote).join(","),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const quote = (field: string): string => `"${field.replaceAll('"', '""')}"`;
