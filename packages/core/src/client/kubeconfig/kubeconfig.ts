// The type of a kubeconfig file, with its field names. Optional fields are left out if empty, as the
// decoder does; data is base64 text.
import type { ExecInteractiveMode } from "../credentials/exec-plugin.ts";

export interface Kubeconfig {
  readonly clusters?: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[];
  readonly users?: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts?: readonly { readonly name: string; readonly context: KubeconfigContext }[];
  readonly "current-context"?: string;
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigCluster {
  readonly server?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigUser {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly username?: string;
  readonly password?: string;
  /** Removed from Kubernetes, so using it is an error; its name is kept for the message about its replacement. */
  readonly "auth-provider"?: { readonly name: string };
  readonly exec?: KubeconfigExec;
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigExec {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: ExecInteractiveMode | (string & {});
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly extensions?: readonly KubeconfigExtension[];
}

export interface KubeconfigExtension {
  readonly name: string;
  readonly extension: unknown;
}
