import { describe, expect, it } from 'vitest';
import { decideInstanceManager, type InstanceManagerSeen } from './decide-instance-manager.ts';
import { aManagerPod, anInstance, anInstanceManager, seenOf, somePodSettings } from './example-instance-manager.ts';
import { instanceManagerPod } from './instance-manager-pod.ts';

const t0 = Date.parse('2026-03-01T00:01:00Z');
const silent = { answers: false, instances: [] };
const running = anInstanceManager({ currentState: 'running', ip: '10.0.0.1' });
const otherPod = instanceManagerPod(running, somePodSettings({ priorityClass: 'other' }));

const stateRows: readonly [string, Partial<InstanceManagerSeen>, string, readonly string[]][] = [
  ['no pod: one is made', { pod: undefined, host: silent }, 'starting', ['create-pod']],
  ['no pod on a node that is down: nothing is made', { pod: undefined, host: silent, nodeIsDown: true }, 'unknown', []],
  ['a pod that waits for its image', { pod: aManagerPod('pulling'), host: silent }, 'starting', []],
  [
    'a pod that runs and was never ready',
    { pod: aManagerPod('running'), manager: anInstanceManager(), host: silent },
    'starting',
    [],
  ],
  ['a pod that is ready', { pod: aManagerPod('ready'), manager: anInstanceManager(), host: silent }, 'running', []],
  ['a pod that ran and is not ready for a moment', { pod: aManagerPod('running'), host: silent }, 'running', []],
  ['a pod that has ended is made anew', { pod: aManagerPod('failed'), host: silent }, 'error', ['delete-pod']],
  [
    'one that has ended and is being deleted',
    { pod: aManagerPod('failed', { deletionTimestamp: 'now' }), host: silent },
    'error',
    [],
  ],
  ['a node that is down', { nodeIsDown: true, host: silent }, 'unknown', []],
  ['a node that is called down and answers', { nodeIsDown: true }, 'running', []],
  ['other settings and nothing in it: another pod', { wantedPod: otherPod }, 'running', ['delete-pod']],
  ['other settings and it does not answer', { wantedPod: otherPod, host: silent }, 'running', []],
  [
    'other settings and a replica in it',
    { wantedPod: otherPod, host: { answers: true, instances: [anInstance()] } },
    'running',
    [],
  ],
  [
    'other settings and what was in it has stopped',
    { wantedPod: otherPod, host: { answers: true, instances: [anInstance({ state: 'stopped' })] } },
    'running',
    ['delete-pod'],
  ],
  [
    'other settings and a pod that never ran',
    { wantedPod: otherPod, pod: aManagerPod('pulling'), host: silent },
    'starting',
    ['delete-pod'],
  ],
  ['another image and nothing in it: it goes', { defaultImage: 'image:2' }, 'running', ['delete-manager']],
  [
    'another image and a replica in it: it stays',
    { defaultImage: 'image:2', host: { answers: true, instances: [anInstance()] } },
    'running',
    [],
  ],
  ['another image and it does not answer: it stays', { defaultImage: 'image:2', host: silent }, 'running', []],
  ['no image is known: it stays', { defaultImage: '' }, 'running', []],
  [
    'its node is gone, and the pod with it',
    { nodeIsThere: false, nodeIsDown: true, pod: undefined, host: silent },
    'unknown',
    ['delete-manager'],
  ],
  ['its node is gone and the pod is not', { nodeIsThere: false, nodeIsDown: true, host: silent }, 'unknown', []],
  ['no budget', { budget: undefined }, 'running', ['create-budget']],
  ['a drain may take it', { drain: { protect: false, why: '' } }, 'running', ['delete-budget']],
];

describe('decideInstanceManager', () => {
  it.each(stateRows)('%s', (_, parts, state, effects) => {
    const decision = decideInstanceManager(seenOf(parts), t0);
    expect([decision.status.currentState, decision.effects.map((each) => each.do)]).toEqual([state, effects]);
  });

  it('retries after half a minute when the kubelet has rejected the pod', () => {
    const pod = aManagerPod('failed', { creationTimestamp: '2026-03-01T00:00:50Z' });
    const { effects, again } = decideInstanceManager(seenOf({ pod, host: silent }), t0);
    expect(effects).toEqual([]);
    expect(again?.afterMs).toBe(20_000);
  });

  it('reports the running instances, and keeps the last report while it does not answer', () => {
    const instances = [
      anInstance({ kind: 'engine', name: 'v-e-0' }),
      anInstance({ kind: 'frontend', name: 'v', endpoint: '/dev/longhorn/v' }),
      anInstance({ state: 'error', error: { code: 'X', message: 'it broke' } }),
    ];
    const { status } = decideInstanceManager(seenOf({ host: { answers: true, instances } }), t0);
    expect(status.instanceEngines?.['v-e-0']?.status).toMatchObject({ state: 'running', endpoint: '/dev/longhorn/v' });
    expect(status.instanceReplicas?.['v-r-1']?.status).toMatchObject({
      state: 'error',
      errorMsg: 'it broke',
      portStart: 10_000,
    });
    const later = decideInstanceManager(seenOf({ manager: anInstanceManager(status), host: silent }), t0);
    expect(later.status.instanceReplicas).toEqual(status.instanceReplicas);
    const ended = decideInstanceManager(
      seenOf({ manager: anInstanceManager(status), host: silent, pod: aManagerPod('failed') }),
      t0,
    );
    expect(ended.status.instanceReplicas).toEqual({});
  });

  it('reports why the pod does not start, and once that it runs', () => {
    const { status } = decideInstanceManager(
      seenOf({ pod: aManagerPod('pulling'), host: silent, manager: anInstanceManager() }),
      t0,
    );
    expect(status.conditions?.find(({ type }) => type === 'PodReady')).toMatchObject({
      status: 'False',
      reason: 'ErrImagePull',
      message: 'no such image',
    });
    const started = decideInstanceManager(seenOf({ manager: anInstanceManager(status) }), t0);
    expect(started.events.map(({ reason }) => reason)).toEqual(['InstanceManagerRunning']);
    const again = decideInstanceManager(seenOf({ manager: anInstanceManager(started.status) }), t0 + 1000);
    expect([again.events, again.status]).toEqual([[], started.status]);
  });
});
