// Fault injection at the Transport: delays, connection resets before and after the request was carried out, error responses, lost
// responses, streams that are cut, stall or end early. Rules select the requests: by verb, resource or path,
// by count, by probability. Everything is determined by the rules, the order of requests and the Random, so a run can be repeated from
// its seed.
//
// Rules are evaluated in order, and all that fire apply, the first one outermost. A body that is a single value arrives
// whole or not at all: cutting it resets the connection.

import type { Clock } from "../base/clock.ts";
import { assertNever } from "../base/errors.ts";
import { type Random, randomBetween } from "../base/random.ts";
import { untilAborted } from "../base/signal.ts";
import { newGenericServerResponse } from "./generic-status.ts";
import { requestInfoOf } from "./request-info.ts";
import { type StreamFault, tamperBody } from "./stream-faults.ts";
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type HttpHeaders,
  type Transport,
  TransportError,
  valueResponse,
} from "./transport.ts";

export type TransportFault =
  /** Waits before the request is carried out, or before its response is returned. A range is sampled uniformly. */
  | { readonly kind: "delay"; readonly delayMs: number | DelayRange; readonly when: "before" | "after" }
  /** The connection breaks. `after`: the request was carried out, but the response is lost. */
  | { readonly kind: "reset"; readonly when: "before" | "after" }
  /** The server responds with an error; the request is not carried out. */
  | {
      readonly kind: "status";
      readonly code: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The request is carried out but never answered: the caller waits until it aborts. */
  | { readonly kind: "silence" }
  | StreamFault;

export interface DelayRange {
  readonly minMs: number;
  readonly maxMs: number;
}

export interface FaultRule {
  /** For the log of injected faults. */
  readonly name: string;
  readonly fault: TransportFault;
  /** All given conditions must match. Default: all requests. */
  readonly match?: RequestMatch;
  /** Of the matching requests, only these, counted from 1. */
  readonly nth?: readonly number[];
  /** Fires for each of those requests with this probability. */
  readonly probability?: number;
  /** Stops after having fired this often. */
  readonly maxTimes?: number;
}

export interface RequestMatch {
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** Plurals: "pods"; with subresource: "pods/status". */
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly path?: RegExp;
  /** Any other condition. */
  readonly where?: (request: ApiRequest) => boolean;
}

/** One fault that was injected into one request. */
export interface InjectedFault {
  readonly atMs: number;
  readonly rule: string;
  readonly fault: TransportFault;
  readonly method: string;
  readonly path: string;
}

export interface FaultOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** While it returns false, requests are neither changed nor counted. */
  readonly isActive?: () => boolean;
}

export type FaultyTransport = Transport & {
  /** The faults injected so far, oldest first. */
  readonly injected: readonly InjectedFault[];
};

export function withFaults(transport: Transport, rules: readonly FaultRule[], options: FaultOptions): FaultyTransport {
  const { clock, random } = options;
  const injected: InjectedFault[] = [];
  const triggers = rules.map((rule) => new Trigger(rule));
  const faulty: Transport = (request, signal) => {
    if (options.isActive?.() === false) return transport(request, signal);
    const firing = triggers.filter((trigger) => trigger.fires(request, random));
    for (const { rule } of firing) {
      const { method, path } = request;
      injected.push({ atMs: clock.now(), rule: rule.name, fault: rule.fault, method, path });
    }
    const wrapped = firing.reduceRight((inner, { rule }) => inject(rule.fault, inner, options), transport);
    return wrapped(request, signal);
  };
  return Object.assign(faulty, { injected });
}

/** One rule, and how often it matched and fired. */
class Trigger {
  readonly rule: FaultRule;
  #matched = 0;
  #fired = 0;

  constructor(rule: FaultRule) {
    this.rule = rule;
  }

  fires(request: ApiRequest, random: Random): boolean {
    const { match, nth, probability = 1, maxTimes = Number.POSITIVE_INFINITY } = this.rule;
    if (match !== undefined && !matchesRequest(match, request)) return false;
    this.#matched++;
    if (nth !== undefined && !nth.includes(this.#matched)) return false;
    if (this.#fired >= maxTimes) return false;
    // A random number is drawn only if the rule has a probability, so that other rules do not shift the sequence.
    if (probability < 1 && random.next() >= probability) return false;
    this.#fired++;
    return true;
  }
}

function matchesRequest({ verbs, resources, namespaces, path, where }: RequestMatch, request: ApiRequest): boolean {
  const info = requestInfoOf(request);
  if (verbs !== undefined && !verbs.includes(info.verb)) return false;
  if (resources !== undefined || namespaces !== undefined) {
    if (!info.isResourceRequest) return false;
    const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
    if (resources?.includes(resource) === false) return false;
    if (namespaces?.includes(info.namespace) === false) return false;
  }
  if (path !== undefined && request.path.search(path) < 0) return false;
  return where === undefined || where(request);
}

/** Returns the transport with one fault around it, for one request. */
function inject(fault: TransportFault, inner: Transport, { clock, random }: FaultOptions): Transport {
  switch (fault.kind) {
    case "delay":
      return async (request, signal) => {
        const delayMs = drawDelay(fault.delayMs, random);
        if (fault.when === "before") await clock.sleep(delayMs, signal);
        const response = await inner(request, signal);
        if (fault.when === "after") await orDispose(response, clock.sleep(delayMs, signal));
        return response;
      };
    case "reset":
      return async (request, signal) => {
        if (fault.when === "after") await dispose(await inner(request, signal));
        throw newReset(fault.when === "before" ? "no" : "maybe");
      };
    case "status":
      return async (request, signal) => {
        signal.throwIfAborted();
        return refuse(request, fault);
      };
    case "silence":
      return async (request, signal) => {
        await dispose(await inner(request, signal));
        return untilAborted(new Promise<never>(() => {}), signal);
      };
    case "cut":
    case "stall":
      return async (request, signal) => tamperBody(await inner(request, signal), fault, signal);
    default:
      return assertNever(fault);
  }
}

function drawDelay(delay: number | DelayRange, random: Random): number {
  return typeof delay === "number" ? delay : randomBetween(random, delay.minMs, delay.maxMs);
}

function newReset(wasSent: "no" | "maybe"): TransportError {
  return new TransportError("connection reset by a fault rule", { reason: "ConnectionReset", wasSent });
}

function refuse(request: ApiRequest, fault: TransportFault & { readonly kind: "status" }): ApiResponse {
  const { code, message = "refused by a fault rule", retryAfterSeconds = 0 } = fault;
  const { status } = newGenericServerResponse({
    code,
    method: request.method,
    serverMessage: message,
    retryAfterSeconds,
  });
  const headers: HttpHeaders = {
    "content-type": "application/json",
    ...(retryAfterSeconds > 0 ? { "retry-after": String(retryAfterSeconds) } : {}),
  };
  if (request.prefers === "values") return valueResponse(code, status, headers);
  return bytesResponse(code, new TextEncoder().encode(JSON.stringify(status)), headers);
}

async function dispose(response: ApiResponse): Promise<void> {
  await response[Symbol.asyncDispose]();
}

/** Waits for `work`. If it fails, disposes of the response, because the caller does not get it then. */
async function orDispose(response: ApiResponse, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await dispose(response);
    throw error;
  }
}
