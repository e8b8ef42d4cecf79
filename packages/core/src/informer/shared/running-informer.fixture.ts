// An informer of pods in virtual time, and what tests of it need: start, stop, let everything settle.
import type { KubernetesObject } from "../../api/index.ts";
import { FakeClock, type Log, type LogFields, seededRandom } from "../../base/index.ts";
import { PodSource } from "./pod-source.fixture.ts";
import { SharedIndexInformer } from "./shared-index-informer.ts";
import type { SharedIndexInformerOptions } from "./shared-index-informer-options.ts";

export function podInformer(options: SharedIndexInformerOptions<KubernetesObject> = {}, source = new PodSource()) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const informer = new SharedIndexInformer(source, {
    clock,
    random: seededRandom(1),
    log: listLog(lines),
    freeze: true,
    ...options,
  });
  const stopping = new AbortController();
  let ending: Promise<void> | undefined;
  return {
    clock,
    source,
    informer,
    /** What was logged, as `level: message`. */
    lines,
    signal: stopping.signal,
    async start() {
      ending = informer.run(stopping.signal);
      await clock.settle();
    },
    /** Settles when the informer ends. */
    running: () => ending,
    /** Waits for everything, and for nothing to be left. */
    async stop() {
      stopping.abort();
      await ending;
    },
  };
}

export function listLog(lines: string[], inherited: LogFields = {}): Log {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    const { handler, instance, instances, cause } = { ...inherited, ...fields };
    const facts = Object.entries({ handler, instance, instances, cause }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${String(value)}`],
    );
    lines.push([`${level}: ${message}`, ...facts].join(" "));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => listLog(lines, { ...inherited, ...fields }),
  };
}
