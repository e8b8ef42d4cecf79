// Which test shows the effect of which flag. Every flag of upstream's is either listed as having none yet (inert-flags.facts.json), or has a
// test here that exists, or cannot have an effect in this process, with the reason.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inertFlags } from "./inert-flags.ts";

const source = new URL("../", import.meta.url);
const upstream = (
  JSON.parse(readFileSync(new URL("options/upstream-flags.facts.json", source), "utf8")) as readonly {
    readonly name: string;
  }[]
).map(({ name }) => name);

const endpoints = "integration/process-endpoints.slow.test.ts";
const election = "integration/process-election.slow.test.ts";
const life = "integration/process-life.slow.test.ts";
const flags = "integration/process-flags.slow.test.ts";
const cluster = "integration/process.kubernetes.test.ts";
const effects = "app/flag-effects.slow.test.ts";
const core = "app/start-core-controllers.test.ts";
const nodeEffects = "app/node-flag-effects.slow.test.ts";

/** Flag, file, and a part of the test's name. */
const shownBy: readonly (readonly [flag: string, file: string, name: string])[] = [
  ["profiling", endpoints, "profiles are not served without --profiling"],
  ["controller-shutdown-timeout", election, "is not kept by a request that is never answered"],
  ["controller-start-interval", effects, "--controller-start-interval: with %j a controller begins after"],
  ["controllers", "select-controllers.test.ts", "the default starts all but those off by default"],
  ["emulated-version", "options/feature-gates.test.ts", "as another version"],
  ["feature-gates", election, "with the gate off, a signal ends the process at once"],
  ["kube-api-burst", effects, "--kube-api-qps and --kube-api-burst"],
  ["kube-api-content-type", "app/client-encoding.test.ts", "--kube-api-content-type=%s asks for %s"],
  ["kube-api-qps", effects, "--kube-api-qps and --kube-api-burst"],
  ["leader-elect", life, "is waited for without limit by who contends for the lease"],
  ["leader-elect-lease-duration", election, "the lease of a leader that was killed has run out"],
  ["leader-elect-renew-deadline", election, "that cannot renew until the deadline ends with 1"],
  ["leader-elect-resource-lock", "options/options.test.ts", "upstream's complaint about"],
  ["leader-elect-resource-name", flags, "the lease has the name and the namespace of the flags"],
  ["leader-elect-resource-namespace", flags, "the lease has the name and the namespace of the flags"],
  ["leader-elect-retry-period", election, "one that is told to stop finishes what it is at"],
  ["min-compatibility-version", "options/options.test.ts", "upstream's complaint about"],
  ["min-resync-period", effects, "--min-resync-period=%s"],
  ["use-service-account-credentials", cluster, "although each controller has spoken for itself"],
  ["bind-address", flags, "on all addresses, unless --bind-address names one"],
  ["cert-dir", endpoints, "a certificate that is made in a folder is the same at the next start"],
  ["disable-http2-serving", endpoints, "HTTP/2 is not spoken where it is disabled"],
  ["http2-max-streams-per-connection", flags, "as --http2-max-streams-per-connection says"],
  ["permit-port-sharing", flags, "where --permit-port-sharing and Node permit it"],
  ["secure-port", endpoints, "/healthz is open to all, and says what it looked at"],
  ["tls-cert-file", endpoints, "it shows the given certificate, and others to who asks for their names"],
  ["tls-cipher-suites", endpoints, "of TLS 1.2 only the named suites are spoken, and TLS 1.3 as well"],
  ["tls-curve-preferences", endpoints, "only the preferred curves are spoken"],
  ["tls-min-version", endpoints, "TLS 1.2 is refused where 1.3 is the least"],
  ["tls-private-key-file", endpoints, "it shows the given certificate, and others to who asks for their names"],
  ["tls-sni-cert-key", endpoints, "it shows the given certificate, and others to who asks for their names"],
  ["authentication-kubeconfig", endpoints, "is for who shows an administrator's token"],
  ["authentication-skip-lookup", endpoints, "the given authority goes before the cluster's, which is not looked up"],
  ["authentication-token-webhook-cache-ttl", flags, "reviews are remembered as long as the flags say"],
  ["authentication-tolerate-lookup-failure", life, "unless it is to tolerate that"],
  ["client-ca-file", endpoints, "the given authority goes before the cluster's, which is not looked up"],
  ["requestheader-allowed-names", endpoints, "the proxy that is allowed names users in the given headers"],
  ["requestheader-client-ca-file", endpoints, "the proxy that is allowed names users in the given headers"],
  ["requestheader-extra-headers-prefix", "serving/client-authorities.test.ts", "what the flags say of front proxies"],
  ["requestheader-group-headers", endpoints, "the proxy that is allowed names users in the given headers"],
  ["requestheader-uid-headers", "serving/client-authorities.test.ts", "what the flags say of front proxies"],
  ["requestheader-username-headers", endpoints, "the proxy that is allowed names users in the given headers"],
  ["authorization-always-allow-paths", endpoints, "the paths that are always allowed are the given ones"],
  ["authorization-kubeconfig", endpoints, "is for who shows an administrator's token"],
  ["authorization-webhook-cache-authorized-ttl", cluster, "serves its endpoints to whom the cluster's roles allow it"],
  ["authorization-webhook-cache-unauthorized-ttl", flags, "reviews are remembered as long as the flags say"],
  ["concurrent-gc-syncs", effects, "%i is how many objects are worked on at once"],
  ["enable-garbage-collector", effects, "--enable-garbage-collector=%s leaves"],
  ["concurrent-namespace-syncs", effects, "%i is how many objects are worked on at once"],
  ["namespace-sync-period", effects, "--namespace-sync-period=%s"],
  ["allocate-node-cidrs", nodeEffects, "--allocate-node-cidrs=%s"],
  ["cidr-allocator-type", nodeEffects, "--cidr-allocator-type=%s"],
  ["cluster-cidr", nodeEffects, "--cluster-cidr=%s"],
  ["node-cidr-mask-size", nodeEffects, "--node-cidr-mask-size=%i"],
  ["node-cidr-mask-size-ipv4", nodeEffects, "--node-cidr-mask-size-ipv4=%i and"],
  ["node-cidr-mask-size-ipv6", nodeEffects, "--node-cidr-mask-size-ipv6=%i"],
  ["service-cluster-ip-range", nodeEffects, "--service-cluster-ip-range=%s"],
  ["large-cluster-size-threshold", nodeEffects, "--large-cluster-size-threshold=%i"],
  ["node-eviction-rate", nodeEffects, "--node-eviction-rate=%s"],
  ["node-monitor-grace-period", nodeEffects, "--node-monitor-grace-period=%s"],
  ["node-monitor-period", nodeEffects, "--node-monitor-period=%s"],
  ["node-startup-grace-period", nodeEffects, "--node-startup-grace-period=%s"],
  ["secondary-node-eviction-rate", nodeEffects, "--secondary-node-eviction-rate=%s"],
  ["unhealthy-zone-threshold", nodeEffects, "--unhealthy-zone-threshold=%s"],
  ["terminated-pod-gc-threshold", effects, "--terminated-pod-gc-threshold=%i"],
  ["concurrent-deployment-syncs", effects, "%i is how many objects are worked on at once"],
  ["concurrent-replicaset-syncs", effects, "%i is how many objects are worked on at once"],
  ["concurrent-endpoint-syncs", effects, "%i is how many objects are worked on at once"],
  ["endpoint-updates-batch-period", effects, "--%s=%s: six new pods are %i to %i writes"],
  ["mirroring-concurrent-service-endpoint-syncs", effects, "%i is how many objects are worked on at once"],
  ["mirroring-endpointslice-updates-batch-period", effects, "--mirroring-endpointslice-updates-batch-period=%s"],
  ["mirroring-max-endpoints-per-subset", effects, "--mirroring-max-endpoints-per-subset=%i"],
  ["concurrent-service-endpoint-syncs", effects, "%i is how many objects are worked on at once"],
  ["endpointslice-updates-batch-period", effects, "--%s=%s: six new pods are %i to %i writes"],
  ["max-endpoints-per-slice", effects, "--max-endpoints-per-slice=%i"],
  ["concurrent-rc-syncs", effects, "%i is how many objects are worked on at once"],
  ["concurrent-resource-quota-syncs", effects, "%i is how many objects are worked on at once"],
  ["resource-quota-sync-period", effects, "--resource-quota-sync-period=%s"],
  ["concurrent-serviceaccount-token-syncs", effects, "%i is how many objects are worked on at once"],
  ["root-ca-file", core, "the root CA publisher publishes the file that --root-ca-file names"],
  ["service-account-private-key-file", core, "signs with the key that --service-account-private-key-file names"],
  ["log-json-split-stream", flags, "is split over both streams with %s"],
  ["log-text-split-stream", flags, "is split over both streams with %s"],
  ["logging-format", flags, "is JSON, a document per line, with --logging-format=json"],
  ["v", flags, "has the details with -v=4"],
  ["vmodule", flags, "has the details of those that --vmodule names"],
  ["allow-metric-labels", "app/metrics.test.ts", "flags hide metrics and limit their labels"],
  ["allow-metric-labels-manifest", "metrics/kube-metrics.test.ts", "may be limited by the file of"],
  ["disabled-metrics", "app/metrics.test.ts", "flags hide metrics and limit their labels"],
  ["show-hidden-metrics-for-version", "metrics/kube-metrics.test.ts", "--show-hidden-metrics-for-version shows it"],
  ["kubeconfig", "app/find-cluster.test.ts", "that of --kubeconfig"],
  ["master", "app/find-cluster.test.ts", "that at --master, for nobody"],
  ["help", flags, "--help"],
  ["version", flags, "--version"],
];

