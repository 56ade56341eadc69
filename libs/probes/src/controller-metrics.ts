import type { ControllerBase } from '@lateen/kube-runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type Metrics = Required<NonNullable<ControllerBase['metrics']>>;
type Outcome = Parameters<Metrics['reconciled']>[1];

/** What controller-runtime calls the outcomes, so that dashboards made for it show ours. */
const results: Readonly<Record<Outcome, string>> = {
  settled: 'success',
  waiting: 'success',
  again: 'requeue_after',
  failed: 'error',
};

/** A key that is ready waits for a worker; a reconciliation may wait for an engine or an object store. */
const durationBuckets = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];

/**
 * Series of queues and controllers, under the names that client-go and controller-runtime use. Every controller of the
 * process counts here under its own name.
 */
export function controllerMetrics(registry: Registry): Metrics {
  const registers = [registry];
  const depth = new Gauge({
    name: 'workqueue_depth',
    help: 'Keys that are ready and that no worker has taken',
    labelNames: ['name'],
    registers,
  });
  const waited = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key was ready before a worker took it',
    labelNames: ['name'],
    buckets: durationBuckets,
    registers,
  });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Keys that come again because their reconciliation failed',
    labelNames: ['name'],
    registers,
  });
  const reconciled = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations by result',
    labelNames: ['controller', 'result'],
    registers,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconciliation took',
    labelNames: ['controller'],
    buckets: durationBuckets,
    registers,
  });
  return {
    length: (name, length) => depth.set({ name }, length),
    waited: (name, ms) => waited.observe({ name }, ms / 1_000),
    retried: (name) => retries.inc({ name }),
    reconciled: (controller, outcome, ms) => {
      reconciled.inc({ controller, result: results[outcome] });
      time.observe({ controller }, ms / 1_000);
    },
  };
}
