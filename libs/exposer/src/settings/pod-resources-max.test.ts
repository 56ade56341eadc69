import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundPodResources, podResourcesMaxDefault } from './pod-resources-max.ts';

describe('what a claim may ask for', () => {
  it.each([
    [
      'what is inside the default is left',
      { limits: { memory: '4Gi' } },
      undefined,
      undefined,
      { limits: { memory: '4Gi' } },
    ],
    ['what is above it becomes it', { limits: { memory: '1Ti' } }, undefined, undefined, { limits: { memory: '4Gi' } }],
    [
      'requests too',
      { requests: { cpu: '64', 'ephemeral-storage': '1Pi' } },
      undefined,
      undefined,
      { requests: { cpu: '4', 'ephemeral-storage': '32Gi' } },
    ],
    ['another spelling is no way around', { limits: { cpu: '4001m' } }, undefined, undefined, { limits: { cpu: '4' } }],
    [
      'what the installation sets is the bound, also below the default',
      { limits: { memory: '3Gi' } },
      { memory: '2Gi' },
      undefined,
      { limits: { memory: '2Gi' } },
    ],
    [
      'a limit that is left out is the bound where the installation sets one',
      { requests: { memory: '1Gi' } },
      { memory: '2Gi' },
      undefined,
      { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } },
    ],
    ['best effort as well', {}, { memory: '2Gi' }, undefined, { limits: { memory: '2Gi' } }],
    [
      'zero is no bound',
      { limits: { memory: '1Ti' } },
      { memory: '0' },
      { limits: { memory: '1Gi' } },
      { limits: { memory: '1Ti' } },
    ],
    [
      'it may always have what the installation gives everybody',
      { limits: { memory: '16Gi' } },
      undefined,
      { limits: { memory: '16Gi' } },
      { limits: { memory: '16Gi' } },
    ],
    [
      'where pods have limits, leaving them out is no way around',
      {},
      undefined,
      { limits: { memory: '1Gi' } },
      { limits: { memory: '4Gi' } },
    ],
    ['where they have none, best effort is', {}, undefined, { requests: { memory: '1Gi' } }, {}],
  ])('%s', (_, asked, max, own, resources) => {
    expect(boundPodResources(asked, { max, own }).resources).toEqual(resources);
  });

  it('names each change', () => {
    const asked = { requests: { cpu: '8' }, limits: { cpu: '16', memory: '1Gi' } };
    expect(boundPodResources(asked, { max: { cpu: '2', 'ephemeral-storage': '1Gi' }, own: undefined }).changes).toEqual(
      ['requests.cpu "8" is "2"', 'limits.cpu "16" is "2"', 'limits.ephemeral-storage that is not set is "1Gi"'],
    );
  });

  it('never leaves a request above its limit, nor anything above the default', () => {
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
