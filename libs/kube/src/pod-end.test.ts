import type { Pod } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { containerEndText, endingSignal, podEndCause } from './pod-end.ts';

const aPod = (status: NonNullable<Pod['status']>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [] },
  status,
});
const disrupted = (status: 'True' | 'False', message?: string) => ({
  conditions: [
    {
      type: 'DisruptionTarget',
      status,
      reason: 'EvictionByEvictionAPI',
      ...(message === undefined ? {} : { message }),
    },
  ],
});

describe('how a container ended', () => {
  it.each([
    [{ exitCode: 137, reason: 'OOMKilled' }, 'ended with exit code 137 (OOMKilled)'],
    [{ exitCode: 139, reason: 'Error' }, 'ended with exit code 139, by signal SIGSEGV'],
    [{ exitCode: 134, signal: 0 }, 'ended with exit code 134, by signal SIGABRT'],
    [{ exitCode: 170 }, 'ended with exit code 170, by signal 42'],
    [{ exitCode: 255, signal: 9 }, 'ended with exit code 255, by signal SIGKILL'],
    [{ exitCode: 1, reason: '' }, 'ended with exit code 1'],
    [{ exitCode: 128, reason: 'Error' }, 'ended with exit code 128'],
    [{ exitCode: 193 }, 'ended with exit code 193'],
  ])('%j: %s', (terminated, text) => expect(containerEndText(terminated)).toBe(text));

  it.each([
    [{ exitCode: 143 }, 15],
    [{ exitCode: 0, signal: 9 }, 9],
    [{ exitCode: 1 }, undefined],
  ])('%j: signal %s', (terminated, signal) => expect(endingSignal(terminated)).toBe(signal));
});

describe('why a pod ended', () => {
  const killed = { exitCode: 137, reason: 'Error' };
  it.each<[string, NonNullable<Pod['status']>, typeof killed | undefined, string]>([
    [
      'the message of the kubelet',
      { reason: 'Evicted', message: 'low on memory', ...disrupted('True') },
      killed,
      'Evicted: low on memory',
    ],
    [
      'the message of the DisruptionTarget condition',
      disrupted('True', 'drained'),
      killed,
      'EvictionByEvictionAPI: drained',
    ],
    ['the DisruptionTarget condition without a message', disrupted('True'), killed, 'EvictionByEvictionAPI'],
    [
      'the container status',
      disrupted('False', 'x'),
      killed,
      'its container ended with exit code 137, by signal SIGKILL',
    ],
    ['no information', { reason: '' }, undefined, 'it ended without a container status'],
  ])('%s', (_, status, terminated, cause) => expect(podEndCause(aPod(status), terminated)).toBe(cause));
});
