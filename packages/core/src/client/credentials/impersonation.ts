// Impersonation: the headers by which a permitted client asks the server to treat a request as another user's.

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** Keys arrive at the server in lower case, however they are written here. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Returns the faults that make the identity unsendable, in words; empty if there are none. */
export function validateImpersonation(impersonation: Impersonation): readonly string[] {
  const { user, uid, groups = [], extra = {} } = impersonation;
  const values = [
    ["user", user],
    ["uid", uid ?? ""],
    ...groups.map((group) => ["group", group] as const),
    ...Object.entries(extra).flatMap(([key, list]) =>
      list.map((value) => [`extra ${JSON.stringify(key)}`, value] as const),
    ),
  ] as const;
  return [
    ...(user === "" ? ["user must be given"] : []),
    ...(Object.hasOwn(extra, "") ? ["extra keys must not be empty"] : []),
    ...values
      .filter(([, value]) => hasControlCharacter(value))
      .map(([name]) => `${name} must not hold control characters`),
  ];
}

/** Returns the headers to send; a list means that the header is repeated. */
export function impersonationHeaders(
  impersonation: Impersonation,
): Readonly<Record<string, string | readonly string[]>> {
  const { user, uid, groups = [], extra = {} } = impersonation;
  const extras = Object.entries(extra).filter(([, values]) => values.length > 0);
  return {
    "impersonate-user": toHeaderText(user),
    ...(uid === undefined || uid === "" ? {} : { "impersonate-uid": toHeaderText(uid) }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups.map(toHeaderText) }),
    ...Object.fromEntries(extras.map(([key, values]) => [extraHeader(key), values.map(toHeaderText)])),
  };
}

const legalInNames = /[!#$&'*+\-.^_`|~0-9A-Za-z]/;

function extraHeader(key: string): string {
  const bytes = [...Buffer.from(key, "utf8")];
  const escaped = bytes.map((byte) => {
    const character = String.fromCharCode(byte);
    return legalInNames.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return `impersonate-extra-${escaped.join("")}`;
}

// Node writes one byte per character, but the server reads UTF-8.
function toHeaderText(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => (character < " " && character !== "\t") || character === "\x7f");
}
