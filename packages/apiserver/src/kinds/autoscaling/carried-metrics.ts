// Metrics and their states in annotations, as the first version would have spelled them.
import type { autoscalingv2, metav1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { givenFields } from "../shared/given-fields.ts";
import {
  readList,
  readOptionalNumber,
  readOptionalQuantity,
  readOptionalText,
  readQuantity,
  readRecord,
  readText,
} from "./json-shape.ts";

type Metric = autoscalingv2.MetricSpec;
type Status = autoscalingv2.MetricStatus;
type Reference = autoscalingv2.CrossVersionObjectReference;

export const encodeMetrics = (metrics: readonly Metric[]): unknown => metrics.map(encodeMetric);
export const encodeStatuses = (statuses: readonly Status[]): unknown => statuses.map(encodeStatus);
export const decodeMetrics = (value: unknown): Draft<Metric>[] => readList(value, decodeMetric);
export const decodeStatuses = (value: unknown): Draft<Status>[] => readList(value, decodeStatus);

function encodeMetric({ type, object, pods, resource, containerResource, external }: Metric): unknown {
  return {
    type,
    object: object && {
      target: encodeReference(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: encodeSelector(object.metric.selector),
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: encodeSelector(pods.metric.selector),
    },
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: encodeSelector(external.metric.selector),
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

function encodeStatus({ type, object, pods, resource, containerResource, external }: Status): unknown {
  return {
    type,
    object: object && {
      target: encodeReference(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: encodeSelector(object.metric.selector),
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: encodeSelector(pods.metric.selector),
    },
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? "0",
    },
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? "0",
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: encodeSelector(external.metric.selector),
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    },
  };
}

const encodeReference = ({ kind, name, apiVersion }: Reference) => ({ kind, name, apiVersion });

/** In Go's order: the fields as declared, labels by name. */
function encodeSelector(selector: metav1.LabelSelector | undefined): unknown {
  if (selector === undefined) return undefined;
  const { matchLabels, matchExpressions } = selector;
  const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1);
  return {
    matchLabels: matchLabels && Object.fromEntries(Object.entries(matchLabels).toSorted(byName)),
    matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })),
  };
}

function decodeMetric(value: unknown): Draft<Metric> {
  const fields = readRecord(value);
  const part = (name: string) => (isGiven(fields[name]) ? readRecord(fields[name]) : undefined);
  const [object, pods, external] = [part("object"), part("pods"), part("external")];
  const [resource, containerResource] = [part("resource"), part("containerresource")];
  return givenFields({
    type: readText(fields["type"]),
    object: object && {
      describedObject: decodeReference(object["target"]),
      metric: decodeIdentifier(object["metricname"], object["selector"]),
      target: decodeObjectTarget(object),
    },
    pods: pods && {
      metric: decodeIdentifier(pods["metricname"], pods["selector"]),
      target: { type: "AverageValue", averageValue: readQuantity(pods["targetaveragevalue"]) },
    },
    resource: resource && { name: readText(resource["name"]), target: decodeResourceTarget(resource) },
    containerResource: containerResource && {
      name: readText(containerResource["name"]),
      container: readText(containerResource["container"]),
      target: decodeResourceTarget(containerResource),
    },
    external: external && {
      metric: decodeIdentifier(external["metricname"], external["metricselector"]),
      target: decodeExternalTarget(external),
    },
  });
}

function decodeStatus(value: unknown): Draft<Status> {
  const fields = readRecord(value);
  const part = (name: string) => (isGiven(fields[name]) ? readRecord(fields[name]) : undefined);
  const [object, pods, external] = [part("object"), part("pods"), part("external")];
  const [resource, containerResource] = [part("resource"), part("containerresource")];
  return givenFields({
    type: readText(fields["type"]),
    object: object && {
      describedObject: decodeReference(object["target"]),
      metric: decodeIdentifier(object["metricname"], object["selector"]),
      current: givenFields({
        value: readQuantity(object["currentvalue"]),
        averageValue: readOptionalQuantity(object["averagevalue"]),
      }),
    },
    pods: pods && {
      metric: decodeIdentifier(pods["metricname"], pods["selector"]),
      current: { averageValue: readQuantity(pods["currentaveragevalue"]) },
    },
    resource: resource && { name: readText(resource["name"]), current: decodeResourceState(resource) },
    containerResource: containerResource && {
      name: readText(containerResource["name"]),
      container: readText(containerResource["container"]),
      current: decodeResourceState(containerResource),
    },
    external: external && {
      metric: decodeIdentifier(external["metricname"], external["metricselector"]),
      current: givenFields({
        value: readQuantity(external["currentvalue"]),
        averageValue: readOptionalQuantity(external["currentaveragevalue"]),
      }),
    },
  });
}

type Fields = Readonly<Record<string, unknown>>;

function decodeObjectTarget({ targetvalue, averagevalue }: Fields): unknown {
  const averageValue = readOptionalQuantity(averagevalue);
  const value = readQuantity(targetvalue);
  if (averageValue === undefined) return { type: "Value", value };
  return givenFields({ type: "AverageValue", value: value === "0" ? undefined : value, averageValue });
}

function decodeExternalTarget({ targetvalue, targetaveragevalue }: Fields): unknown {
  const value = readOptionalQuantity(targetvalue);
  const type = value === undefined ? "AverageValue" : "Value";
  return givenFields({ type, value, averageValue: readOptionalQuantity(targetaveragevalue) });
}

function decodeResourceTarget({ targetaverageutilization, targetaveragevalue }: Fields): unknown {
  const averageUtilization = readOptionalNumber(targetaverageutilization);
  const type = averageUtilization === undefined ? "AverageValue" : "Utilization";
  return givenFields({ type, averageValue: readOptionalQuantity(targetaveragevalue), averageUtilization });
}

function decodeResourceState({ currentaverageutilization, currentaveragevalue }: Fields): unknown {
  return givenFields({
    averageUtilization: readOptionalNumber(currentaverageutilization),
    averageValue: readQuantity(currentaveragevalue),
  });
}

function decodeReference(value: unknown): Draft<Reference> {
  const { kind, name, apiversion } = readRecord(value);
  return givenFields({ kind: readText(kind), name: readText(name), apiVersion: readOptionalText(apiversion) });
}

function decodeIdentifier(name: unknown, selector: unknown): unknown {
  return givenFields({ name: readText(name), selector: isGiven(selector) ? decodeSelector(selector) : undefined });
}

function decodeSelector(value: unknown): unknown {
  const { matchlabels, matchexpressions } = readRecord(value);
  const labels = isGiven(matchlabels)
    ? Object.fromEntries(Object.entries(matchlabels as object).map(([name, held]) => [name, readText(held)]))
    : undefined;
  const expressions = readList(matchexpressions, (item) => {
    const { key, operator, values } = readRecord(item);
    return givenFields({
      key: readText(key),
      operator: readText(operator),
      values: unlessEmpty(readList(values, readText)),
    });
  });
  return givenFields({ matchLabels: labels, matchExpressions: unlessEmpty(expressions) });
}

const unlessEmpty = <T>(list: T[]) => (list.length === 0 ? undefined : list);
const isGiven = (value: unknown) => value !== undefined && value !== null;
