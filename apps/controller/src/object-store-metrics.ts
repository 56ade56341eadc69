import type { StoreObserver } from '@lateen/object-store';
import type { StoreLocation } from '@lateen/storage-location';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** From a listing in a nearby store to a large object in a distant one. */
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];

export type StoreObserverOf = (provider: StoreLocation['provider']) => StoreObserver;

/**
 * Series of calls on object stores; README lists them. Each try counts, so that retries are visible. Labelled by provider and not
 * by location: a thousand locations would mean tens of thousands of series.
 */
export function objectStoreMetrics(registry: Registry): StoreObserverOf {
  const registers = [registry];
  const calls = new Counter({
    name: 'lateen_object_store_requests_total',
    help: 'Calls on object stores by how they ended: ok, aborted, or the code of the error',
    labelNames: ['provider', 'operation', 'result'],
    registers,
  });
  const duration = new Histogram({
    name: 'lateen_object_store_request_duration_seconds',
    help: 'How long calls on object stores took, streams to their end',
    labelNames: ['provider', 'operation'],
    buckets: durationBuckets,
    registers,
  });
  const bytes = new Counter({
    name: 'lateen_object_store_bytes_total',
    help: 'Bytes of objects that were sent (up) and received (down)',
    labelNames: ['provider', 'direction'],
    registers,
  });
  const open = new Gauge({
    name: 'lateen_object_store_requests_open',
    help: 'Calls on object stores that have not ended',
    labelNames: ['provider'],
    registers,
  });
  return (provider) => ({
    began: () => open.inc({ provider }),
    ended: ({ operation, result, durationMs, bytesUp, bytesDown }) => {
      open.dec({ provider });
      calls.inc({ provider, operation, result });
      duration.observe({ provider, operation }, durationMs / 1_000);
      bytes.inc({ provider, direction: 'up' }, bytesUp);
      bytes.inc({ provider, direction: 'down' }, bytesDown);
    },
  });
}
