import { annotations, finalizers } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { storedBackup } from './stored-backup.ts';

it('what only this cluster means by a Backup does not go into the bucket', () => {
  const stored = storedBackup(
    {
      apiVersion: 'velero.io/v1',
      kind: 'Backup',
      metadata: {
        name: 'b',
        annotations: { [annotations.workedOnBy]: 'us/1', [annotations.openHooks]: '[]', theirs: 'kept' },
        finalizers: [finalizers.backupUnderWay, 'theirs/kept'],
      },
      spec: {},
    },
    { phase: 'Finalizing' },
  );
  expect(stored.metadata).toEqual({ name: 'b', annotations: { theirs: 'kept' }, finalizers: ['theirs/kept'] });
});
