import { describe, expect, it } from 'vitest';
import { whatBlocks } from './pod-blocker.ts';
import { whatIsMissing } from './rollout-state.ts';

const daemonSet = (status: object, generation = 1) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'd', generation },
  status: { observedGeneration: 1, ...status },
});
const deployment = (status: object, replicas = 2) => ({ ...daemonSet(status), kind: 'Deployment', spec: { replicas } });

describe('whatIsMissing', () => {
  it.each([
    [daemonSet({}, 2), 'has not seen the change'],
    [daemonSet({}), 'no node matches'],
    [daemonSet({ desiredNumberScheduled: 3, updatedNumberScheduled: 1 }), '1 of 3 pods have the new template'],
    [
      daemonSet({ desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 }),
      '2 of 3 pods are available',
    ],
    [deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 3 }), 'old template'],
    [deployment({ replicas: 2, updatedReplicas: 2 }), '0 of 2 pods are available'],
    [deployment({}), '0 of 2 pods have the new template'],
  ])('%j: %s', (object, text) => expect(whatIsMissing(object)).toContain(text));

  it.each([
    daemonSet({ desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
    deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    deployment({}, 0),
  ])('returns nothing for %j', (object) => expect(whatIsMissing(object)).toBeUndefined());
});

const pod = (status: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, status });
const waiting = (reason: string, more: object = {}) =>
  pod({ containerStatuses: [{ name: 'c', state: { waiting: { reason } }, ...more }] });
const died = { lastState: { terminated: { exitCode: 1, message: 'cannot open the state directory\n' } } };

describe('whatBlocks', () => {
  it("returns the scheduler's reason", () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes fit' }];
    expect(whatBlocks(pod({ conditions }))).toEqual({ text: 'pod n/p has no node: 0/1 nodes fit', hopeless: false });
  });

  it.each(['ErrImageNeverPull', 'ImagePullBackOff', 'InvalidImageName'])('gives up on %s', (reason) =>
    expect(whatBlocks(waiting(reason))).toMatchObject({ hopeless: true, text: expect.stringContaining(reason) }),
  );

  it('allows a crashing container a few restarts, then reports its last output', () => {
    expect(whatBlocks(waiting('CrashLoopBackOff', { restartCount: 1, ...died }))?.hopeless).toBe(false);
    expect(whatBlocks(waiting('CrashLoopBackOff', { restartCount: 4, ...died }))).toEqual({
      text: 'pod n/p, container c: CrashLoopBackOff; it ended with exit code 1: cannot open the state directory',
      hopeless: true,
    });
  });

  it.each([waiting('ContainerCreating'), waiting('PodInitializing'), pod({}), pod({ phase: 'Running' })])(
    'returns nothing for %j',
    (object) => expect(whatBlocks(object)).toBeUndefined(),
  );
});
