import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundPodResources, podResourcesMaxDefault } from './pod-resources-max.ts';

describe('the maximum resources that a claim may request', () => {
  it.each([
    [
      'a value below the default maximum is kept',
      { limits: { memory: '4Gi' } },
      undefined,
      undefined,
      { limits: { memory: '4Gi' } },
    ],
    [
      'a value above the default maximum is reduced to it',
      { limits: { memory: '1Ti' } },
      undefined,
      undefined,
      { limits: { memory: '4Gi' } },
    ],
    [
      'requests are reduced, too',
      { requests: { cpu: '64', 'ephemeral-storage': '1Pi' } },
      undefined,
      undefined,
      { requests: { cpu: '4', 'ephemeral-storage': '32Gi' } },
    ],
    [
      'another unit does not bypass the maximum',
      { limits: { cpu: '4001m' } },
      undefined,
      undefined,
      { limits: { cpu: '4' } },
    ],
    [
      'the maximum of the installation applies, even below the default',
      { limits: { memory: '3Gi' } },
      { memory: '2Gi' },
      undefined,
      { limits: { memory: '2Gi' } },
    ],
    [
      'a missing limit is set to the maximum of the installation',
      { requests: { memory: '1Gi' } },
      { memory: '2Gi' },
      undefined,
      { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } },
    ],
    [
      'best effort gets the maximum of the installation',
      {},
      { memory: '2Gi' },
      undefined,
      { limits: { memory: '2Gi' } },
    ],
    [
      'a maximum of zero means no maximum',
      { limits: { memory: '1Ti' } },
      { memory: '0' },
      { limits: { memory: '1Gi' } },
      { limits: { memory: '1Ti' } },
    ],
    [
      'the resources that the installation gives all pods are always allowed',
      { limits: { memory: '16Gi' } },
      undefined,
      { limits: { memory: '16Gi' } },
      { limits: { memory: '16Gi' } },
    ],
    [
      'a missing limit does not bypass the maximum when pods have limits',
      {},
      undefined,
      { limits: { memory: '1Gi' } },
      { limits: { memory: '4Gi' } },
    ],
    ['best effort is allowed when pods have no limits', {}, undefined, { requests: { memory: '1Gi' } }, {}],
  ])('%s', (_, asked, max, own, resources) => {
    expect(boundPodResources(asked, { max, own }).resources).toEqual(resources);
  });

  it('names each change', () => {
    const asked = { requests: { cpu: '8' }, limits: { cpu: '16', memory: '1Gi' } };
    expect(boundPodResources(asked, { max: { cpu: '2', 'ephemeral-storage': '1Gi' }, own: undefined }).changes).toEqual(
      ['requests.cpu "8" is "2"', 'limits.cpu "16" is "2"', 'limits.ephemeral-storage that is not set is "1Gi"'],
    );
  });

  it('never sets a request above its limit, nor anything above the maximum', () => {
    const amount = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((each) => `${each}Mi`);
        const asked = { requests: { memory: less ?? '' }, limits: { memory: more ?? '' } };
        const { requests, limits } = boundPodResources(asked, { max: undefined, own: undefined }).resources;
        const mebibytes = (text = '0Mi') => (text === podResourcesMaxDefault.memory ? 4096 : Number(text.slice(0, -2)));
        expect(mebibytes(requests?.memory)).toBeLessThanOrEqual(mebibytes(limits?.memory));
        expect(mebibytes(limits?.memory)).toBeLessThanOrEqual(4096);
      }),
    );
  });
});
