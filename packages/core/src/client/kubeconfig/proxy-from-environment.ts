// Finds the proxy in the environment, by the rules of Kubernetes' own clients: HTTPS_PROXY or HTTP_PROXY by
// the server's scheme (also in lower case), except for localhost, loopback addresses and hosts in NO_PROXY.
import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy's URL, or undefined to connect directly. */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const proxy = either(env, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === "" || isLocal(hostOf(url)) || isExempt(url, either(env, "NO_PROXY"))) return undefined;
  return /^(?:https?|socks5h?):\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function either(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || "";
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isExempt(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const rules = list
    .toLowerCase()
    .split(",")
    .map((rule) => rule.trim());
  return rules.some((rule) => rule !== "" && matches(rule, hostOf(url), port));
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  if (rule.includes("/")) return isInNetwork(rule, host);
  const [, name = rule, rulePort] = /^(?:\[?(.*?)\]?):(\d+)$/.exec(isIP(rule) === 6 ? "" : rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const suffix = name.replace(/^\*(?=\.)/, "");
  return suffix.startsWith(".") ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInNetwork(rule: string, host: string): boolean {
  const [network = "", bits = ""] = rule.split("/");
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  const isNetwork = isIP(network) !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === "ipv6" ? 128 : 32);
  if (!isNetwork || isIP(host) !== isIP(network)) return false;
  const networks = new BlockList();
  networks.addSubnet(network, Number(bits), family);
  return networks.check(host, family);
}
