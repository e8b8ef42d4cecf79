// What the server counts of itself, under a real server's names: requests and how long they took, watches that are open, requests that
// are under way, and the objects there are. Only requests for what is served are counted: nobody can make series by asking for nonsense.
import {
  type ApiRequest,
  type ApiResponse,
  headerValue,
  queryValue,
  type ResourceRequestInfo,
} from "@kubeloop/core/api";
import type { Clock, CounterSeries, GaugeSeries, HistogramSeries, Metrics } from "@kubeloop/core/base";
import { kubernetesVersion } from "../version.ts";

const requestLabels = ["component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"] as const;
type RequestLabel = (typeof requestLabels)[number];
type RequestLabels = Readonly<Record<RequestLabel, string>>;

const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

/** The series of one kind of request. */
interface RequestSeries {
  readonly duration: HistogramSeries;
  readonly open: GaugeSeries | undefined;
  readonly byCode: Map<number, CounterSeries>;
  readonly labels: RequestLabels;
}

export class RequestMetrics {
  readonly #clock: Clock;
  readonly #total;
  readonly #duration;
  readonly #open;
  readonly #series = new Map<string, RequestSeries>();
  readonly #underWay: { readonly mutating: GaugeSeries; readonly readOnly: GaugeSeries };

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#total = metrics.counter<RequestLabel | "code">({
      name: "apiserver_request_total",
      help: "Requests answered, by verb, dry run, group, version, resource, scope, component and HTTP code.",
      labels: ["code", ...requestLabels],
    });
    this.#duration = metrics.histogram<RequestLabel>({
      name: "apiserver_request_duration_seconds",
      help: "Seconds until a request was answered, or a watch had ended.",
      labels: requestLabels,
      buckets: durationBuckets,
    });
    this.#open = metrics.gauge<Exclude<RequestLabel, "dry_run">>({
      name: "apiserver_longrunning_requests",
      help: "Watches that are open.",
      labels: ["component", "group", "resource", "scope", "subresource", "verb", "version"],
    });
    const underWay = metrics.gauge<"request_kind">({
      name: "apiserver_current_inflight_requests",
      help: "Requests that are being answered now, watches aside.",
      labels: ["request_kind"],
    });
    this.#underWay = {
      mutating: underWay.labels({ request_kind: "mutating" }),
      readOnly: underWay.labels({ request_kind: "readOnly" }),
    };
    this.#underWay.mutating.set(0);
    this.#underWay.readOnly.set(0);
    const { major, minor, gitVersion, platform } = kubernetesVersion;
    metrics
      .gauge<"git_version" | "major" | "minor" | "platform">({
        name: "kubernetes_build_info",
        help: "Which version this is; always 1.",
        labels: ["git_version", "major", "minor", "platform"],
      })
      .labels({ git_version: gitVersion, major, minor, platform })
      .set(1);
  }

  /** For a resource that is served. */
  begin(request: ApiRequest, info: ResourceRequestInfo): MeasuredRequest {
    return this.#measure(request, {
      component: "apiserver",
      dry_run: queryValue(request.query, "dryRun") === "All" ? "All" : "",
      group: info.group,
      resource: info.resource,
      scope: scopeOf(request, info),
      subresource: info.subresource,
      verb: verbOf(request, info),
      version: info.version,
    });
  }

  /** For one of the server's own documents, by its first name. */
  beginDocument(request: ApiRequest, name: string): MeasuredRequest {
    const labels = { component: "", dry_run: "", group: "", resource: "", scope: "", version: "" };
    return this.#measure(request, { ...labels, subresource: name, verb: request.method === "HEAD" ? "HEAD" : "GET" });
  }

  #measure(request: ApiRequest, labels: RequestLabels): MeasuredRequest {
    const series = this.#seriesOf(labels);
    const isReading = request.method === "GET" || request.method === "HEAD";
    const underWay = series.open === undefined ? this.#underWay[isReading ? "readOnly" : "mutating"] : series.open;
    const begunMs = this.#clock.monotonic();
    underWay.inc();
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      underWay.dec();
      series.duration.observe((this.#clock.monotonic() - begunMs) / 1000);
    };
    return {
      answered: (response) => {
        this.#codeOf(series, response.status).inc();
        if (series.open === undefined || response.status !== 200) {
          end();
          return response;
        }
        return {
          ...response,
          async [Symbol.asyncDispose]() {
            end();
            await response[Symbol.asyncDispose]();
          },
        };
      },
      gone: end,
    };
  }

  #seriesOf(labels: RequestLabels): RequestSeries {
    const { component, dry_run, group, resource, scope, subresource, verb, version } = labels;
    const key = `${verb} ${group} ${version} ${resource} ${subresource} ${scope} ${dry_run}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const open = { component, group, resource, scope, subresource, verb, version };
      series = {
        duration: this.#duration.labels(labels),
        open: verb === "WATCH" ? this.#open.labels(open) : undefined,
        byCode: new Map(),
        labels,
      };
      this.#series.set(key, series);
    }
    return series;
  }

  #codeOf({ byCode, labels }: RequestSeries, status: number): CounterSeries {
    let counter = byCode.get(status);
    if (counter === undefined) {
      counter = this.#total.labels({ ...labels, code: String(status) });
      byCode.set(status, counter);
    }
    return counter;
  }
}

export interface MeasuredRequest {
  /** The response to hand on: of a watch, it tells when it is over. */
  answered(response: ApiResponse): ApiResponse;
  /** Nobody is left to answer. */
  gone(): void;
}

const verbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

function verbOf({ headers, method }: ApiRequest, { verb }: ResourceRequestInfo): string {
  if (verb === "patch" && headerValue(headers, "content-type")?.startsWith("application/apply-patch") === true) {
    return "APPLY";
  }
  return verbs[verb] ?? method;
}

/** How much a request is about: one object, those of a namespace, or all. */
function scopeOf({ query }: ApiRequest, { name, namespace, verb }: ResourceRequestInfo): string {
  if (name !== "" || verb === "create") return "resource";
  if (verb === "watch" && /(?:^|,)metadata\.name=/.test(queryValue(query, "fieldSelector") ?? "")) return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
