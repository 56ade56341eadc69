import { type CoreEvent, eventType, type Pod, podType } from '@lateen/api-types';
import { canceledSuffix, interruptedSuffix } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import { informer } from '@lateen/kube-runtime';
import {
  aPod,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  letWorkRun,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { isInterruption } from './interruption.ts';
import { keyedFeed } from './keyed-feed.ts';
import { eventFeedKey, podFeedKey } from './subject.ts';
import { watchHostingPod } from './watch-hosting-pod.ts';

const key = { namespace: 'velero', name: 'du-1' };
const subject = { kind: 'DataUpload', ...key, uid: 'cr-1' };
const source = { byPath: '/cr-1', volumeMode: 'Filesystem' as const };
const result = { snapshotID: 'id-1', emptySnapshot: false, source, totalBytes: 10, incrementalBytes: 3 };
const text = JSON.stringify(result);
const long = 'x'.repeat(5_000);

/** The steps of a case, as mover, kubelet and other components would make them. */
interface Hands {
  cluster: FakeCluster;
  clock: FakeClock;
  event(reason: string, message: string): void;
  end(phase: 'Succeeded' | 'Failed', how?: Parameters<FakeCluster['setPodPhase']>[2]): void;
}

/** The part of a termination message that the kubelet keeps. */
const cut = (message: string): string => Buffer.from(message).toString('utf8', 0, 4096);

/** [title, steps, expected reports]; the README has the same table in words. */
const cases: [string, (hands: Hands) => Promise<void> | void, string][] = [
  [
    'both agree',
    ({ event, end }) => {
      event('Data-Path-Completed', text);
      end('Succeeded', { terminationMessage: text });
    },
    'completed',
  ],
  [
    'both differ',
    ({ event, end }) => {
      event('Data-Path-Completed', text.replace('id-1', 'id-2'));
      end('Succeeded', { terminationMessage: text });
    },
    'DATA_PATH_CONTRADICTION',
  ],
  [
    'the pod succeeded and its Event says failed',
    ({ event, end }) => {
      event('Data-Path-Failed', 'disk full');
      end('Succeeded', { terminationMessage: text });
    },
    'DATA_PATH_CONTRADICTION',
  ],
  ['there is only the termination message', ({ end }) => end('Succeeded', { terminationMessage: text }), 'completed'],
  [
    'there is only the Event: the pod is deleted',
    ({ cluster, event }) => {
      event('Data-Path-Completed', text);
      cluster.remove(podType, key);
    },
    'completed',
  ],
  ['the mover crashed', ({ end }) => end('Failed', { exitCode: 139 }), 'DATA_PATH_KILLED interruption'],
  ['the mover ended without a word', ({ end }) => end('Failed', { exitCode: 1 }), 'DATA_PATH_POD_FAILED'],
  ['the pod is deleted', ({ cluster }) => void cluster.remove(podType, key), 'DATA_PATH_POD_GONE interruption'],
  [
    'the pod is evicted',
    ({ end }) => end('Failed', { reason: 'Evicted', message: 'low on memory', exitCode: 137 }),
    'DATA_PATH_EVICTED interruption',
  ],
  [
    'the node shuts down',
    ({ end }) => end('Failed', { reason: 'Terminated', exitCode: 143 }),
    'DATA_PATH_NODE_LOST interruption',
  ],
  [
    'the node is gone: the pod terminates for ever',
    async ({ cluster, clock }) => {
      cluster.change(podType, key, ({ metadata }) => {
        metadata.deletionTimestamp = new Date(clock.now()).toISOString();
      });
      await clock.advance(60_000);
    },
    'DATA_PATH_NODE_LOST interruption',
  ],
  [
    'it ran out of memory',
    ({ end }) => end('Failed', { exitCode: 137, containerReason: 'OOMKilled' }),
    'DATA_PATH_OUT_OF_MEMORY interruption',
  ],
  [
    'it was killed before it started',
    ({ cluster }) =>
      void cluster.change(podType, key, (pod) => {
        pod.status = { phase: 'Failed', reason: 'OutOfmemory', message: 'Node did not have enough memory' };
      }),
    'DATA_PATH_NOT_STARTED interruption',
  ],
  [
    'it was told to stop',
    ({ end }) => end('Failed', { terminationMessage: `the data mover was told to stop: ${interruptedSuffix}` }),
    'DATA_PATH_INTERRUPTED interruption',
  ],
  ['it failed', ({ end }) => end('Failed', { terminationMessage: 'wrong password' }), 'DATA_PATH_FAILED'],
  ['it was cancelled', ({ end }) => end('Failed', { terminationMessage: `Failed: ${canceledSuffix}` }), 'canceled'],
  [
    'the Event comes late',
    async ({ clock, event, end }) => {
      end('Succeeded');
      await clock.advance(9_000);
      event('Data-Path-Completed', text);
    },
    'completed',
  ],
  [
    'the Event comes too late, or is lost',
    async ({ clock, event, end }) => {
      end('Succeeded');
      await clock.advance(10_000);
      event('Data-Path-Completed', text);
    },
    'DATA_PATH_NO_RESULT interruption',
  ],
  [
    'the Events come in the wrong order',
    ({ event, end }) => {
      event('Data-Path-Stopped', 'Data path for du-1 stopped');
      event('Data-Path-Completed', text);
      event('Data-Path-Started', 'Data path for du-1 started');
      end('Succeeded', { terminationMessage: text });
    },
    'completed',
  ],
  [
    'the Event has expired',
    ({ cluster, event, end }) => {
      event('Data-Path-Progress', '{"doneBytes":1}');
      for (const { metadata } of cluster.all(eventType)) {
        cluster.remove(eventType, { namespace: 'velero', name: metadata.name ?? '' });
      }
      end('Succeeded', { terminationMessage: text });
    },
    'completed',
  ],
  [
    'the result was cut, and the Event has it',
    ({ event, end }) => {
      const whole = JSON.stringify({ ...result, source: { ...source, byPath: long } });
      event('Data-Path-Completed', whole);
      end('Succeeded', { terminationMessage: cut(whole) });
    },
    'completed',
  ],
  [
    'the failure was cut, and with it its last words',
    ({ event, end }) => {
      event('Data-Path-Canceled', 'Data path for data upload du-1 canceled');
      end('Failed', { terminationMessage: cut(`${long}: ${canceledSuffix}`) });
    },
    'canceled',
  ],
  [
    'the failure was cut, and nothing else is known',
    ({ end }) => end('Failed', { terminationMessage: cut(long) }),
    'DATA_PATH_FAILED',
  ],
];

async function outcomesOf(act: (hands: Hands) => Promise<void> | void, hasStarted: boolean): Promise<string[]> {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const pod = aPod({ ...key, uid: 'pod-1', phase: 'Pending', spec: { containers: [{ name: 'cr-1', image: 'i' }] } });
  const cluster = fakeCluster({ clock, objects: [pod] });
  if (hasStarted) cluster.setPodPhase(key, 'Running');
  const [log, random, stop] = [recordingLog(), seededRandom(1), new AbortController()];
  const shared = { api: cluster, namespace: 'velero', clock, random, log };
  const pods = informer<Pod>({ ...shared, type: podType });
  const events = informer<CoreEvent>({ ...shared, type: eventType });
  const running = Promise.all([pods.run(stop.signal), events.run(stop.signal)]);
  await Promise.all([pods.synced(stop.signal), events.synced(stop.signal)]);
  const outcomes: string[] = [];
  const path = watchHostingPod({
    subject,
    pods: keyedFeed(pods, podFeedKey),
    events: keyedFeed(events, eventFeedKey),
    readPod: async () => undefined,
    logs: { repeat: async () => {} },
    logFields: {},
    needsPodEnd: true,
    callbacks: {
      onStarted: () => {},
      onProgress: () => {},
      onCompleted: () => outcomes.push('completed'),
      onFailed: (error) =>
        outcomes.push(`${isAppError(error) ? error.code : error}${isInterruption(error) ? ' interruption' : ''}`),
      onCancelled: () => outcomes.push('canceled'),
    },
    clock,
    log,
  });
  await path.init({ ...key, container: 'cr-1' }, { signal: stop.signal });
  await path.startRestore('id', {}, undefined);
  let made = 0;
  await act({
    cluster,
    clock,
    event: (reason, message) => {
      const related = { apiVersion: 'v1', kind: 'Pod', ...key, uid: 'pod-1' };
      const metadata = { namespace: 'velero', name: `du-1.${made++}` };
      const event = { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: subject, related, reason, message };
      cluster.put(event);
    },
    end: (phase, how) => void cluster.setPodPhase(key, phase, how),
  });
  await letWorkRun();
  await clock.advance(10_000);
  await path.close();
  stop.abort();
  await running;
  return outcomes;
}

describe('a data path watched through informers when', () => {
  it.each(cases)('%s', async (what, act, outcome) => {
    expect(await outcomesOf(act, what !== 'it was killed before it started')).toEqual([outcome]);
  });
});
