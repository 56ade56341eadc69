import type { DataMovementPhase, RestoreThroughput } from '@lateen/api-types';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { restoreMetrics } from './restore-metrics.ts';

function setUp() {
  const registry = new Registry();
  const tell = restoreMetrics(registry, 'node-1');
  const state = (phase: DataMovementPhase, throughput: RestoreThroughput | undefined) => ({
    phase,
    bytesDone: 0,
    attempts: 1,
    throughput,
  });
  type Moment = [DataMovementPhase, RestoreThroughput?];
  const change = ([from, before]: Moment, [to, after]: Moment) =>
    tell({
      words: 'data download',
      uid: 'd1',
      type: 'updated',
      previous: state(from, before),
      present: state(to, after),
      seenMs: 0,
      createdMs: 0,
      acceptedMs: undefined,
      startedMs: undefined,
      completedMs: undefined,
    });
  const lines = async (start: string) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(start))
      .map((line) => line.slice(start.length));
  return { change, lines };
}

const done: RestoreThroughput = {
  filesDone: 300,
  filesPerSecond: 8_123,
  bytesPerSecond: 2_000_000,
  limitedBy: 'store-latency',
  reader: 'packs',
  storeBytes: 62_000,
  storeRequests: 9,
  storeLatencyMilliseconds: 28,
};

it('count files during the restore, also when an attempt starts again', async () => {
  const { change, lines } = setUp();
  expect(await lines('podVolume_restore_files_total')).toEqual(['{node="node-1"} 0']);
  change(['InProgress'], ['InProgress', { filesDone: 100 }]);
  change(['InProgress', { filesDone: 100 }], ['InProgress', { filesDone: 250 }]);
  change(['InProgress', { filesDone: 250 }], ['Accepted']);
  change(['InProgress'], ['InProgress', { filesDone: 40 }]);
  expect(await lines('podVolume_restore_files_total')).toEqual(['{node="node-1"} 290']);
});

it('report once, at the end, the speed of a restore and what limited it', async () => {
  const { change, lines } = setUp();
  change(['InProgress', { filesDone: 300 }], ['Completed', done]);
  change(['Completed', done], ['Completed', done]);
  expect(await lines('podVolume_restores_total')).toEqual([
    '{node="node-1",reader="packs",limited_by="store-latency"} 1',
  ]);
  expect(await lines('podVolume_restore_files_per_second_sum')).toEqual(['{node="node-1",reader="packs"} 8123']);
  expect(await lines('podVolume_restore_bytes_per_second_sum')).toEqual(['{node="node-1",reader="packs"} 2000000']);
  expect(await lines('podVolume_restore_store_latency_seconds_sum')).toEqual(['{node="node-1"} 0.028']);
  expect(await lines('podVolume_restore_store_bytes_total')).toEqual(['{node="node-1"} 62000']);
  expect(await lines('podVolume_restore_store_requests_total')).toEqual(['{node="node-1"} 9']);
});

it('report nothing about the store for a restore by the engine, which has no such figures, and nothing for a failed restore', async () => {
  const { change, lines } = setUp();
  change(['InProgress'], ['Completed', { reader: 'engine', bytesPerSecond: 1_000 }]);
  change(['InProgress', { filesDone: 1 }], ['Failed', { filesDone: 1 }]);
  expect(await lines('podVolume_restores_total')).toEqual(['{node="node-1",reader="engine",limited_by="unknown"} 1']);
  expect(await lines('podVolume_restore_store_latency_seconds_count')).toEqual([]);
  expect(await lines('podVolume_restore_files_per_second_count')).toEqual([]);
});
