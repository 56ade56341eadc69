import { describe, expect, it } from 'vitest';
import {
  backupName,
  backupVolumeName,
  csiTicketId,
  engineImageName,
  engineName,
  instanceManagerName,
  orphanName,
  replicaName,
  snapshotName,
} from './object-names.ts';

const uuid = '9C1E4B2A-77f0-4d92-8c07-9107ebd7c4e9';

describe('names of objects follow the rules of Longhorn', () => {
  it.each([
    [engineName('pvc-1'), 'pvc-1-e-0'],
    [engineName('pvc-1', 1), 'pvc-1-e-1'],
    [replicaName('pvc-1', uuid), 'pvc-1-r-9c1e4b2a'],
    [snapshotName(uuid), 'snap-9c1e4b2a77f04d92'],
    [backupName(uuid), 'backup-9c1e4b2a77f04d92'],
    // printf vol-default | sha256sum
    [backupVolumeName('vol', 'default'), 'vol-c4eb6c05'],
    // printf longhornio/longhorn-engine:v1.12.1 | sha512sum
    [engineImageName('longhornio/longhorn-engine:v1.12.1'), 'ei-62d20cb1'],
  ])('%s', (name, expected) => {
    expect(name).toBe(expected);
  });

  it.each([
    [orphanName(['node-1', 'disk', 'folder']), /^orphan-[0-9a-f]{64}$/],
    [instanceManagerName('node-1', 'image'), /^instance-manager-[0-9a-f]{32}$/],
    [csiTicketId('pvc-1', 'node-1'), /^csi-[0-9a-f]{64}$/],
  ])('%s', (name, form) => {
    expect(name).toMatch(form);
  });

  it('rejects a value that is not a UUID, because short names would collide', () => {
    expect(() => replicaName('pvc-1', 'x')).toThrow('"x" is not a UUID');
  });
});
