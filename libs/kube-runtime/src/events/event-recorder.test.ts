import { eventType } from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { eventRecorder } from './event-recorder.ts';

const subject = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', namespace: 'velero', name: 'du-1', uid: 'u-1' };
const alive = new AbortController().signal;

function make() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock });
  const log = recordingLog();
  const recorder = eventRecorder({
    api: cluster,
    component: 'du-1',
    host: 'node-1',
    clock,
    random: seededRandom(),
    log,
  });
  const events = () => cluster.all(eventType).map(({ reason, message, count }) => ({ reason, message, count }));
  return { clock, cluster, log, recorder, events };
}

describe('eventRecorder', () => {
  it('creates an Event in the form of the API', async () => {
    const { cluster, recorder } = make();
    recorder.record(subject, 'Data-Path-Started', 'Data path for du-1 started');
    await expect(recorder.flush(alive)).resolves.toBe(true);
    const [event] = cluster.all(eventType);
    expect(event?.metadata.name).toMatch(/^du-1\.[0-9a-f]{16}$/);
    expect(event).toMatchObject({
      metadata: { namespace: 'velero' },
      involvedObject: subject,
      reason: 'Data-Path-Started',
      message: 'Data path for du-1 started',
      type: 'Normal',
      count: 1,
      source: { component: 'du-1', host: 'node-1' },
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
    });
  });

  it('sets the related object on all its Events, and none by default', async () => {
    const { cluster, recorder, clock } = make();
    const related = { apiVersion: 'v1', kind: 'Pod', namespace: 'velero', name: 'du-1', uid: 'pod-1' };
    const more = {
      api: cluster,
      component: 'du-1',
      host: 'node-1',
      clock,
      random: seededRandom(2),
      log: recordingLog(),
    };
    const ofAPod = eventRecorder({ ...more, related });
    recorder.record(subject, 'A', 'a');
    ofAPod.record(subject, 'B', 'b');
    await Promise.all([recorder.flush(alive), ofAPod.flush(alive)]);
    const found = cluster.all(eventType).map((event) => [event.reason, event.related]);
    expect(Object.fromEntries(found)).toEqual({ A: undefined, B: related });
  });

  it('counts repeated Events with one reason in one Event, through patches', async () => {
    const { clock, cluster, recorder, events } = make();
    for (const done of [1, 2, 3]) {
      recorder.record(subject, 'Data-Path-Progress', `{"totalBytes":9,"doneBytes":${done}}`);
      await recorder.flush(alive);
      await clock.advance(10_000);
    }
    expect(events()).toEqual([{ reason: 'Data-Path-Progress', message: '{"totalBytes":9,"doneBytes":3}', count: 3 }]);
    expect(cluster.all(eventType)[0]).toMatchObject({
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:20Z',
    });
    expect(cluster.calls.map((call) => call.verb)).toEqual(['create', 'patch', 'patch']);
  });

  it('separates reasons and objects, and keeps their order', async () => {
    const { cluster, recorder, events } = make();
    recorder.record(subject, 'Data-Path-Started', 'started');
    recorder.record(subject, 'Data-Path-Completed', 'completed');
    recorder.record({ ...subject, name: 'du-2', uid: 'u-2' }, 'Data-Path-Started', 'other');
    await recorder.flush(alive);
    expect(events()).toHaveLength(3);
    expect(cluster.calls.map((call) => (call.body as { message: string }).message)).toEqual([
      'started',
      'completed',
      'other',
    ]);
  });

  it('counts Events that it could not send in time, and sends the latest message', async () => {
    const { recorder, events, cluster } = make();
    for (let i = 1; i <= 100; i++) recorder.record(subject, 'Data-Path-Progress', `${i}`);
    await recorder.flush(alive);
    expect(events()).toEqual([{ reason: 'Data-Path-Progress', message: '100', count: 100 }]);
    expect(cluster.calls).toHaveLength(1);
  });

  it('creates an expired Event again', async () => {
    const { cluster, recorder, events } = make();
    recorder.record(subject, 'Data-Path-Progress', 'one');
    await recorder.flush(alive);
    for (const event of cluster.all(eventType)) {
      cluster.remove(eventType, { namespace: 'velero', name: event.metadata.name ?? '' });
    }
    recorder.record(subject, 'Data-Path-Progress', 'two');
    await recorder.flush(alive);
    expect(events()).toEqual([{ reason: 'Data-Path-Progress', message: 'two', count: 1 }]);
  });

  it('creates no second Event when the response to the first was lost', async () => {
    const { clock, cluster, recorder, events } = make();
    let lost = false;
    cluster.intercept(async (_call, next) => {
      const result = await next();
      if (!lost) {
        lost = true;
        throw kubeError('KUBE_UNAVAILABLE', 'connection reset');
      }
      return result;
    });
    recorder.record(subject, 'Data-Path-Completed', '{"snapshotID":"s"}');
    const flushed = recorder.flush(alive);
    await clock.advance(10_000);
    await expect(flushed).resolves.toBe(true);
    expect(events()).toEqual([{ reason: 'Data-Path-Completed', message: '{"snapshotID":"s"}', count: 1 }]);
  });

  it('retries while the API server is unavailable, and finally gives up with a log line', async () => {
    const { clock, cluster, recorder, log, events } = make();
    cluster.failTimes(5, 'create', eventType, 'KUBE_UNAVAILABLE');
    recorder.record(subject, 'Data-Path-Started', 'started');
    const first = recorder.flush(alive);
    await clock.advance(60_000);
    await expect(first).resolves.toBe(true);
    expect(events()).toHaveLength(1);
    cluster.failTimes(1_000, 'create', eventType, 'KUBE_UNAVAILABLE');
    recorder.record(subject, 'Data-Path-Stopped', 'stopped');
    const second = recorder.flush(alive);
    await clock.advance(300_000);
    await expect(second).resolves.toBe(false);
    expect(log.messages('warn')).toEqual(['an event could not be recorded']);
  });

  it('does not retry a permanent rejection', async () => {
    const { cluster, recorder } = make();
    recorder.record({ ...subject, namespace: 'gone' }, 'Data-Path-Started', 'started');
    await expect(recorder.flush(alive)).resolves.toBe(false);
    expect(cluster.calls).toHaveLength(1);
  });

  it('ends when the signal aborts', async () => {
    const { cluster, recorder } = make();
    cluster.failTimes(100, 'create', eventType, 'KUBE_UNAVAILABLE');
    recorder.record(subject, 'Data-Path-Started', 'started');
    const stop = new AbortController();
    const flushed = recorder.flush(stop.signal);
    stop.abort(new Error('one minute is over'));
    await expect(flushed).rejects.toThrow('one minute is over');
  });

  it('truncates a message that exceeds the limit', async () => {
    const { recorder, events } = make();
    recorder.record(subject, 'Data-Path-Failed', 'x'.repeat(2_000_000));
    await recorder.flush(alive);
    expect(events()[0]?.message).toHaveLength(32_768);
  });
});
