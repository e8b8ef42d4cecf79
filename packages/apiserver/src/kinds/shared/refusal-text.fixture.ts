// The message of a refusing Status in one order. kube-apiserver walks Go's maps in an order that is another each time, so what it
// says of the keys of one map is sorted by key; the order of fields, of list items and of what is said of one key stays.

interface RefusingStatus {
  readonly message: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

export function refusalText(value: unknown): string {
  const { message, details } = value as RefusingStatus;
  const complaints = (details?.causes ?? []).map(complaintOf);
  const list = listed(complaints);
  if (!message.endsWith(list)) return message;
  return message.slice(0, -list.length) + listed(runsOf(complaints).flatMap((run) => run.sort(byKey)));
}

interface Complaint {
  /** The map it speaks of, undefined where it speaks of none. */
  readonly map: string | undefined;
  readonly key: string;
  readonly text: string;
}

function complaintOf({ field = "", message = "" }: { readonly field?: string; readonly message?: string }): Complaint {
  const text = `${field}: ${message}`;
  const [, map, key = ""] = /^(.*?)\[((?!\d+\]).*)$/.exec(field) ?? [];
  if (map !== undefined) return { map, key, text };
  // Of labels and annotations the server names the key in the text only.
  return { map: /(^|\.)(labels|annotations)$/.test(field) ? field : undefined, key: text, text };
}

const byKey = (one: Complaint, other: Complaint) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

/** As Go prints several errors: each text once. */
const listed = (complaints: readonly Complaint[]) => `[${[...new Set(complaints.map(({ text }) => text))].join(", ")}]`;

/** Neighbours that speak of the same map; what speaks of none stands alone. */
function runsOf(complaints: readonly Complaint[]): Complaint[][] {
  const runs: Complaint[][] = [];
  for (const complaint of complaints) {
    const run = runs.at(-1);
    if (complaint.map !== undefined && run?.[0]?.map === complaint.map) run.push(complaint);
    else runs.push([complaint]);
  }
  return runs;
}
