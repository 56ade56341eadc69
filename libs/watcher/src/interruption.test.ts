import type { ContainerState, Pod } from '@lateen/api-types';
import { interruptedSuffix } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { isInterruption, moverHasEnded } from './interruption.ts';
import { deletedPod, overduePod } from './pod-lost.ts';
import { podEnd } from './pod-report.ts';
import { type Evidence, judge } from './verdict.ts';

type Terminated = NonNullable<ContainerState['terminated']>;

const failedPod = (status: Partial<NonNullable<Pod['status']>>, terminated?: Terminated): Pod =>
  aPod({
    phase: 'Failed',
    status: {
      ...status,
      ...(terminated === undefined ? {} : { containerStatuses: [{ name: 'mover', state: { terminated } }] }),
    },
  });
const tainted = aPod({
  status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }] },
});
const killed: Terminated = { exitCode: 137, reason: 'Error' };

/** The error of a data path whose pod ended like this, after all Events arrived. */
function errorOf(pod: Pod | 'gone', evidence: Partial<Evidence> = {}): AppError {
  const verdict = judge(
    {
      podName: 'velero/x',
      ...(pod === 'gone' ? { lost: deletedPod(undefined) } : { podEnd: podEnd(pod, 'mover') }),
      ...evidence,
    },
    { final: true, early: false },
  );
  if (verdict.kind !== 'failed') throw new Error(`the verdict is ${verdict.kind}`);
  return verdict.error;
}
const eventFailed = (text: string): Partial<Evidence> => ({ eventEnding: { kind: 'failed', text } });

