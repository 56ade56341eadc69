import type { KubeObject } from '@lateen/api-types';
import { FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { serviceReady } from './service-ready.ts';

const namespace = 'certs';
const slice = (endpoints: object[] | null, { name = 'webhook-1', service = 'webhook', within = namespace } = {}) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: within, name, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints,
  }) as KubeObject;
const endpoints = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { namespace, name: 'webhook' },
  subsets: [{ addresses: [{ ip: '10.0.0.1' }] }],
} as KubeObject;
const at = (conditions?: object | null) => ({
  addresses: ['10.0.0.1'],
  ...(conditions === undefined ? {} : { conditions }),
});
const ready = slice([at({ ready: true })]);

function waitingFor({ there = [] as KubeObject[], areSlicesServed = true } = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: there });
  if (!areSlicesServed)
    cluster.failTimes(
      Number.POSITIVE_INFINITY,
      'list',
      ({ type }) => type.resource === 'endpointslices',
      'KUBE_NOT_FOUND',
    );
  const stop = new AbortController();
  const limits = { resourceTimeoutMs: 600_000 } as Parameters<typeof serviceReady>[0]['limits'];
  const ports = { kube: cluster, clock, random: seededRandom(), log: recordingLog(), limits };
  let end = 'waits';
  const wait = serviceReady(ports, { namespace, name: 'webhook' }, stop.signal).then(
    () => {
      end = 'ready';
    },
    (error: unknown) => {
      end = String((error as { code?: string }).code ?? error);
    },
  );
  return { clock, cluster, stop, wait, end: () => end };
}

describe('waiting for endpoints of a Service', () => {
  it.each<[title: string, there: KubeObject[], end: string]>([
    ['one endpoint is ready', [ready], 'ready'],
    ['one endpoint has no ready condition, which counts as ready', [slice([at()])], 'ready'],
    ['one endpoint has an unknown state, which counts as ready', [slice([at({ ready: null })])], 'ready'],
    ['one endpoint is in the second slice', [slice(null), slice([at()], { name: 'webhook-2' })], 'ready'],
    ['the endpoint is not ready', [slice([at({ ready: false })])], 'waits'],
    ['the endpoint has no address', [slice([{ addresses: [] }])], 'waits'],
    ['the slice has no endpoints', [slice(null)], 'waits'],
    ['there is no slice', [], 'waits'],
    ['the slice belongs to another Service', [slice([at()], { service: 'other' })], 'waits'],
    [
      'the slice belongs to a Service of the same name in another namespace',
      [slice([at()], { within: 'else' })],
      'waits',
    ],
    ['Endpoints exist without a slice', [endpoints], 'waits'],
  ])('%s', async (_, there, expected) => {
    const { cluster, clock, end, stop, wait } = waitingFor({ there });
    await clock.advance(1_000);
    expect(end()).toBe(expected);
    stop.abort(new Error('over'));
    await wait;
    expect([cluster.openWatches, cluster.calls.some(({ type }) => type.resource === 'endpoints')]).toEqual([0, false]);
  });

  it('ends at once when an endpoint becomes ready, without a poll', async () => {
    const { cluster, clock, end, wait } = waitingFor({ there: [slice([at({ ready: false })])] });
    await clock.advance(30_000);
    expect(end()).toBe('waits');
    const calls = cluster.calls.length;
    cluster.put(slice([at({ ready: true })], { name: 'webhook-2' }));
    await cluster.settle();
    await wait;
    expect([end(), cluster.calls.length]).toEqual(['ready', calls]);
  });

  it('reads Endpoints when slices are not served', async () => {
    const { cluster, clock, end, wait } = waitingFor({ areSlicesServed: false });
    await clock.advance(1_000);
    expect(end()).toBe('waits');
    cluster.put(endpoints);
    await cluster.settle();
    await wait;
    expect(end()).toBe('ready');
  });

  it('ends after the resource timeout', async () => {
    const { cluster, clock, end, wait } = waitingFor();
    await clock.advance(600_000);
    await wait;
    expect([end(), cluster.openWatches]).toEqual(['WEBHOOK_NOT_READY', 0]);
  });
});
