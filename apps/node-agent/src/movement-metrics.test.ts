import type { DataMovementPhase } from '@lateen/api-types';
import type { MovementChange } from '@lateen/data-movement';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { movementMetrics } from './movement-metrics.ts';

const startMs = Date.parse('2030-01-01T00:00:00Z');
const state = (phase: DataMovementPhase, bytesDone = 0, attempts = 1) => ({ phase, bytesDone, attempts });
type State = ReturnType<typeof state>;

/** A change seen `atS` seconds after the movement was created. */
function change(from: State | undefined, to: State, atS: number, more: Partial<MovementChange> = {}): MovementChange {
  return {
    words: 'data upload',
    uid: 'u1',
    type: from === undefined ? 'added' : 'updated',
    ...(from === undefined ? {} : { previous: from }),
    present: to,
    seenMs: startMs + atS * 1_000,
    createdMs: startMs,
    acceptedMs: undefined,
    startedMs: undefined,
    completedMs: undefined,
    ...more,
  };
}

function setUp() {
  const registry = new Registry();
  const observer = movementMetrics(registry, 'node-1');
  /** The sample lines of the exposition text with this prefix, without the prefix and the node. */
  const lines = async (start: string) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(start))
      .map((line) => line.slice(start.length).replace('node="node-1",', '').replace('node="node-1"', ''));
  return { observer, lines };
}

