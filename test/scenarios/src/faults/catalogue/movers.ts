import { silentLogger } from '@lateen/kernel';
import { readRepositoryPassword, readyBackupRepository } from '@lateen/repository';
import { aBackupRepository, aSecret, seededRandom } from '@lateen/testing';
import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { made, moverFails } from '../injections.ts';
import { downloadSays, lookUpSays, uploadSays } from '../mover-words.ts';

const { signal } = new AbortController();
const hang = (world: World) => {
  world.mover.script = 'hang';
};

/** The mover runs, and its engine reports this. */
const engine = (name: string, direction: Fault['direction'], error: () => unknown, words: string): Fault => ({
  name,
  direction,
  setUp: hang,
  inject: (world) =>
    moverFails(world, () => {
      throw error();
    }),
  ends: 'failed',
  message: `data path ${direction === 'upload' ? 'backup failed: Failed to run data path service for DataUpload upload' : 'restore failed: Failed to run data path service for DataDownload download'}: ${words}`,
});

const where = 'bucket "backups", prefix "kopia/app/", endpoint "s3.test:9000"';
const wrongPassword = 'open repository: unable to create format manager: invalid repository password';
const noBucket = 'unable to open repository: cannot open storage: The specified bucket does not exist';
const badKeys =
  'unable to get repository storage: The Access Key Id you provided does not exist in our records. (access key id you provided)';
const down =
  'error connecting to repository: Get "http://s3.test:9000/backups/": dial tcp 10.0.0.1:9000: connect: connection refused';
const badTls =
  'error connecting to repository: Get "https://s3.test:9000/backups/": tls: failed to verify certificate: x509: certificate signed by unknown authority';
const unreadable =
  'upload error: unable to open file: unable to open local file: open /volume/private: permission denied';
const full =
  'error restoring: restore error: error copying: copy file: unable to write file: write /volume/big: no space left on device';
const unknown = 'error getting metadata: error finding manifest id 0123: not found';
const missing = 'error restoring: restore error: unable to open object: content 0a1b2c not found';

const notRunnable =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "data-mover": executable file not found in $PATH: unknown';

/** The error of the engine or the repository is in the message. It is a failure of the data, so it is not retried. */
export const moverFaults: readonly Fault[] = [
  engine(
    'the repository password is wrong',
    'upload',
    () => uploadSays(wrongPassword),
    `uploading /volume: the repository at ${where} does not open with the repository password: ${wrongPassword}. Put the password it was made with into Secret velero-repo-credentials, key repository-password; if a change of the password was interrupted, finish it with lateen repo change-password.`,
  ),
  engine(
    'the bucket was deleted',
    'upload',
    () => uploadSays(noBucket),
    `uploading /volume: there is no such bucket: ${where}: ${noBucket}. Create the bucket, or correct spec.objectStorage.bucket of the BackupStorageLocation.`,
  ),
  engine(
    'the object store refuses the keys',
    'upload',
    () => uploadSays(badKeys),
    `uploading /volume: the object store refuses the keys for ${where}: ${badKeys}. Check the Secret named by the BackupStorageLocation's spec.credential.`,
  ),
  engine(
    'the object store is down',
    'upload',
    () => uploadSays(down),
    `uploading /volume: the object store cannot be reached: ${where}: ${down}. Check s3Url, network and certificates of the BackupStorageLocation.`,
  ),
  engine(
    'the certificate of the object store is not trusted',
    'upload',
    () => uploadSays(badTls),
    `uploading /volume: the object store cannot be reached: ${where}: ${badTls}. Check s3Url, network and certificates of the BackupStorageLocation.`,
  ),
  engine(
    'a file of the volume cannot be read',
    'upload',
    () => uploadSays(unreadable),
    `uploading /volume: a file or directory of the volume cannot be read: ${unreadable}. The data mover is root, so the file system itself keeps root out: export an NFS share to the nodes with no_root_squash, mount a FUSE file system with allow_other, or leave the volume out.`,
  ),
  engine(
    'the volume to restore into is too small',
    'download',
    () => downloadSays(full),
    `restoring snapshot 0123 to /volume: the volume is full: ${full}. Restore into a larger volume, or set WriteSparseFiles when the data has holes.`,
  ),
  engine(
    'the repository has no such snapshot',
    'download',
    () => lookUpSays(unknown),
    `looking up snapshot 0123: the repository has no such snapshot: ${where}: ${unknown}. It may have been deleted with its Backup, or belong to the repository of another namespace.`,
  ),
  engine(
    'data of the snapshot is missing from the bucket',
    'download',
    () => downloadSays(missing),
    `restoring snapshot 0123 to /volume: data of the snapshot is missing from ${where}: ${missing}. Verify the repository with kopia snapshot verify; restore missing blobs from a copy of the bucket.`,
  ),
  {
    ...engine(
      'the BackupRepository is not ready',
      'upload',
      () => undefined,
      'backup repository is not ready: cannot connect: the object store refuses the keys. See BackupRepository app-default-kopia.',
    ),
    inject: (world) =>
      moverFails(world, () => {
        world.cluster.put(
          aBackupRepository({
            phase: 'NotReady',
            status: { message: 'cannot connect: the object store refuses the keys.' },
          }),
        );
        const key = { namespace: 'velero', volumeNamespace: 'app', location: 'default' };
        const ports = { clock: world.clock, random: seededRandom(1), log: silentLogger };
        return readyBackupRepository(world.cluster, key, { ...ports, timeoutMs: 60_000, signal });
      }),
  },
  {
    ...engine('there is no repository password', 'upload', () => undefined, ''),
    inject: (world) => moverFails(world, () => readRepositoryPassword(world.cluster, 'velero', { signal })),
    message:
      'data path backup failed: Failed to run data path service for DataUpload upload: Secret velero/velero-repo-credentials with the repository password does not exist. Create it with key repository-password.',
  },
  {
    ...engine(
      'the repository password is empty',
      'upload',
      () => undefined,
      'Secret velero/velero-repo-credentials key repository-password is empty. Put the repository password there.',
    ),
    inject: (world) =>
      moverFails(world, () => {
        world.cluster.put(aSecret({ name: 'velero-repo-credentials', values: { 'repository-password': ' ' } }));
        return readRepositoryPassword(world.cluster, 'velero', { signal });
      }),
  },
  {
    name: 'the mover cannot be run from the image',
    direction: 'upload',
    setUp: (world) => {
      world.kubelet.behaviour = 'hold';
    },
    inject: (world) => {
      world.cluster.setPodPhase(made(world), 'Failed', {
        nodeName: 'node-1',
        exitCode: 128,
        containerReason: 'StartError',
        terminationMessage: notRunnable,
      });
    },
    ends: 'failed',
    message: `hosting pod velero/upload failed: ${notRunnable}. Check the image of DaemonSet node-agent: it has no data-mover that can be run.`,
  },
];
