import type { CoreEvent, Pod } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';
import { aPod, FakeClock, letWorkRun, recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type KeyedFeed, keyedFeed } from './keyed-feed.ts';
import { eventFeedKey, podFeedKey } from './subject.ts';
import { watchHostingPod } from './watch-hosting-pod.ts';

const uid = 'cr-1';
const result = {
  snapshotID: 'id-1',
  emptySnapshot: false,
  source: { byPath: '/cr-1', volumeMode: 'Filesystem' as const },
  totalBytes: 10,
  incrementalBytes: 3,
};

/** A feed whose changes the test makes. */
function handFeed<T extends Pod | CoreEvent>(
  keyOf: (object: T) => string,
): KeyedFeed<T> & { change(type: Change<T>['type'], object: T): void } {
  const objects = new Map<string, T>();
  let tell: (change: Change<T>) => void = () => {};
  const onChange = (handler: typeof tell) => {
    tell = handler;
    return () => {};
  };
  const feed = keyedFeed<T>({ list: () => [...objects.values()], onChange }, keyOf);
  return {
    ...feed,
    change: (type, object) => {
      const key = object.metadata.name ?? '';
      if (type === 'deleted') objects.delete(key);
      else objects.set(key, object);
      tell(type === 'updated' ? { type, object, previous: object } : { type, object });
    },
  };
}

const running = aPod({
  name: 'x',
  uid: 'pod-1',
  phase: 'Running',
  status: { containerStatuses: [{ name: uid, state: { running: {} } }] },
});
const ended = (phase: 'Succeeded' | 'Failed', message?: string): Pod => ({
  ...running,
  status: {
    phase,
    containerStatuses: [
      {
        name: uid,
        state: { terminated: { exitCode: phase === 'Failed' ? 1 : 0, ...(message === undefined ? {} : { message }) } },
      },
    ],
  },
});
const anEvent = (reason: string, message = '', about: object = {}): CoreEvent => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'velero', name: reason },
  involvedObject: { kind: 'DataUpload', namespace: 'velero', name: 'x', uid, ...about },
  reason,
  message,
});

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));
/** A log that follows the container like the real one. */
const untilEnded = async (signal: AbortSignal, ended: AbortSignal) => {
  await Promise.race([aborted(signal), aborted(ended)]);
  signal.throwIfAborted();
};

function watched(
  pod: Pod | undefined,
  options: {
    inCache?: boolean;
    repeat?: (signal: AbortSignal, ended: AbortSignal) => Promise<void>;
    stop?: AbortSignal;
    startedAt?: string;
    readEvents?: () => Promise<readonly CoreEvent[]>;
    needsPodEnd?: boolean;
  } = {},
) {
  const clock = new FakeClock();
  const log = recordingLog();
  const pods = handFeed<Pod>(podFeedKey);
  const events = handFeed<CoreEvent>(eventFeedKey);
  if (pod !== undefined && options.inCache !== false) pods.change('added', pod);
  const calls: unknown[] = [];
  const repeated: string[] = [];
  const copied: string[] = [];
  const contradicted: string[] = [];
  const path = watchHostingPod({
    subject: { kind: 'DataUpload', namespace: 'velero', name: 'x', uid, startedAt: options.startedAt },
    pods,
    events,
    readPod: async () => pod,
    ...(options.readEvents === undefined ? {} : { readEvents: options.readEvents }),
    logs: {
      repeat: async (key, container, fields, { signal, ended }) => {
        repeated.push(`${key.namespace}/${key.name}/${container} ${JSON.stringify(fields)}`);
        await (options.repeat ?? untilEnded)(signal, ended);
        copied.push(key.name);
      },
    },
    logFields: { dataUpload: 'velero/x' },
    callbacks: {
      onStarted: () => calls.push('started'),
      onProgress: (progress) => calls.push(progress),
      onCompleted: (done) => calls.push(['completed', done]),
      onFailed: (error) => calls.push(['failed', error.message]),
      onCancelled: () => calls.push('canceled'),
    },
    needsPodEnd: options.needsPodEnd ?? false,
    onContradicted: ({ code, message }) => contradicted.push(`${code}: ${message}`),
    clock,
    log,
    ...(options.stop === undefined ? {} : { stop: options.stop }),
  });
  const begin = async () => {
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    await path.startBackup({}, undefined);
  };
  return { path, pods, events, calls, repeated, copied, contradicted, clock, log, begin };
}

