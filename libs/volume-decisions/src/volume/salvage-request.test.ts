import { storageAnnotations, type Volume } from '@lateen/storage-types';
import { expect, it } from 'vitest';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { anEngine, aReplica, aVolumeObject } from './example-volume.ts';
import { checkSalvage, decideSalvage, withSalvageRequest } from './salvage.ts';

const at = '2026-02-28T23:00:00Z';
const replica = (name: string, node: string, failedAt = at) =>
  aReplica(name, node, { failedAt, diskID: `uuid-${node}-a`, lastHealthyAt: at });

/** A faulted volume whose salvage request has this text. */
function asked(request: string, spec: Parameters<typeof aVolumeObject>[0] = {}): Volume {
  const volume = aVolumeObject(spec, { state: 'detached', robustness: 'faulted' });
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations: { [storageAnnotations.salvageRequested]: request } },
  };
}

const salvage = (volume: Volume, failedAt = at) =>
  decideSalvage({
    volume,
    engine: anEngine({ a: 'RW', b: 'RW', c: 'ERR' }, ['a', 'b']),
    replicas: [replica('a', 'n1'), replica('b', 'n2'), replica('c', 'n3', failedAt)],
    cluster: aCluster(aNode('n1'), aNode('n2'), aNode('n3')),
    settings: { flag: () => false },
  });

it('takes the replicas that a user has named, even with auto-salvage off, and reports when they may lack writes', () => {
  expect(salvage(asked(`{"a":"${at}"}`))).toMatchObject({ replicas: ['a'], readPrimary: 'a', mayLackWrites: false });
  const older = { kind: 'salvage', replicas: ['c'], readPrimary: 'c', mayLackWrites: true, clearModes: true };
  expect(salvage(asked(`{"c":"${at}"}`))).toMatchObject(older);
});

it.each([
  ['its replica has failed again since', asked(`{"c":"${at}"}`), '2026-02-28T23:00:01Z'],
  ['it names no replica of the volume', asked(`{"x":"${at}"}`), at],
  ['it is not valid JSON', asked('{'), at],
  ['it is not a map of strings', asked('[1,{"a":5}]'), at],
  ['it is empty', asked(''), at],
  ['the volume follows backups', asked(`{"a":"${at}"}`, { Standby: true }), at],
])('a request does nothing when %s', (_, volume, failedAt) => {
  expect(salvage(volume, failedAt)).toEqual({ kind: 'none' });
});

it('a request names the current failures and changes nothing else in the volume', () => {
  const volume = asked(`{"a":"${at}"}`);
  const other = { ...volume, metadata: { ...volume.metadata, annotations: { other: 'stays' } } };
  const replicas = [replica('b', 'n2'), replica('a', 'n1'), replica('c', 'n3', '')];
  const wanted = JSON.stringify({ a: at, b: at });
  expect(withSalvageRequest({ volume: other, replicas }, ['b', 'a', 'c'])).toEqual({
    ...other,
    metadata: { ...other.metadata, annotations: { other: 'stays', [storageAnnotations.salvageRequested]: wanted } },
  });
  expect(withSalvageRequest({ volume, replicas }, ['a'])).toBeUndefined();
  expect(withSalvageRequest({ volume, replicas }, ['c'])).toBeUndefined();
});

it('a request is refused for a failure that only the engine has recorded, because it has no time yet', () => {
  const seen = { volume: asked(''), engine: anEngine({ a: 'RW', c: 'ERR' }, ['a', 'c']) };
  const replicas = [replica('a', 'n1'), replica('c', 'n3', '')];
  const { name } = seen.volume.metadata;
  expect(checkSalvage({ ...seen, replicas }, ['a'])).toBeUndefined();
  expect(checkSalvage({ ...seen, replicas }, ['a', 'c'])).toBe(
    `cannot salvage volume ${name}: the failure of replica c is not in it yet`,
  );
});
