import { backupPhases, dataMovementPhases, type KubeObject, labels, restorePhases } from '@lateen/api-types';
import { fakeCluster } from '@lateen/testing';
import { expect, it } from 'vitest';
import { titleOfWork, unfinishedWork } from './unfinished-work.ts';

const signal = new AbortController().signal;
const object = (apiVersion: string, kind: string, name: string, parts: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'velero' },
  ...parts,
});
const unfinished = async (...objects: KubeObject[]) => await unfinishedWork(fakeCluster({ objects }), 'velero', signal);

const over = ['FailedValidation', 'Completed', 'PartiallyFailed', 'Failed', 'Canceled', 'Deleting'];

it.each([
  ['velero.io/v1', 'Backup', backupPhases],
  ['velero.io/v1', 'Restore', restorePhases],
  ['velero.io/v2alpha1', 'DataUpload', dataMovementPhases],
  ['velero.io/v2alpha1', 'DataDownload', dataMovementPhases],
  ['velero.io/v1', 'PodVolumeBackup', dataMovementPhases],
  ['velero.io/v1', 'PodVolumeRestore', dataMovementPhases],
] as const)('%s %s is unfinished in every phase except final ones', async (apiVersion, kind, phases) => {
  for (const phase of phases) {
    const found = await unfinished(object(apiVersion, kind, 'x', { spec: {}, status: { phase } }));
    expect([phase, found.length]).toEqual([phase, over.includes(phase) ? 0 : 1]);
  }
  const [fresh] = await unfinished(object(apiVersion, kind, 'x', { spec: {} }));
  expect(fresh && titleOfWork(fresh)).toBe(`${kind} x (New)`);
});

it('ignores movements of other data movers', async () => {
  const upload = (datamover: string) =>
    object('velero.io/v2alpha1', 'DataUpload', `by-${datamover}`, { spec: { datamover } });
  expect((await unfinished(upload('velero'), upload('other'))).map(({ name }) => name)).toEqual(['by-velero']);
});

it('counts repository maintenance Jobs while they run, and no other Jobs', async () => {
  const job = (name: string, active: number, own: object): KubeObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'velero', labels: own as Record<string, string> },
    ...{ status: { active } },
  });
  const repository = { [labels.repoName]: 'shop-default-kopia' };
  const found = await unfinished(job('runs', 1, repository), job('done', 0, repository), job('theirs', 1, {}));
  expect(found.map(titleOfWork)).toEqual(['Job runs']);
});

it('reads only one namespace', async () => {
  const elsewhere = { ...object('velero.io/v1', 'Backup', 'b', {}), metadata: { name: 'b', namespace: 'other' } };
  expect(await unfinished(elsewhere)).toEqual([]);
});
