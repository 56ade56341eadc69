import {
  type DataUpload,
  dataUploadType,
  eventType,
  type SnapshotMetadataService,
  serviceAccountType,
  type VolumeSnapshot,
  volumeSnapshotType,
} from '@lateen/api-types';
import { baseNotes } from '@lateen/changed-blocks/base';
import { blocks, serveMetadata } from '@lateen/changed-blocks/metadata-server';
import type { BackupResult } from '@lateen/datapath';
import type { ImageProgram } from '@lateen/image';
import { type Clock, systemClock, systemRandom } from '@lateen/kernel';
import { keyOf } from '@lateen/kube';
import type { S3Server } from '@lateen/store-rig';
import {
  aDataUpload,
  aVolumeSnapshot,
  type FakeCluster,
  fakeCluster,
  serveFakeCluster,
  testCertificates,
} from '@lateen/testing';
import type { BenchDevice } from '../block/used-device.ts';
import { type MoverFigures, runMeasuredMover } from '../within-256-mib/measured-mover.ts';
import type { ShopRepository } from '../within-256-mib/shop-repository.ts';
import { type Pair, volumeBytes } from './changed-volume.ts';

const driver = 'csi.bench';
const claimUid = 'claim-uid';
const MiB = 1024 * 1024;
/** Environment of the mover's pod. */
const podBytes = 256 * MiB;

/** Without it the API server in memory does not know the kind. */
const serviceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'snapshotmetadataservices.cbt.storage.k8s.io' },
  spec: {
    group: 'cbt.storage.k8s.io',
    scope: 'Cluster',
    names: { plural: 'snapshotmetadataservices', kind: 'SnapshotMetadataService' },
    versions: [{ name: 'v1beta1' }],
  },
};

export interface Uploaded {
  result: BackupResult;
  figures: MoverFigures;
}

export interface UploadRigOptions {
  program: ImageProgram;
  server: S3Server;
  device: BenchDevice;
  repository: ShopRepository;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Uploads of a device by the mover of the image, in a cgroup like a pod with 256 MiB. API server and SnapshotMetadata service run in this
 * process.
 */
export async function uploadRig({ program, server, device, repository, clock, signal }: UploadRigOptions) {
  const { ca, server: pair } = testCertificates();
  let changed: readonly Pair[] = [];
  const metadata = await serveMetadata(pair, async function* ({ baseSnapshotId }) {
    // The first upload asks which blocks have data: the rig does not know, so it answers with all blocks.
    if (baseSnapshotId === undefined) yield blocks(volumeBytes, [0, volumeBytes]);
    else yield blocks(volumeBytes, ...changed);
  });
  const service: SnapshotMetadataService = {
    apiVersion: 'cbt.storage.k8s.io/v1beta1',
    kind: 'SnapshotMetadataService',
    metadata: { name: driver },
    spec: { address: `localhost:${metadata.port}`, audience: 'bench', caCert: Buffer.from(ca).toString('base64') },
  };
  const objects = [serviceDefinition, service, ...repository.objects];
  const cluster = fakeCluster({ clock: systemClock, random: systemRandom, objects });
  cluster.intercept((call, next) =>
    call.type === serviceAccountType && call.subresource === 'token'
      ? Promise.resolve({ metadata: {}, status: { token: 'token' } })
      : next(),
  );
  const { port, close } = await serveFakeCluster(cluster, { tls: pair });
  const events = async () => cluster.all(eventType);
  const api = { port, authority: ca, token: 'token', events, close: async () => {} };
  let count = 0;
  return {
    /** Sets the answers of the service. */
    tell: (pairs: readonly Pair[]) => {
      changed = pairs;
    },
    upload: async (spec: Partial<DataUpload['spec']>): Promise<Uploaded> => {
      const name = `upload-${++count}`;
      const movement = uploadOf(name, spec);
      await cluster.create(dataUploadType, movement);
      const flags = [
        '--cbt-sa-name=node-agent',
        `--snapshot-id=${name}`,
        '--volume-id=vol-1',
        `--claim-uid=${claimUid}`,
      ];
      const { figures, message, failure } = await runMeasuredMover({
        program,
        server,
        movement,
        api,
        flags,
        volumeMode: 'Block',
        volumePath: device.path,
        memoryBytes: podBytes,
        clock,
        signal,
      });
      if (message === undefined) throw new Error(failure);
      return { figures, result: JSON.parse(message) as BackupResult };
    },
    /** Makes the snapshot of this upload the only base. */
    keep: async ({ result: { snapshotID } }: Uploaded): Promise<void> => {
      await keepOnly(cluster, baseOf(`base-${count}`, snapshotID));
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      await metadata[Symbol.asyncDispose]();
    },
  };
}

const uploadOf = (name: string, spec: Partial<DataUpload['spec']>): DataUpload =>
  aDataUpload({
    name,
    phase: 'InProgress',
    spec: {
      sourceNamespace: 'shop',
      sourcePVC: 'data',
      csiSnapshot: { volumeSnapshot: name, storageClass: 'bench', driver },
      ...spec,
    },
  });

function baseOf(name: string, snapshotID: string) {
  const notes = baseNotes({
    claim: { namespace: 'shop', name: 'data', uid: claimUid },
    driver,
    volumeHandle: 'vol-1',
    snapshotHandle: `handle-${name}`,
    snapshotID,
    backupStorageLocation: 'default',
  });
  return aVolumeSnapshot({ namespace: 'velero', name, metadata: notes, readyToUse: true });
}

/** Deletes all other bases. The status is written afterwards, because a created object has none. */
async function keepOnly(cluster: FakeCluster, base: VolumeSnapshot): Promise<void> {
  for (const other of cluster.all(volumeSnapshotType)) await cluster.delete(volumeSnapshotType, keyOf(other));
  await cluster.create(volumeSnapshotType, base);
  const { status } = base;
  await cluster.patch(volumeSnapshotType, keyOf(base), { type: 'merge', body: { status } }, { subresource: 'status' });
}
