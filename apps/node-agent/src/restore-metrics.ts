import { hasJustEnded, type MovementChange } from '@lateen/data-movement';
import { Counter, Histogram, type Registry } from 'prom-client';

/** From an engine that requests one content after the other to a local store. */
const filesBuckets = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];
const MiB = 1024 ** 2;
const bytesBuckets = [1, 3, 10, 30, 100, 300, 1_000].map((each) => each * MiB);
const latencyBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];

/** Series of the restore throughput, from `status.throughput` of the DataDownloads and PodVolumeRestores of a node. */
export function restoreMetrics(registry: Registry, node: string): (change: MovementChange) => void {
  const series = restoreSeries(registry);
  series.files.inc({ node }, 0);
  return (change) => {
    const more = filesSince(change);
    if (more > 0) series.files.inc({ node }, more);
    const { reader, ...figures } = change.present.throughput ?? {};
    if (reader === undefined || change.present.phase !== 'Completed' || !hasJustEnded(change)) return;
    series.restores.inc({ node, reader, limited_by: figures.limitedBy ?? 'unknown' });
    const labels = { node, reader };
    if (figures.filesPerSecond !== undefined) series.filesPerSecond.observe(labels, figures.filesPerSecond);
    if (figures.bytesPerSecond !== undefined) series.bytesPerSecond.observe(labels, figures.bytesPerSecond);
    if (figures.storeLatencyMilliseconds !== undefined)
      series.latency.observe({ node }, figures.storeLatencyMilliseconds / 1_000);
    series.storeBytes.inc({ node }, figures.storeBytes ?? 0);
    series.storeRequests.inc({ node }, figures.storeRequests ?? 0);
  };
}

/** A new attempt counts from zero, so when there are fewer files than before, all of them are new. */
function filesSince({ previous, present }: MovementChange): number {
  if (previous === undefined) return 0;
  const now = present.throughput?.filesDone ?? 0;
  const more = now - (previous.throughput?.filesDone ?? 0);
  return more >= 0 ? more : now;
}

function restoreSeries(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames: ['node', ...labelNames], registers });
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, labelNames: ['node', ...labelNames], buckets, registers });
  return {
    restores: counter('podVolume_restores_total', 'Volumes restored, by what read the repository and what limited it', [
      'reader',
      'limited_by',
    ]),
    files: counter('podVolume_restore_files_total', 'Files that restores have written'),
    filesPerSecond: histogram('podVolume_restore_files_per_second', 'Files a restore wrote in a second', filesBuckets, [
      'reader',
    ]),
    bytesPerSecond: histogram(
      'podVolume_restore_bytes_per_second',
      'Bytes of the volume that a restore wrote in a second',
      bytesBuckets,
      ['reader'],
    ),
    latency: histogram(
      'podVolume_restore_store_latency_seconds',
      'Time that the object store took to begin an answer to a restore (median of each)',
      latencyBuckets,
    ),
    storeBytes: counter('podVolume_restore_store_bytes_total', 'Bytes that restores have read from object stores'),
    storeRequests: counter('podVolume_restore_store_requests_total', 'Requests of restores to object stores'),
  };
}