/** There is nothing in this process that they could set; their usage says so. */
const withoutObject: Readonly<Record<string, string>> = {
  "contention-profiling": "a program of one thread has no locks to profile",
  "permit-address-sharing": "Node always sets SO_REUSEADDR",
  "log-flush-frequency": "lines are written at once, nothing is buffered",
  "log-json-info-buffer-size": "lines are written at once, nothing is buffered",
  "log-text-info-buffer-size": "lines are written at once, nothing is buffered",
};

test("every flag of upstream's is in exactly one of the lists", () => {
  const inert = inertFlags().map(({ name }) => name);
  const listed = [...inert, ...shownBy.map(([flag]) => flag), ...Object.keys(withoutObject)];
  expect(listed.toSorted()).toEqual(upstream.toSorted());
});

describe("the effect of a flag is shown by a test that exists:", () => {
  test.each(shownBy)("--%s", (flag, file, name) => {
    const url = new URL(file, source);
    expect([file, existsSync(url)]).toEqual([file, true]);
    const text = readFileSync(url, "utf8");
    // A test's name is the first argument of a call, or of a row of a table.
    const names = [...text.matchAll(/[([]\s*["`]([^"`\n]+)["`]/g)].map(([, title = ""]) => title);
    expect(names.filter((each) => each.includes(name))).not.toEqual([]);
    const given = new RegExp(String.raw`["\`\s(]--?${flag}\b|"${flag}"`);
    expect([flag, file, given.test(text) || file.startsWith("options/") || file.startsWith("select-")]).toEqual([
      flag,
      file,
      true,
    ]);
  });
});