describe('the metrics of a node-agent', () => {
  it('exist from the start and count each end once, under Velero\u2019s name', async () => {
    const { observer, lines } = setUp();
    expect(await lines('podVolume_data_download_cancel_total')).toEqual(['{} 0']);
    observer.changed(change(state('InProgress'), state('Completed'), 5));
    observer.changed(change(state('Completed'), state('Completed'), 6));
    observer.changed(change(undefined, state('Completed'), 7, { uid: 'old' }));
    observer.changed(change(state('Canceling'), state('Canceled'), 5, { words: 'data download' }));
    expect(await lines('podVolume_data_upload_success_total')).toEqual(['{} 1']);
    expect(await lines('podVolume_data_upload_failure_total')).toEqual(['{} 0']);
    expect(await lines('podVolume_data_download_cancel_total')).toEqual(['{} 1']);
  });

  it('count verifications of changed blocks, and those that found a difference', async () => {
    const { observer, lines } = setUp();
    expect(await lines('podVolume_data_upload_verification_failures_total')).toEqual(['{} 0']);
    const ended = (verification: 'passed' | 'failed' | undefined) => ({ ...state('Completed'), verification });
    for (const each of [undefined, 'passed', 'failed'] as const) {
      observer.changed(change(state('InProgress'), ended(each), 5));
      observer.changed(change(ended(each), ended(each), 6));
    }
    expect(await lines('podVolume_data_upload_verifications_total')).toEqual(['{} 2']);
    expect(await lines('podVolume_data_upload_verification_failures_total')).toEqual(['{} 1']);
  });

  it('report how long a movement took in each phase', async () => {
    const { observer, lines } = setUp();
    const way: [DataMovementPhase, number][] = [
      ['New', 0],
      ['Accepted', 1],
      ['Prepared', 3],
      ['InProgress', 6],
      ['Completed', 10],
    ];
    for (const [at, [phase, seconds]] of way.entries()) {
      const from = way[at - 1]?.[0];
      observer.changed(change(from === undefined ? undefined : state(from), state(phase), seconds));
    }
    const sums = await lines('podVolume_data_movement_phase_duration_seconds_sum');
    expect(sums).toEqual([
      '{operation="upload",phase="queued"} 1',
      '{operation="upload",phase="preparing"} 2',
      '{operation="upload",phase="waiting"} 3',
      '{operation="upload",phase="moving"} 4',
    ]);
    expect(await lines('podVolume_data_movement_duration_seconds_sum')).toEqual([
      '{operation="upload",result="success"} 10',
    ]);
  });

  it('use the API\u2019s times for movements that started before, and none where there are none', async () => {
    const { observer, lines } = setUp();
    const startedMs = startMs + 2_000;
    observer.changed(change(state('InProgress'), state('Failed'), 30, { startedMs }));
    observer.changed(change(state('Prepared'), state('InProgress'), 30, { uid: 'u2', startedMs }));
    const sums = await lines('podVolume_data_movement_phase_duration_seconds_sum');
    expect(sums).toEqual(['{operation="upload",phase="moving"} 28']);
  });

  it('count the time of canceling as moving, and no time for skipped phases', async () => {
    const { observer, lines } = setUp();
    observer.changed(change(state('Prepared'), state('InProgress'), 1));
    observer.changed(change(state('InProgress'), state('Canceling'), 4));
    observer.changed(change(state('Canceling'), state('Canceled'), 6));
    observer.changed(change(state('New'), state('InProgress'), 1, { uid: 'u2' }));
    const sums = await lines('podVolume_data_movement_phase_duration_seconds_sum');
    expect(sums).toEqual(['{operation="upload",phase="moving"} 5']);
  });

  it('count every attempt and every byte once, also when an attempt starts again', async () => {
    const { observer, lines } = setUp();
    observer.changed(change(state('New'), state('Accepted'), 1));
    observer.changed(change(state('InProgress', 0), state('InProgress', 700), 3));
    observer.changed(change(state('InProgress', 700), state('Accepted', 700, 2), 4));
    observer.changed(change(state('InProgress', 700, 2), state('InProgress', 100, 2), 6));
    observer.changed(change(state('InProgress', 100, 2), state('Completed', 1_000, 2), 7));
    observer.changed(change(state('Accepted', 0, 2), state('Accepted', 0, 3), 8, { uid: 'u2' }));
    expect(await lines('podVolume_data_movement_attempts_total')).toEqual([
      '{operation="upload"} 3',
      '{operation="download"} 0',
      '{operation="pod-volume-backup"} 0',
      '{operation="pod-volume-restore"} 0',
    ]);
    expect(await lines('podVolume_data_movement_bytes_total{node="node-1",operation="upload"}')).toEqual([' 1700']);
  });

  it('count pod volumes separately, and what a node has accepted under Velero\u2019s names', async () => {
    const { observer, lines } = setUp();
    const words = 'pod volume backup';
    observer.changed(change(state('New'), state('Accepted'), 1, { words }));
    observer.changed(change(state('New'), state('Accepted'), 1, { words, uid: 'u2' }));
    observer.changed(change(state('InProgress'), state('Completed', 500), 9, { words }));
    observer.changed(change(state('New'), state('Failed'), 9, { words, uid: 'u3' }));
    observer.changed(change(state('InProgress'), state('Completed'), 9, { words: 'pod volume restore', uid: 'u4' }));
    expect(await lines('podVolume_pod_volume_backup_enqueue_count')).toEqual(['{} 2']);
    expect(await lines('podVolume_pod_volume_backup_dequeue_count')).toEqual(['{} 1']);
    expect(await lines('podVolume_pod_volume_backup_success_total')).toEqual(['{} 1']);
    expect(await lines('podVolume_pod_volume_backup_failure_total')).toEqual(['{} 1']);
    expect(await lines('podVolume_pod_volume_restore_success_total')).toEqual(['{} 1']);
    expect(await lines('podVolume_data_upload_success_total')).toEqual(['{} 0']);
    expect(await lines('podVolume_data_movement_bytes_total{node="node-1",operation="pod-volume-backup"}')).toEqual([
      ' 500',
    ]);
  });

  it('read slots, queues and phases at the time of the scrape', async () => {
    const { observer, lines } = setUp();
    expect(await lines('podVolume_data_path_slots')).toEqual([]);
    let taken = 1;
    observer.readings(() => ({
      phases: [{ words: 'data download', phase: 'Prepared', count: 4 }],
      slots: { total: 2, taken, waiting: 4 },
      exposures: { running: 3, max: 32 },
      prepareQueue: { max: 8, waiting: 5 },
      watchInterruptions: 6,
    }));
    taken = 2;
    expect(await lines('podVolume_data_path_slots')).toEqual(['{} 2', '_taken{} 2']);
    expect(await lines('podVolume_data_path_queue_length')).toEqual(['{} 4']);
    expect(await lines('podVolume_prepare_queue_length')).toEqual(['{} 5']);
    expect(await lines('podVolume_exposures')).toEqual(['_running{} 3', '_max{} 32']);
    await lines('podVolume_watch_interruptions_total');
    expect(await lines('podVolume_watch_interruptions_total')).toEqual(['{} 6']);
    const phases = await lines('podVolume_data_movements');
    expect(phases).toContain('{operation="download",phase="Prepared"} 4');
    expect(phases).toContain('{operation="upload",phase="Prepared"} 0');
  });
});
