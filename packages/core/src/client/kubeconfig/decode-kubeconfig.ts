// Decodes the text of a kubeconfig, JSON or YAML, to a checked object: every field has the right type, no name is used twice. Whether
// the values make sense is checked later, and only for the context in use, as in kubectl.
import { type FieldFault, Fields } from "../credentials/decode-fields.ts";
import { parseJsonOrYaml, SyntaxFault } from "../credentials/json-or-yaml.ts";
import type {
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigExec,
  KubeconfigExtension,
  KubeconfigUser,
} from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";

/** Throws a KubeconfigError with all faults, which name `file`. An empty text is an empty kubeconfig. */
export async function parseKubeconfig(text: string, file?: string): Promise<Kubeconfig> {
  const faults: FieldFault[] = [];
  const decoded = decode(await parse(text, file), faults);
  if (faults.length > 0) throw new KubeconfigError(faults.map((fault) => located(fault, file)));
  return decoded;
}

function located(fault: FieldFault, file: string | undefined) {
  return file === undefined ? fault : { ...fault, file };
}

async function parse(text: string, file: string | undefined): Promise<unknown> {
  try {
    return await parseJsonOrYaml(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof SyntaxFault) throw new KubeconfigError([located({ path: "", message: error.message }, file)]);
    throw error;
  }
}

function decode(value: unknown, faults: FieldFault[]): Kubeconfig {
  const top = new Fields(value, "", faults);
  const kind = top.string("kind") ?? "Config";
  const apiVersion = top.string("apiVersion") ?? "v1";
  if (kind !== "Config") top.fault("kind", `must be Config, not ${JSON.stringify(kind)}`);
  if (apiVersion !== "v1") top.fault("apiVersion", `must be v1, not ${JSON.stringify(apiVersion)}`);
  return {
    clusters: named(top, "clusters").map(([name, item]) => ({ name, cluster: decodeCluster(item.object("cluster")) })),
    users: named(top, "users").map(([name, item]) => ({ name, user: decodeUser(item.object("user")) })),
    contexts: named(top, "contexts").map(([name, item]) => ({ name, context: decodeContext(item.object("context")) })),
    ...given({ "current-context": top.string("current-context"), extensions: decodeExtensions(top) }),
  };
}

function named(top: Fields, key: string): readonly (readonly [string, Fields])[] {
  const pathsByName = new Map<string, string>();
  return top.objects(key).map((item) => {
    const name = item.string("name") ?? "";
    const earlier = pathsByName.get(name);
    if (earlier !== undefined) item.fault("name", `${JSON.stringify(name)} is also the name of ${earlier}`);
    else pathsByName.set(name, item.path);
    return [name, item] as const;
  });
}

function decodeCluster(fields: Fields): KubeconfigCluster {
  return given({
    server: fields.string("server"),
    "tls-server-name": fields.string("tls-server-name"),
    "insecure-skip-tls-verify": fields.boolean("insecure-skip-tls-verify"),
    "certificate-authority": fields.string("certificate-authority"),
    "certificate-authority-data": fields.base64("certificate-authority-data"),
    "proxy-url": fields.string("proxy-url"),
    "disable-compression": fields.boolean("disable-compression"),
    extensions: decodeExtensions(fields),
  });
}

function decodeUser(fields: Fields): KubeconfigUser {
  const authProvider = fields.object("auth-provider");
  return given({
    "client-certificate": fields.string("client-certificate"),
    "client-certificate-data": fields.base64("client-certificate-data"),
    "client-key": fields.string("client-key"),
    "client-key-data": fields.base64("client-key-data"),
    token: fields.string("token"),
    tokenFile: fields.string("tokenFile"),
    as: fields.string("as"),
    "as-uid": fields.string("as-uid"),
    "as-groups": fields.strings("as-groups"),
    "as-user-extra": fields.stringLists("as-user-extra"),
    username: fields.string("username"),
    password: fields.string("password"),
    "auth-provider": fields.has("auth-provider") ? { name: authProvider.string("name") ?? "" } : undefined,
    exec: fields.has("exec") ? decodeExec(fields.object("exec")) : undefined,
    extensions: decodeExtensions(fields),
  });
}

function decodeExec(fields: Fields): KubeconfigExec {
  const env = fields
    .objects("env")
    .map((item) => ({ name: item.string("name") ?? "", value: item.string("value") ?? "" }));
  return given({
    command: fields.string("command"),
    args: fields.strings("args"),
    env: env.length === 0 ? undefined : env,
    apiVersion: fields.string("apiVersion"),
    installHint: fields.string("installHint"),
    provideClusterInfo: fields.boolean("provideClusterInfo"),
    interactiveMode: fields.string("interactiveMode"),
  });
}

function decodeContext(fields: Fields): KubeconfigContext {
  return given({
    cluster: fields.string("cluster"),
    user: fields.string("user"),
    namespace: fields.string("namespace"),
    extensions: decodeExtensions(fields),
  });
}

function decodeExtensions(fields: Fields): readonly KubeconfigExtension[] | undefined {
  const extensions = named(fields, "extensions").map(([name, item]) => ({ name, extension: item.raw("extension") }));
  return extensions.length === 0 ? undefined : extensions;
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes the keys whose value is undefined. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
