import { describe, expect, it } from 'vitest';
import { limitIn, limitVariables } from './limit-variables.ts';

describe('environment variables for limits', () => {
  it('exist for limits that are set', () => {
    expect(limitVariables({ limits: { memory: '1Gi', cpu: '2' }, requests: { 'ephemeral-storage': '1Gi' } })).toEqual([
      {
        name: 'LATEEN_LIMIT_CPU_MILLIS',
        valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } },
      },
      {
        name: 'LATEEN_LIMIT_MEMORY_BYTES',
        valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1' } },
      },
    ]);
    expect(limitVariables(undefined)).toEqual([]);
  });

  it('are only those that are requested', () => {
    const names = limitVariables({ limits: { memory: '1Gi', cpu: '2' } }, ['memory']).map(({ name }) => name);
    expect(names).toEqual(['LATEEN_LIMIT_MEMORY_BYTES']);
  });

  it.each([
    ['1024', 1024],
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['x', undefined],
  ])('%j gives %s', (text, limit) => {
    expect(limitIn({ LATEEN_LIMIT_MEMORY_BYTES: text }, 'memory')).toBe(limit);
  });
});
