import { aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { containerStart, podEnd } from './pod-report.ts';

const ended = (
  phase: 'Succeeded' | 'Failed',
  terminated: { exitCode: number; message?: string; reason?: string; signal?: number },
) => aPod({ phase, status: { containerStatuses: [{ name: 'other' }, { name: 'mover', state: { terminated } }] } });

describe('the end of a hosting pod', () => {
  it.each(['Pending', 'Running', 'Unknown'] as const)('%s has not ended', (phase) => {
    expect(podEnd(aPod({ phase }), 'mover')).toBeUndefined();
  });
  it.each([
    [0, true],
    [1, false],
  ])('is the end of its container, which is known before the phase changes (exit code %i)', (exitCode, succeeded) => {
    const state = { terminated: { exitCode, message: 'text' } };
    const pod = aPod({ phase: 'Running', status: { containerStatuses: [{ name: 'mover', state }] } });
    expect(podEnd(pod, 'mover')).toMatchObject({ succeeded, message: 'text' });
    expect(podEnd(pod, 'another')).toBeUndefined();
  });
  it('uses the message of the mover’s container', () => {
    expect(podEnd(ended('Succeeded', { exitCode: 0, message: '{}' }), 'mover')).toMatchObject({
      succeeded: true,
      message: '{}',
      truncated: false,
    });
  });
  it('detects a truncated message by its bytes, not its characters', () => {
    const message = 'ü'.repeat(2048);
    expect(podEnd(ended('Failed', { exitCode: 1, message }), 'mover')?.truncated).toBe(true);
    expect(podEnd(ended('Failed', { exitCode: 1, message: message.slice(1) }), 'mover')?.truncated).toBe(false);
  });
  it.each([
    [{ exitCode: 137, reason: 'OOMKilled' }, 'its container ended with exit code 137 (OOMKilled)'],
    [{ exitCode: 139, reason: 'Error' }, 'its container ended with exit code 139, by signal SIGSEGV'],
    [{ exitCode: 134, signal: 0 }, 'its container ended with exit code 134, by signal SIGABRT'],
    [{ exitCode: 170 }, 'its container ended with exit code 170, by signal 42'],
    [{ exitCode: 1, reason: 'Error' }, 'its container ended with exit code 1'],
    [{ exitCode: 255, signal: 9 }, 'its container ended with exit code 255, by signal SIGKILL'],
  ])('%j: %s', (terminated, cause) => {
    expect(podEnd(ended('Failed', terminated), 'mover')?.cause).toBe(cause);
  });
  it('an eviction is reported with the evictor’s message', () => {
    const pod = aPod({ phase: 'Failed', status: { reason: 'Evicted', message: 'low on memory' } });
    expect(podEnd(pod, 'mover')).toMatchObject({ message: '', cause: 'Evicted: low on memory' });
  });
  it('a pod without container statuses is reported as such', () => {
    expect(podEnd(aPod({ phase: 'Failed' }), 'mover')?.cause).toBe('it ended without a container status');
  });
});

describe('a container', () => {
  it.each([
    ['waits', { waiting: { reason: 'ContainerCreating' } }, undefined],
    ['runs', { running: { startedAt: 't' } }, { startedAt: 't' }],
    ['has ended', { terminated: { exitCode: 0, startedAt: 't' } }, { startedAt: 't' }],
    ['runs, who knows since when', { running: {} }, { startedAt: undefined }],
  ])('%s', (_, state, started) => {
    expect(containerStart(aPod({ status: { containerStatuses: [{ name: 'mover', state }] } }), 'mover')).toEqual(
      started,
    );
  });
});