describe('watching a hosting pod', () => {
  it('reports start, progress and completion in order', async () => {
    const { begin, pods, events, calls } = watched(running);
    await begin();
    events.change('added', anEvent('Data-Path-Started'));
    events.change('added', anEvent('Data-Path-Progress', '{"totalBytes":10}'));
    events.change('updated', anEvent('Data-Path-Progress', '{"totalBytes":10,"doneBytes":5}'));
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    expect(calls).toEqual([
      'started',
      { totalBytes: 10, doneBytes: 0 },
      { totalBytes: 10, doneBytes: 5 },
      ['completed', result],
    ]);
  });
  it('misses nothing that happens between init and start', async () => {
    const { path, pods, events, calls } = watched(running);
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    events.change('added', anEvent('Data-Path-Started'));
    pods.change('updated', ended('Failed', 'no bucket'));
    expect(calls).toEqual([]);
    await path.startBackup({}, undefined);
    expect(calls).toEqual(['started', ['failed', 'no bucket']]);
  });
  it('looks at the pod first: an ended one is reported at once', async () => {
    const { begin, calls } = watched(ended('Succeeded', JSON.stringify(result)));
    await begin();
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('asks the API for a pod that is not in the cache yet', async () => {
    const { begin, calls } = watched(ended('Succeeded', JSON.stringify(result)), { inCache: false });
    await begin();
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('replays earlier Events in order when it is started again', async () => {
    const { begin, events, calls } = watched(running);
    events.change('added', {
      ...anEvent('Data-Path-Progress', '{"doneBytes":7}'),
      lastTimestamp: '2030-01-01T00:00:09Z',
    });
    events.change('added', { ...anEvent('Data-Path-Started'), lastTimestamp: '2030-01-01T00:00:01Z' });
    await begin();
    expect(calls).toEqual(['started', { totalBytes: 0, doneBytes: 7 }]);
  });
  it('reports the end once, even when it is repeated', async () => {
    const { begin, pods, events, calls, log } = watched(running);
    await begin();
    pods.change('updated', ended('Failed', 'no'));
    pods.change('updated', ended('Failed', 'no'));
    events.change('added', anEvent('Data-Path-Failed', 'no'));
    events.change('updated', anEvent('Data-Path-Progress', '{"doneBytes":9}'));
    pods.change('deleted', ended('Failed', 'no'));
    expect(calls).toEqual([['failed', 'no']]);
    expect(log.messages('error')).toEqual([]);
  });
  it('waits for the Event when the pod left no message, for a limited time', async () => {
    const { begin, pods, events, calls, clock } = watched(running);
    await begin();
    pods.change('updated', ended('Succeeded'));
    await clock.advance(9_000);
    expect(calls).toEqual([]);
    events.change('added', anEvent('Data-Path-Completed', JSON.stringify(result)));
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('asks the API for the Events once before it gives up, because the watch may be late', async () => {
    let reads = 0;
    const readEvents = async () => {
      reads += 1;
      return [anEvent('Data-Path-Completed', JSON.stringify(result))];
    };
    const { begin, pods, calls, clock } = watched(running, { readEvents });
    await begin();
    pods.change('updated', ended('Succeeded'));
    await clock.advance(10_000);
    await letWorkRun();
    expect(calls).toEqual(['started', ['completed', result]]);
    expect(reads).toBe(1);
  });
  it('uses what it has seen when the Events cannot be read, and logs that', async () => {
    const readEvents = async () => {
      throw new Error('the API server is away');
    };
    const { begin, pods, calls, clock, log } = watched(running, { readEvents });
    await begin();
    pods.change('updated', ended('Succeeded'));
    await clock.advance(10_000);
    await letWorkRun();
    expect(calls).toEqual([['failed', 'pod velero/x succeeded but left no result']]);
    expect(log.messages('warn')).toEqual(['the last Events cannot be read; what the watch has shown counts']);
  });
  it('waits ten seconds for Events of a killed pod and then reports how it was killed', async () => {
    const { begin, pods, calls, clock } = watched(running);
    await begin();
    pods.change('updated', ended('Failed'));
    await clock.advance(9_999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    expect(calls).toEqual([['failed', 'pod velero/x failed: its container ended with exit code 1']]);
  });
  it('uses the last state of a pod that is deleted as soon as it ends', async () => {
    const { begin, pods, calls } = watched(running);
    await begin();
    pods.change('deleted', ended('Succeeded', JSON.stringify(result)));
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('reports that a pod was deleted while it was running', async () => {
    const { begin, pods, calls, clock } = watched(running);
    await begin();
    pods.change('deleted', running);
    await clock.advance(10_000);
    expect(calls).toEqual([['failed', 'pod velero/x was deleted before it ended']]);
  });
  it('does not confuse a new pod of the same name with the old one', async () => {
    const { begin, pods, calls, clock } = watched(running);
    await begin();
    pods.change('deleted', running);
    pods.change('added', {
      ...ended('Succeeded', JSON.stringify(result)),
      metadata: { ...running.metadata, uid: 'pod-2' },
    });
    await clock.advance(10_000);
    expect(calls).toEqual([['failed', 'pod velero/x was deleted before it ended']]);
  });
  it('ignores Events about other objects: another kind, another name, an earlier one of the same name', async () => {
    const { begin, events, calls } = watched(running);
    await begin();
    events.change('added', anEvent('Data-Path-Started', '', { kind: 'DataDownload' }));
    events.change('added', anEvent('Data-Path-Started', '', { name: 'y' }));
    events.change('added', anEvent('Data-Path-Started', '', { uid: 'cr-0' }));
    events.change('added', anEvent('Pulled', 'x'));
    expect(calls).toEqual([]);
  });
  it('logs an Event that it cannot parse and continues', async () => {
    const { begin, events, calls, log } = watched(running);
    await begin();
    events.change('added', anEvent('Data-Path-Progress', 'nonsense'));
    events.change('updated', anEvent('Data-Path-Progress', '{"doneBytes":1}'));
    expect(calls).toEqual(['started', { totalBytes: 0, doneBytes: 1 }]);
    expect(log.messages('warn')).toEqual(['an Event of the data mover cannot be read']);
  });
});

describe('the Events of a hosting pod', () => {
  const hour = (n: number) => `2030-01-01T0${n}:00:00Z`;
  const from = (podUid: string, event: CoreEvent): CoreEvent => ({
    ...event,
    metadata: { ...event.metadata, name: `${event.metadata.name}-${podUid}` },
    related: { apiVersion: 'v1', kind: 'Pod', namespace: 'velero', name: 'x', uid: podUid },
  });
  const at = (time: string, event: CoreEvent): CoreEvent => ({
    ...event,
    metadata: { ...event.metadata, creationTimestamp: time },
    lastTimestamp: time,
  });
  const completedEvent = anEvent('Data-Path-Completed', JSON.stringify(result));
  const failedEvent = anEvent('Data-Path-Failed', 'Data path for data upload x failed, error disk');

  it('are only those of this pod, not of an earlier attempt', async () => {
    const { begin, pods, events, calls, clock } = watched(running);
    events.change('added', from('pod-0', failedEvent));
    await begin();
    events.change('added', from('pod-0', anEvent('Data-Path-Progress', '{"doneBytes":9}')));
    events.change('added', from('pod-1', anEvent('Data-Path-Progress', '{"doneBytes":3}')));
    pods.change('deleted', running);
    await clock.advance(10_000);
    expect(calls).toEqual([
      'started',
      { totalBytes: 0, doneBytes: 3 },
      ['failed', 'pod velero/x was deleted before it ended'],
    ]);
  });
  it('count without a pod UID, as Velero writes them, unless they are older than the pod', async () => {
    const young = { ...running, metadata: { ...running.metadata, creationTimestamp: hour(2) } };
    const { begin, events, calls } = watched(young);
    events.change('added', at(hour(1), anEvent('Data-Path-Progress', '{"doneBytes":9}')));
    await begin();
    expect(calls).toEqual([]);
    events.change('added', at(hour(2), anEvent('Data-Path-Progress', '{"doneBytes":3}')));
    expect(calls).toEqual(['started', { totalBytes: 0, doneBytes: 3 }]);
  });
  it('of the last attempt decide when the pod is already gone', async () => {
    const { begin, events, calls } = watched(undefined);
    events.change('added', at(hour(2), from('pod-1', completedEvent)));
    events.change('added', at(hour(1), from('pod-0', failedEvent)));
    await begin();
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('from before the attempt are ignored when the pod is gone', async () => {
    const { begin, events, calls, clock } = watched(undefined, { startedAt: hour(3) });
    events.change('added', at(hour(2), from('pod-1', completedEvent)));
    events.change('added', at(hour(1), failedEvent));
    await begin();
    await clock.advance(10_000);
    expect(calls).toEqual([['failed', 'pod velero/x was deleted before it ended']]);
  });
  it('may arrive in any order: nothing is reported twice or backwards', async () => {
    const { begin, pods, events, calls } = watched(running);
    await begin();
    events.change('added', anEvent('Data-Path-Progress', '{"totalBytes":10,"doneBytes":7}'));
    events.change('added', anEvent('Data-Path-Started'));
    events.change('updated', anEvent('Data-Path-Progress', '{"totalBytes":10,"doneBytes":4}'));
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    events.change('added', completedEvent);
    expect(calls).toEqual(['started', { totalBytes: 10, doneBytes: 7 }, ['completed', result]]);
  });
  it('that contradict each other are a failure when the termination message is missing', async () => {
    const { begin, pods, events, calls } = watched(running);
    await begin();
    events.change('added', failedEvent);
    events.change('updated', failedEvent);
    events.change('added', anEvent('Data-Path-Canceled', 'canceled'));
    pods.change('deleted', running);
    expect(calls).toEqual([['failed', expect.stringContaining('the ending Events of pod velero/x differ')]]);
  });
  it('may all be lost or expired: the termination message is sufficient', async () => {
    const { begin, pods, events, calls } = watched(running);
    await begin();
    events.change('added', anEvent('Data-Path-Progress', '{"doneBytes":3}'));
    events.change('deleted', anEvent('Data-Path-Progress', '{"doneBytes":3}'));
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    expect(calls).toEqual(['started', { totalBytes: 0, doneBytes: 3 }, ['completed', result]]);
  });
});

describe('a pod that does not end', () => {
  const terminating = (deletionTimestamp: string): Pod => ({
    ...running,
    metadata: { ...running.metadata, deletionTimestamp },
  });
  it('one minute after its deadline is lost with its node', async () => {
    const { begin, pods, calls, clock } = watched(running);
    await begin();
    pods.change('updated', terminating(new Date(clock.now() + 30_000).toISOString()));
    await clock.advance(89_999);
    expect(calls).toEqual([]);
    await clock.advance(1);
    await clock.advance(10_000);
    expect(calls).toEqual([
      ['failed', expect.stringMatching(/^pod velero\/x should have ended by .* does not answer$/)],
    ]);
  });
  it('but is deleted in time is not lost', async () => {
    const { begin, pods, calls, clock } = watched(running);
    await begin();
    const last = terminating(new Date(clock.now() + 30_000).toISOString());
    pods.change('updated', last);
    await clock.advance(60_000);
    pods.change('deleted', last);
    await clock.advance(10_000);
    expect(calls).toEqual([['failed', 'pod velero/x was deleted before it ended']]);
  });
  it('is lost when its phase stays Unknown, but not when it recovers', async () => {
    const unknown: Pod = { ...running, status: { ...running.status, phase: 'Unknown' } };
    const lost = watched(unknown);
    const back = watched(unknown);
    await lost.begin();
    await back.begin();
    await back.clock.advance(59_000);
    back.pods.change('updated', running);
    await back.clock.advance(100_000);
    expect(back.calls).toEqual([]);
    await lost.clock.advance(60_000);
    await lost.clock.advance(10_000);
    expect(lost.calls).toEqual([['failed', 'pod velero/x is of phase Unknown: its node does not answer']]);
  });
  it('may have reported its result, which counts', async () => {
    const { path, events, calls, clock } = watched(terminating('2030-01-01T00:00:00Z'));
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    await path.startRestore('id', {}, undefined);
    events.change('added', anEvent('Data-Path-Completed', JSON.stringify(result)));
    await clock.advance(60_000);
    expect(calls).toEqual(['started', ['completed', result]]);
  });
});

describe('a backup whose mover reports completion', () => {
  const done = anEvent('Data-Path-Completed', JSON.stringify(result));
  it('is completed at once, and close still waits for the pod and its log', async () => {
    const { begin, path, pods, events, calls, repeated, copied } = watched(running);
    await begin();
    events.change('added', done);
    expect(calls).toEqual(['started', ['completed', result]]);
    let closed = false;
    const closing = path.close().then(() => {
      closed = true;
    });
    await letWorkRun();
    expect([closed, repeated.length, copied.length]).toEqual([false, 1, 0]);
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    await closing;
    expect(copied).toHaveLength(1);
    expect(calls).toHaveLength(2);
  });
  it('stays completed when the pod ends otherwise, which is logged once as an error', async () => {
    const { begin, pods, events, calls, log } = watched(running);
    await begin();
    events.change('added', done);
    pods.change('updated', ended('Failed', 'segmentation fault'));
    pods.change('deleted', ended('Failed', 'segmentation fault'));
    expect(calls).toEqual(['started', ['completed', result]]);
    expect(log.messages('error')).toEqual(['the data path has completed, but the end of its pod says otherwise']);
  });
  it.each([
    [
      'fails',
      ended('Failed', 'segmentation fault'),
      'DATA_PATH_FAILED: segmentation fault (after it had reported completion)',
    ],
    [
      'was canceled',
      ended('Failed', 'Failed to run data path service: data path is canceled'),
      'DATA_PATH_CONTRADICTION: pod velero/x ended as if it had been canceled',
    ],
    [
      'has another result',
      ended('Succeeded', JSON.stringify({ ...result, totalBytes: 7 })),
      'DATA_PATH_CONTRADICTION: the two results of pod velero/x differ',
    ],
  ])('reports once before the close that its pod %s', async (_, end, text) => {
    const { begin, path, pods, events, contradicted } = watched(running);
    await begin();
    events.change('added', done);
    const closing = path.close();
    pods.change('updated', end);
    pods.change('deleted', end);
    await closing;
    expect(contradicted).toEqual([expect.stringContaining(text)]);
  });
  it('reports nothing when the pod agrees or is lost', async () => {
    for (const lost of [false, true]) {
      const { begin, pods, events, contradicted } = watched(running);
      await begin();
      events.change('added', done);
      if (lost) pods.change('deleted', running);
      else pods.change('updated', ended('Succeeded', JSON.stringify(result)));
      expect(contradicted).toEqual([]);
    }
  });
  it('is awaited for one minute when the pod does not exit', async () => {
    const { begin, path, events, clock, copied } = watched(running);
    await begin();
    events.change('added', done);
    const closing = path.close();
    await clock.advance(60_000);
    await closing;
    expect(copied).toHaveLength(1);
  });
  it('ends a restore at once when no further step uses the volume', async () => {
    const { path, events, calls } = watched(running);
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    await path.startRestore('id', {}, undefined);
    events.change('added', done);
    expect(calls).toEqual(['started', ['completed', result]]);
  });
  it('does not end a data path whose volume is bound to a claim afterwards, because it is in use until the pod has ended', async () => {
    const { path, pods, events, calls } = watched(running, { needsPodEnd: true });
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    await path.startRestore('id', {}, undefined);
    events.change('added', done);
    expect(calls).toEqual([]);
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    expect(calls).toEqual(['started', ['completed', result]]);
  });
});

describe('closing a watch', () => {
  it('waits until the log of the pod has been copied, once', async () => {
    const gate = Promise.withResolvers<void>();
    const { begin, path, pods, repeated } = watched(running, { repeat: () => gate.promise });
    await begin();
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    let closed = false;
    const closing = path.close().then(() => (closed = true));
    await letWorkRun();
    expect(closed).toBe(false);
    gate.resolve();
    await closing;
    await path.close();
    expect(repeated).toEqual(['velero/x/cr-1 {"dataUpload":"velero/x"}']);
  });
  it('waits a limited time for a log, and logs when it gives up', async () => {
    const hang = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { begin, path, pods, clock, log } = watched(running, { repeat: hang });
    await begin();
    pods.change('updated', ended('Succeeded', JSON.stringify(result)));
    const closing = path.close();
    await clock.advance(60_000);
    await closing;
    expect(log.messages('warn')).toEqual(['the log of the hosting pod could not be repeated']);
  });
  it('copies the log of a running pod, but nothing of one that never started', async () => {
    const one = watched(running);
    await one.begin();
    await one.path.close();
    expect(one.repeated).toHaveLength(1);
    const other = watched(aPod({ name: 'x', phase: 'Pending' }));
    await other.begin();
    await other.path.close();
    expect(other.repeated).toEqual([]);
  });
  it('leaves the log of a pod for the next process when this one stops', async () => {
    const stop = new AbortController();
    const goesOn = watched(running, { stop: stop.signal });
    const hasEnded = watched(running, { stop: stop.signal });
    await goesOn.begin();
    await hasEnded.begin();
    hasEnded.pods.change('updated', ended('Failed', 'no'));
    stop.abort();
    await Promise.all([goesOn.path.close(), hasEnded.path.close()]);
    expect(goesOn.copied).toEqual([]);
    expect(goesOn.log.messages('warn')).toEqual([]);
    expect(hasEnded.copied).toHaveLength(1);
  });
  it('ends all callbacks and leaves no timer', async () => {
    const { begin, path, pods, events, calls, clock } = watched(running);
    await begin();
    pods.change('updated', ended('Failed'));
    await path.close();
    events.change('added', anEvent('Data-Path-Started'));
    pods.change('deleted', running);
    await clock.advance(20_000);
    expect(calls).toEqual([]);
  });
  it('starts the copy when the container starts and ends it when the container has ended', async () => {
    const { path, pods, repeated, copied } = watched(aPod({ name: 'x', uid: 'pod-1', phase: 'Pending' }));
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    pods.change('updated', running);
    expect(repeated).toHaveLength(0);
    await path.startBackup({}, undefined);
    expect(repeated).toHaveLength(1);
    pods.change('updated', running);
    await letWorkRun();
    expect([repeated.length, copied.length]).toEqual([1, 0]);
    pods.change('updated', ended('Failed', 'no'));
    await letWorkRun();
    expect([repeated.length, copied.length]).toEqual([1, 1]);
  });
  it('copies nothing when it was never started, because another process watches that pod', async () => {
    const { path, repeated } = watched(running);
    await path.init({ namespace: 'velero', name: 'x', container: uid }, { signal: new AbortController().signal });
    await path.close();
    expect(repeated).toEqual([]);
  });
  it('can be called before init', async () => {
    await expect(watched(running).path.close()).resolves.toBeUndefined();
  });
  it('start without init is rejected', async () => {
    await expect(watched(running).path.startBackup({}, undefined)).rejects.toThrow('init');
  });
});
