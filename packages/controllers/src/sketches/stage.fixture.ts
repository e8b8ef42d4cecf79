// A controller on a fake cluster, in virtual time.
import { MetricsRegistry, noLog, seededRandom } from "@kubeloop/core/base";
import type { Controller } from "@kubeloop/core/contract";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import { ControllerDriver } from "@kubeloop/core/runtime";
import { FakeCluster, type FakeClusterOptions } from "@kubeloop/core/testing";

export interface Stage {
  readonly cluster: FakeCluster;
  /** "Normal SuccessfulCreate: Created pod: web-1", oldest first. */
  readonly events: readonly string[];
  /** How often a key failed. */
  failures(): number;
}

/** The controller runs until the cluster is disposed of. */
export function openStage<M>(controller: Controller<M>, options: FakeClusterOptions): Stage {
  const cluster = new FakeCluster(options);
  const { client, clock } = cluster;
  const events: string[] = [];
  const metrics = new MetricsRegistry();
  const informers = new SharedInformerFactory(client, {
    clock,
    freeze: true,
    log: noLog,
    random: seededRandom("informers"),
  });
  const driver = new ControllerDriver(controller, {
    client,
    informers,
    clock,
    log: noLog,
    freeze: true,
    metrics,
    recordEvent: ({ eventType, reason, message }) => events.push(`${eventType} ${reason}: ${message}`),
  });
  cluster.run((signal) => informers.run(signal));
  cluster.run((signal) => driver.run(signal));
  const failures = () => {
    const counts = metrics.print().matchAll(/^controller_runtime_reconcile_errors_total\{[^}]*\} (\d+)/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  return { cluster, events, failures };
}
