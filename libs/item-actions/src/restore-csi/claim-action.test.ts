import { aPersistentVolumeClaim, aRestoreContext, restoredBy } from '@lateen/testing';
import { expect, it } from 'vitest';
import { claimAction } from './claim-action.ts';

it('removes the annotations of the earlier binding, and nothing else', async () => {
  const stored = aPersistentVolumeClaim({
    volumeName: 'pv-data',
    annotations: {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.kubernetes.io/storage-provisioner': 'p',
      'volume.beta.kubernetes.io/storage-provisioner': 'p',
      'volume.kubernetes.io/selected-node': 'node-1',
      'velero.io/volume-snapshot-name': 's',
      'velero.io/data-upload-name': 'velero/u',
      team: 'shop',
    },
  });
  const { updatedItem } = await restoredBy(claimAction, stored, aRestoreContext());
  expect(updatedItem.metadata.annotations).toEqual({ team: 'shop' });
});

it.each([
  [
    'bound',
    aPersistentVolumeClaim({ volumeName: 'pv-data' }),
    [{ group: '', resource: 'persistentvolumes', name: 'pv-data' }],
  ],
  ['pending', aPersistentVolumeClaim(), []],
  ['lost', aPersistentVolumeClaim({ volumeName: 'pv-data', status: { phase: 'Lost' } }), []],
])('a claim that was %s keeps its volume name only if it was bound', async (_phase, stored, expected) => {
  expect((await restoredBy(claimAction, stored, aRestoreContext())).additionalItems).toEqual(expected);
});
