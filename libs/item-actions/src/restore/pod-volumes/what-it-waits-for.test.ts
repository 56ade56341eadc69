import { dataDownloadType, podType } from '@lateen/api-types';
import { aPod, aRestoreContext } from '@lateen/testing';
import { expect, it } from 'vitest';
import { waitFacts } from './what-it-waits-for.ts';

const signal = new AbortController().signal;

const download = (pvc: string, status: object) => ({
  apiVersion: 'velero.io/v2alpha1',
  kind: 'DataDownload',
  metadata: { namespace: 'velero', name: pvc, labels: { 'velero.io/restore-uid': 'r-1' } },
  spec: { targetVolume: { namespace: 'shop', pvc, pv: '' } },
  status,
});
const podWith = (...claims: string[]) =>
  aPod({
    namespace: 'shop',
    spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  });
const agent = { ...aPod({ namespace: 'velero', name: 'a', phase: 'Running', labels: { role: 'node-agent' } }) };
agent.spec.nodeName = 'n1';

it('lists the movements of thousands of pods once for all requests within a short time', async () => {
  const ended = { phase: 'Failed', completionTimestamp: '2030-01-01T00:00:00Z' };
  const objects = [download('comes', { phase: 'InProgress' }), download('came', ended), agent];
  const context = aRestoreContext({ restoreUid: 'r-1', objects: objects as never });
  const lists = { pods: 0, datadownloads: 0 };
  context.kube.intercept(async (call, next) => {
    if (call.verb === 'list' && call.type === podType) lists.pods += 1;
    if (call.verb === 'list' && call.type === dataDownloadType) lists.datadownloads += 1;
    return await next();
  });
  const facts = waitFacts(context);
  const until = Date.parse('2030-01-01T00:00:00Z');
  expect(await facts.dataComesUntil(podWith('came'), signal)).toBe(until);
  expect(await facts.dataComesUntil(podWith('came', 'comes'), signal)).toBe(Number.POSITIVE_INFINITY);
  expect(await facts.dataComesUntil(podWith('other'), signal)).toBeUndefined();
  expect(await facts.dataComesUntil(podWith(), signal)).toBeUndefined();
  expect([await facts.hasNodeAgent('n1', signal), await facts.hasNodeAgent('n2', signal)]).toEqual([true, false]);
  expect(lists).toEqual({ pods: 1, datadownloads: 1 });
  context.kube.remove(podType, { namespace: 'velero', name: 'a' });
  await context.clock.advance(30_000);
  expect(await facts.hasNodeAgent('n1', signal)).toBe(false);
});
