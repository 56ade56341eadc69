import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForSomething, readPodResources } from './pod-resources.ts';

describe('podResources', () => {
  it.each([
    ['nothing', {}, {}],
    ['empty and zero in any notation', { cpuRequest: '', cpuLimit: '0', memoryLimit: '0Mi', memoryRequest: null }, {}],
    [
      'all six values',
      {
        cpuRequest: '0.5',
        cpuLimit: '1500m',
        memoryRequest: '1024Mi',
        memoryLimit: '1Gi',
        ephemeralStorageRequest: '1e9',
        ephemeralStorageLimit: '12E',
      },
      {
        requests: { cpu: '0.5', memory: '1024Mi', 'ephemeral-storage': '1e9' },
        limits: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '12E' },
      },
    ],
    [
      'a request without a limit, and a limit without a request',
      { cpuRequest: '2', memoryLimit: '1Gi' },
      { requests: { cpu: '2' }, limits: { memory: '1Gi' } },
    ],
    [
      'a request above a limit of zero, which means no limit',
      { cpuRequest: '2', cpuLimit: '0' },
      { requests: { cpu: '2' } },
    ],
  ])('%s', (_, value, resources) => {
    expect(readPodResources(value)).toEqual({ resources, unknownKeys: [] });
  });
  it('unknown keys are reported, and the others are used', () => {
    expect(readPodResources({ cpuLimits: '1', cpuLimit: '2' })).toEqual({
      resources: { limits: { cpu: '2' } },
      unknownKeys: ['cpuLimits'],
    });
  });
  it.each([
    [{ cpuRequest: 'much', memoryLimit: '1Gi' }, 'cpuRequest "much" is not a quantity'],
    [{ memoryRequest: '2Gi', memoryLimit: '2147483647' }, 'memoryRequest "2Gi" is more than memoryLimit "2147483647"'],
    [{ cpuRequest: '1001m', cpuLimit: '1' }, 'cpuRequest "1001m" is more than cpuLimit "1"'],
    [{ ephemeralStorageRequest: '1Gi', ephemeralStorageLimit: '1G' }, 'is more than ephemeralStorageLimit "1G"'],
    [{ memoryRequest: 1 }, 'memoryRequest 1 is not a quantity'],
    [{ cpuLimit: '-1' }, 'cpuLimit "-1" is below zero'],
    ['1Gi', '"1Gi" is not an object'],
    [[], '[] is not an object'],
    [null, 'null is not an object'],
  ])('%j is rejected as a whole', (value, problem) => {
    expect(readPodResources(value)).toEqual({ problem: expect.stringContaining(problem) });
  });
  it('every request up to its limit is accepted, and none above it', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n ** 70n });
    fc.assert(
      fc.property(amount, amount, (request, limit) => {
        const reading = readPodResources({ memoryRequest: `${request}`, memoryLimit: `${limit}` });
        expect('resources' in reading).toBe(request <= limit);
      }),
    );
  });
  it('asksForSomething is true when any value is set', () => {
    expect(asksForSomething({})).toBe(false);
    expect(asksForSomething({ limits: { cpu: '1' } })).toBe(true);
  });
});
