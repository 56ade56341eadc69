import { mkdtemp, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  backupRepositoryType,
  backupStorageLocationType,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  eventType,
  type KubeObject,
  labels,
  type ResourceType,
  secretType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { requestToken } from '@lateen/changed-blocks';
import { baseNotes } from '@lateen/changed-blocks/base';
import { command, makeScratch, startDriver } from '@lateen/csi-rig';
import type { BackupResult } from '@lateen/datapath';
import { renderManifests } from '@lateen/deploy';
import { type ImageProgram, writeImageProgram } from '@lateen/image';
import type { KubeApi } from '@lateen/kube';
import { typeOf } from '@lateen/manifests';
import { aDataDownload, aDataUpload, type MoverEnd, type MoverProcess, startMover } from '@lateen/testing';
import { rigObjects } from '../repository/mover-process.ts';
import { repositoryRig } from '../repository/repository-rig.ts';
import { startS3Server } from '../repository/s3-server.ts';
import { type RawVolume, rawVolume, release, takeSnapshot } from './raw-volume.ts';
import { namespace, tellSnapshot, untilServed } from './sidecar-objects.ts';
import { startSidecarRig } from './sidecar-rig.ts';

const never = new AbortController().signal;
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const diskBytes = 2 * 1024 * 1024 * 1024;
const claim = { namespace: 'shop', name: 'data', uid: 'claim-data' };
/** The service account of the node-agent, with exactly its permissions of deploy/. */
const account = { namespace, name: 'node-agent' };

/** Resource types that movers read. */
const types = {
  BackupRepository: backupRepositoryType,
  BackupStorageLocation: backupStorageLocationType,
  DataDownload: dataDownloadType,
  DataUpload: dataUploadType,
  Secret: secretType,
};

export interface UploadOptions {
  /** Replaces the flags that the node-agent passes. */
  flags?: readonly string[];
  spec?: Partial<DataUpload['spec']>;
}

export interface Uploaded extends MoverEnd {
  name: string;
  /** The driver's handle of the snapshot. */
  handle: string;
  /** Undefined for a failed upload. */
  result: BackupResult | undefined;
}

export type ChangesRig = Awaited<ReturnType<typeof startChangesRig>>;

/**
 * The data mover as in the image, the real sidecar with our driver, a real kube-apiserver with the permissions of deploy/, and a kopia
 * repository in an S3 server. Movers read the device `volume` when a snapshot of it was taken. Needs root.
 */
export async function startChangesRig(bytes: number) {
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(await makeScratch('xfs', diskBytes));
  const driver = stack.use(await startDriver(scratch, { nodeId: 'node-1' }));
  const sidecar = stack.use(await startSidecarRig(scratch, driver));
  const server = stack.use(await startS3Server());
  await server.makeBucket('backups');
  const repository = await repositoryRig(server);
  await repository.initialise();
  const { kube } = sidecar;
  await applyLateen(kube);
  const create = async (object: KubeObject) => {
    const type = types[object.kind as keyof typeof types];
    await kube.create(type as ResourceType, object);
  };
  for (const object of rigObjects(server.endpoint, 'kopia')) await create(object);
  const program = await writeImageProgram('data-mover', root, await mkdtemp(join(server.directory, 'image-')));
  const volume = await rawVolume(scratch, driver, 'data', bytes);
  stack.defer(() => release(scratch, driver, volume));
  const run = async (
    movement: KubeObject,
    volumePath: string,
    flags: readonly string[] = [],
  ): Promise<MoverProcess> => {
    const token = await requestToken(kube, account, 'https://kubernetes.default.svc', never);
    const api = { ...sidecar.api, token, close: async () => {} };
    const events = async () => (await kube.list(eventType, { namespace })).items;
    return await startMover({
      command: program.command,
      movement,
      api: { ...api, events },
      volumePath,
      volumeMode: 'Block',
      flags,
      directory: await mkdtemp(join(server.directory, 'mover-')),
      environment: environmentOf(program, server.kopia),
    });
  };
  const all = stack.move();
  let count = 0;
  return {
    kube,
    sidecar,
    driver,
    volume,
    repository,
    /** Uploads and restores so far. */
    count: () => count,
    /** Takes a snapshot of the volume and starts to upload it. */
    start: async ({ flags, spec = {} }: UploadOptions = {}) => {
      const name = `upload-${++count}`;
      const handle = await takeSnapshot(driver, volume, name);
      await tellSnapshot(kube, sidecar.driver, name, handle);
      const upload = uploadOf(name, sidecar.driver, spec);
      await create(upload);
      const mover = await run(upload, volume.device, flags ?? flagsFor(name, volume));
      const ended = mover.ended.then((end): Uploaded => ({ ...end, name, handle, result: resultOf(end) }));
      return { name, handle, pid: mover.pid, ended };
    },
    /** Makes the snapshot of an upload the base of the next one, as the cleanup of a completed upload does. */
    keep: async ({ name, handle, result }: Uploaded): Promise<void> => {
      const metadata = baseNotes({
        claim,
        driver: sidecar.driver,
        volumeHandle: volume.id,
        snapshotHandle: handle,
        snapshotID: result?.snapshotID ?? '',
        backupStorageLocation: 'default',
      });
      await kube.patch(volumeSnapshotType, { namespace, name }, { type: 'merge', body: { metadata } });
    },
    /** Deletes all bases, as an expiration would. */
    deleteBases: async (): Promise<void> => {
      const { items } = await kube.list(volumeSnapshotType, { namespace, labelSelector: labels.baseOf });
      for (const { metadata } of items) await kube.delete(volumeSnapshotType, { namespace, name: metadata.name ?? '' });
    },
    content: () => readFile(volume.device),
    /** Restores into an empty device with another mover. */
    restored: async (snapshotID: string): Promise<Buffer> => {
      const file = join(await mkdtemp(join(server.directory, 'restored-')), 'volume');
      await (await open(file, 'w')).close();
      await truncate(file, bytes);
      const device = (await command('losetup', '--find', '--show', file)).trim();
      try {
        const spec = { snapshotID, backupStorageLocation: 'default', sourceNamespace: claim.namespace };
        const download = aDataDownload({ name: `download-${++count}`, phase: 'InProgress', spec });
        await create(download);
        const { exitCode, message } = await (await run(download, device)).ended;
        if (exitCode !== 0) throw new Error(message);
        return await readFile(device);
      } finally {
        await command('losetup', '--detach', device);
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Applies definitions and permissions as an installation does. */
async function applyLateen(kube: KubeApi): Promise<void> {
  for (const object of await renderManifests({ parts: ['crds', 'node-agent'] })) {
    const { kind, metadata } = object;
    if (kind === 'DaemonSet') continue;
    const { name = '', namespace } = metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    await kube.patch(typeOf(object), key, { type: 'apply', body: object, force: true }, { fieldManager: 'test' });
  }
  for (const type of Object.values(types)) await untilServed(kube, type);
}

const uploadOf = (name: string, driver: string, spec: Partial<DataUpload['spec']>): DataUpload =>
  aDataUpload({
    name,
    phase: 'InProgress',
    spec: {
      sourceNamespace: claim.namespace,
      sourcePVC: claim.name,
      csiSnapshot: { volumeSnapshot: name, storageClass: 'lateen', driver },
      dataMoverConfig: { KeepBaseSnapshot: 'true' },
      ...spec,
    },
  });

export const flagsFor = (name: string, { id }: RawVolume, serviceAccount = account.name): string[] => [
  `--cbt-sa-name=${serviceAccount}`,
  `--snapshot-id=${name}`,
  `--volume-id=${id}`,
  `--claim-uid=${claim.uid}`,
];

const environmentOf = ({ environment }: ImageProgram, kopia: string) => ({
  PATH: process.env.PATH ?? '',
  LATEEN_KOPIA: kopia,
  ...environment,
});

const resultOf = ({ exitCode, message }: MoverEnd): BackupResult | undefined =>
  exitCode === 0 ? (JSON.parse(message) as BackupResult) : undefined;
