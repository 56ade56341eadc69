import type { PersistentVolumeClaim, Unstructured } from '@lateen/api-types';
import { FakeClock, type FakeCluster, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type ItemCase, restoreInto } from '../../testing/item-world.ts';
import { typeOfObject } from '../../testing/known-types.ts';

interface Given extends Partial<ItemCase<FakeCluster>> {
  /** Milliseconds after the start of the restore when the object that is being deleted is gone; absent: never. */
  goesAfterMs?: number;
}

const configMap = (metadata: object = {}, color = 'red'): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...metadata },
  data: { color },
});
const going = { uid: 'old', deletionTimestamp: '2030-01-01T00:00:30Z', finalizers: ['example.com/hold'] };

async function restoring({ goesAfterMs, ...given }: Given) {
  const clock = new FakeClock('2030-01-01T00:01:00Z');
  const cluster = fakeCluster({ clock });
  const log = recordingLog();
  const ports = {
    clock,
    random: seededRandom(),
    cluster,
    log,
    letTimePass: <T>(work: Promise<T>) => letTimePass(work, clock),
  };
  const startMs = clock.now();
  const object = given.object ?? configMap();
  if (goesAfterMs !== undefined)
    void clock.sleep(goesAfterMs).then(() => {
      const { metadata } = object as Unstructured;
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      cluster.remove(typeOfObject(object as Unstructured), key);
    });
  const end = await restoreInto(ports, { there: [configMap(going)], ...given, object });
  return { ...end, tookMs: clock.now() - startMs, calls: cluster.calls };
}

describe('an existing object that is being deleted', () => {
  it.each<[title: string, given: Given]>([
    ['equal to the backup', {}],
    ['different from the backup', { there: [configMap(going, 'blue')] }],
    [
      'different from the backup, with policy update',
      { there: [configMap(going, 'blue')], spec: { existingResourcePolicy: 'update' } },
    ],
    [
      'created by an earlier attempt',
      {
        there: [
          configMap(
            { ...going, labels: { 'velero.io/backup-name': 'daily', 'velero.io/restore-name': 'back' } },
            'blue',
          ),
        ],
      },
    ],
  ])('%s: is awaited, then created again', async (_, given) => {
    const { outcome, now, lines, tookMs } = await restoring({ ...given, goesAfterMs: 40_000 });
    expect(outcome).toMatchObject({ act: 'create' });
    expect(now).toMatchObject({ data: { color: 'red' } });
    expect(now?.metadata.uid).not.toBe('old');
    expect(lines).toEqual([]);
    expect(tookMs).toBeGreaterThanOrEqual(40_000);
    expect(tookMs).toBeLessThan(60_000);
  });

  it('that does not disappear fails its item after the terminating timeout, and names what keeps it', async () => {
    const { outcome, now, tookMs } = await restoring({});
    expect(outcome).toMatchObject({ act: 'fail' });
    expect(outcome.reason).toContain('timed out waiting for the ConfigMap that is being deleted to disappear');
    expect(outcome.reason).toContain('It waits for: example.com/hold.');
    expect(outcome.reason).toContain('--terminating-resource-timeout');
    expect(now?.metadata.uid).toBe('old');
    expect(tookMs).toBe(600_000);
  });

  it('is reported as create in a dry run, which does not wait', async () => {
    const { outcome, now, lines, tookMs } = await restoring({ dryRun: true });
    expect(outcome).toMatchObject({ act: 'create', reason: 'the one in the cluster is being deleted' });
    expect(now?.metadata.uid).toBe('old');
    expect([lines, tookMs]).toEqual([[], 0]);
  });
});

describe('an existing claim that is being deleted', () => {
  const claim = (metadata: object = {}): Unstructured =>
    ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'shop', name: 'data', ...metadata },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }) satisfies PersistentVolumeClaim as unknown as Unstructured;

  it('is gone before the actions run, because they decide by it what happens with the data', async () => {
    const seen: (string | undefined)[] = [];
    const { outcome, now } = await restoring({
      object: claim(),
      there: [claim(going)],
      goesAfterMs: 40_000,
      actions: [
        {
          name: 'example.com/looks',
          appliesTo: {},
          execute: async ({ item }, { kube }, signal) => {
            const { items } = await kube.list(typeOfObject(claim()), { namespace: 'shop', signal });
            seen.push(...items.map(({ metadata }) => metadata.uid));
            return { updatedItem: item };
          },
        },
      ],
    });
    expect(seen).toEqual([]);
    expect(outcome.act).toBe('create');
    expect(now?.metadata.uid).not.toBe('old');
  });

  it('only after the actions have seen it is not created again without its data', async () => {
    const { outcome, calls } = await restoring({
      object: claim(),
      there: [claim()],
      actions: [
        {
          name: 'example.com/deletes',
          appliesTo: {},
          execute: async ({ item }, { kube }) => {
            const key = { namespace: 'shop', name: 'data' };
            const body = { metadata: { finalizers: ['example.com/hold'] } };
            await kube.patch(typeOfObject(claim()), key, { type: 'merge', body });
            await kube.delete(typeOfObject(claim()), key);
            return { updatedItem: item };
          },
        },
      ],
    });
    expect(outcome).toMatchObject({
      act: 'fail',
      reason: expect.stringContaining('was deleted while it was restored'),
    });
    expect(calls.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  });
});