describe('an interruption of a data path', () => {
  it.each<[string, AppError, string]>([
    ['a deleted pod', errorOf('gone'), 'POD_GONE'],
    ['a pod deleted by taint', errorOf('gone', { lost: deletedPod(tainted) }), 'NODE_LOST'],
    [
      'a pod that was told to stop and then deleted',
      errorOf('gone', eventFailed(`x: ${interruptedSuffix}`)),
      'POD_GONE',
    ],
    ['a pod that does not end', errorOf('gone', { lost: overduePod(tainted) }), 'NODE_LOST'],
    ['an evicted pod', errorOf(failedPod({ reason: 'Evicted', message: 'low on memory' })), 'EVICTED'],
    ['an evicted pod that was killed', errorOf(failedPod({ reason: 'Evicted' }, killed)), 'EVICTED'],
    [
      'an evicted pod that ended by itself',
      errorOf(failedPod({ reason: 'Evicted' }, { exitCode: 1, message: `told to stop: ${interruptedSuffix}\n` })),
      'EVICTED',
    ],
    ['a pod on a lost node', errorOf(failedPod({ reason: 'NodeLost' })), 'NODE_LOST'],
    ['a pod on a node that shuts down', errorOf(failedPod({ reason: 'Terminated' }, killed)), 'NODE_LOST'],
    [
      'a pod whose container the kubelet cannot find',
      errorOf(failedPod({}, { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'could not be located' })),
      'NODE_LOST',
    ],
    [
      'a preempted pod',
      errorOf(
        failedPod({ conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] }),
      ),
      'PREEMPTED',
    ],
    [
      'a container above its memory limit',
      errorOf(failedPod({}, { exitCode: 137, reason: 'OOMKilled' })),
      'OUT_OF_MEMORY',
    ],
    [
      'a container whose engine was killed',
      errorOf(failedPod({}, { exitCode: 1, reason: 'OOMKilled', message: 'the engine was killed' })),
      'OUT_OF_MEMORY',
    ],
    ['SIGKILL', errorOf(failedPod({}, killed)), 'KILLED'],
    ['SIGTERM without a message', errorOf(failedPod({}, { exitCode: 143, reason: 'Error' })), 'KILLED'],
    ['a container whose shim is gone', errorOf(failedPod({}, { exitCode: 255, reason: 'Unknown' })), 'KILLED'],
    ['a pod that the node did not admit', errorOf(failedPod({ reason: 'OutOfcpu' })), 'NOT_STARTED'],
    ['a pod without a container status', errorOf(failedPod({})), 'NOT_STARTED'],
    [
      'a mover that reports it itself',
      errorOf(failedPod({}, { exitCode: 1, message: `told to stop (SIGTERM): ${interruptedSuffix}` })),
      'INTERRUPTED',
    ],
    [
      'a killed mover that could still write the reason',
      errorOf(failedPod({}, killed), eventFailed(`told to stop: ${interruptedSuffix}`)),
      'KILLED',
    ],
  ])('%s is an interruption', (_, error, code) => {
    expect(error.code).toBe(`DATA_PATH_${code}`);
    expect(isInterruption(error)).toBe(true);
    expect(isInterruption(new Error('data path backup failed', { cause: error }))).toBe(true);
  });

  it.each<[string, boolean, AppError]>([
    ['kubelet has seen its container end', true, errorOf(failedPod({}, killed))],
    ['its container succeeded, and its result was lost', true, errorOf(aPod({ phase: 'Succeeded' }))],
    ['it exceeded its memory limit', true, errorOf(failedPod({}, { exitCode: 137, reason: 'OOMKilled' }))],
    ['kubelet evicted it, and reports how it ended', true, errorOf(failedPod({ reason: 'Evicted' }, killed))],
    ['its last Event reports the end', true, errorOf('gone', eventFailed(`told to stop: ${interruptedSuffix}`))],
    ['its pod is gone', false, errorOf('gone')],
    ['its pod does not end', false, errorOf('gone', { lost: overduePod(tainted) })],
    ['another component set its pod to Failed', false, errorOf(failedPod({ reason: 'NodeLost' }))],
    [
      'kubelet cannot find its container',
      false,
      errorOf(failedPod({}, { exitCode: 137, reason: 'ContainerStatusUnknown' })),
    ],
  ])('with the knowledge that %s: has the mover ended? %s', (_, has, error) => {
    expect(isInterruption(error)).toBe(true);
    expect(moverHasEnded(error)).toBe(has);
    expect(moverHasEnded(new Error('data path restore failed', { cause: error }))).toBe(has);
  });

  const result = { snapshotID: 'a', emptySnapshot: false, source: { byPath: '/u', volumeMode: 'Filesystem' as const } };
  const completed = { kind: 'completed' as const, result: { ...result, totalBytes: 1, incrementalBytes: 1 } };
  it.each<[string, AppError]>([
    ['an error that the mover reports', errorOf(failedPod({}, { exitCode: 1, message: 'wrong repository password' }))],
    [
      'the same text inside another message',
      errorOf(failedPod({}, { exitCode: 1, message: `${interruptedSuffix} by x` })),
    ],
    [
      'an error that an evicted mover had reported',
      errorOf(failedPod({ reason: 'Evicted' }, { exitCode: 1, message: 'no' })),
    ],
    ['an error that only its Event reports', errorOf('gone', eventFailed('no bucket'))],
    ['an error that a killed mover had reported', errorOf(failedPod({}, killed), eventFailed('no bucket'))],
    ['an end without a message', errorOf(failedPod({}, { exitCode: 1, reason: 'Error' }))],
    ['a command that does not exist', errorOf(failedPod({}, { exitCode: 128, reason: 'StartError', message: 'exec' }))],
    ['contradicting results', errorOf(aPod({ phase: 'Succeeded' }), eventFailed('no'))],
    ['a failure after completion', errorOf(failedPod({}, { exitCode: 1 }), { eventEnding: completed })],
  ])('%s is no interruption', (_, error) => {
    expect(isInterruption(error)).toBe(false);
  });
  it.each([undefined, null, 'DATA_PATH_POD_GONE', new Error('x'), { code: 'DATA_PATH_POD_GONE' }])(
    '%j is no interruption',
    (error) => {
      expect(isInterruption(error)).toBe(false);
    },
  );
  it('handles an error whose cause refers to itself', () => {
    const loop = new AppError('X', 'x');
    loop.cause = loop;
    expect(isInterruption(loop)).toBe(false);
  });
});
