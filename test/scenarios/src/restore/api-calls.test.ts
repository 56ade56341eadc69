import type { KubeObject } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { backedUp, restoreWorld } from './restore-world.ts';

/* How many API calls a restore makes per object: tens of thousands of objects have these calls. */

const count = 20;

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } as KubeObject;
const maps = (data = 'a'): KubeObject[] =>
  Array.from(
    { length: count },
    (_, at) =>
      ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'shop', name: `map-${at}` },
        data: { data },
      }) as KubeObject,
  );

async function callsOf(there: readonly KubeObject[], dryRun: boolean) {
  const stored = await backedUp([namespace, ...maps()]);
  const world = restoreWorld({ objects: there, limits: { parallel: 1 } });
  const { items } = await world.run(stored, dryRun ? { dryRun } : {});
  const ofMaps = world.cluster.calls.filter(({ type }) => type.resource === 'configmaps');
  const made = (verb: string) => ofMaps.filter((call) => call.verb === verb).length;
  const acts = new Set(items.filter(({ kind }) => kind === 'ConfigMap').map(({ act }) => act));
  return { acts: [...acts], creates: made('create'), gets: made('get'), all: ofMaps.length };
}

describe('API calls of a restore for each object', () => {
  it('one create into a new namespace', async () => {
    expect(await callsOf([], false)).toEqual({ acts: ['create'], creates: count, gets: 0, all: count });
  });

  it('one get where all exist as backed up: only the first one is tried with a create', async () => {
    const labels = { 'velero.io/backup-name': 'b', 'velero.io/restore-name': 'other' };
    const there = maps().map((map) => ({ ...map, metadata: { ...map.metadata, labels } }));
    expect(await callsOf([namespace, ...there], false)).toEqual({
      acts: ['unchanged'],
      creates: 1,
      gets: count,
      all: count + 1,
    });
  });

  it('one get in a plan of objects that exist', async () => {
    expect(await callsOf([namespace, ...maps('b')], true)).toEqual({
      acts: ['conflict'],
      creates: 1,
      gets: count,
      all: count + 1,
    });
  });

  it('none in a plan of a namespace that does not exist: it has no objects, and no admission is asked', async () => {
    expect(await callsOf([], true)).toEqual({ acts: ['create'], creates: 0, gets: 0, all: 0 });
  });

  it('none in a plan of a namespace that is being deleted: its objects will be gone', async () => {
    const leaving = { ...namespace, status: { phase: 'Terminating' } } as KubeObject;
    expect(await callsOf([leaving, ...maps('b')], true)).toEqual({ acts: ['create'], creates: 0, gets: 0, all: 0 });
  });
});
