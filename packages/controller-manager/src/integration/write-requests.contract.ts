// How many requests of the controllers wrote something, by namespace, from the server's audit log.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const writes = { verbs: ["create", "update", "patch", "delete", "deletecollection"] };

const policyOf = (requests: { readonly verbs?: readonly string[] }) => ({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "Metadata", userGroups: ["system:serviceaccounts:kube-system"], ...requests },
    { level: "Metadata", users: ["system:kube-controller-manager"], ...requests },
    { level: "None" },
  ],
});

export interface AuditOptions {
  /** Also what only reads. */
  readonly hasReads?: boolean;
}

export interface WriteRequest {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  /** "" where the request names none: a create of a name that the server chooses, a deletion of a collection. */
  readonly name: string;
  readonly code: number;
  /** Whether its user may do so at all. */
  readonly isForbidden: boolean;
}

export class AuditLog implements AsyncDisposable {
  /** For the server. */
  readonly flags: readonly string[];
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.flags = [
      `--audit-policy-file=${join(folder, "policy.json")}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
      "--audit-log-mode=blocking",
    ];
  }

  static async open({ hasReads = false }: AuditOptions = {}): Promise<AuditLog> {
    const folder = await mkdtemp(join(tmpdir(), "kubeloop-audit-"));
    await writeFile(join(folder, "policy.json"), JSON.stringify(policyOf(hasReads ? {} : writes)));
    return new AuditLog(folder);
  }

  async read(): Promise<readonly WriteRequest[]> {
    const text = await readFile(join(this.#folder, "audit.log"), "utf8").catch(() => "");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        const { user, verb, objectRef = {}, responseStatus = {}, annotations = {} } = JSON.parse(line) as AuditEvent;
        const isForbidden = annotations["authorization.k8s.io/decision"] === "forbid";
        const { resource = "", subresource, namespace = "", name = "" } = objectRef;
        const what = subresource === undefined ? resource : `${resource}/${subresource}`;
        const code = responseStatus.code ?? 0;
        return { user: user.username, verb, resource: what, namespace, name, code, isForbidden };
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}
