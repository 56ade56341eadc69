import {
  type BackupStorageLocation,
  backupRepositoryType,
  backupStorageLocationType,
  persistentVolumeClaimType,
  repositoryCredentials,
  secretType,
} from '@lateen/api-types';
import {
  createWorkload,
  deleteNamespace,
  findLeftovers,
  type Inventory,
  podName,
  podShell,
  pvcName,
  takeInventory,
  waitForPod,
} from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDataDownload, aDataUpload, createDownload, createUpload } from './environment/movement-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { readySnapshot } from './environment/ready-snapshot.ts';

const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const source = `bad-input-${suffix}`;
let lateen: LateenUnderTest;
let before: Inventory;
let snapshotId = '';

/** A successful upload first, so that each test below has only its own fault. */
beforeAll(async () => {
  lateen = await lateenUnderTest();
  const { kube, image, storageClass, veleroNamespace } = lateen;
  before = await takeInventory(kube, veleroNamespace, signal);
  await createWorkload(kube, { namespace: source, image, storageClass, volumeSize: '128Mi', withPvc: true }, signal);
  await waitForPod(kube, source, systemClock, signal);
  const shell = podShell({ ...lateen, namespace: source, pod: podName, signal });
  await shell.run(['sh', '-c', 'head -c 40000000 /dev/urandom > /data/file && sync -f /data']);
  const ended = await createUpload(kube, aDataUpload(veleroNamespace, `good-${suffix}`, await sourceOf()));
  expect(ended.status).toMatchObject({ phase: 'Completed' });
  snapshotId = ended.status?.snapshotID ?? '';
});
afterAll(async () => {
  const { kube } = lateen;
  await deleteNamespace(kube, source, systemClock, signal);
  await kube.close();
});

/** A new VolumeSnapshot of the source volume, in the form of a DataUpload's spec. */
async function sourceOf() {
  const snapshot = await readySnapshot(lateen.kube, { namespace: source, claim: pvcName });
  const csiSnapshot = {
    volumeSnapshot: snapshot.metadata.name ?? '',
    storageClass: lateen.storageClass,
    snapshotClass: 'lateen',
    driver: 'csi.lateen.dev',
  };
  return { csiSnapshot, sourceNamespace: source, sourcePVC: pvcName };
}

function aLocation(name: string, spec: Partial<BackupStorageLocation['spec']>): BackupStorageLocation {
  return {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: { namespace: lateen.veleroNamespace, name },
    spec: { provider: 'aws', objectStorage: { bucket: 'lateen' }, ...spec },
  };
}

/** Creates a location, waits for the controller's validation and deletes it again. */
async function verdictOn(location: BackupStorageLocation): Promise<{ phase?: string; message?: string }> {
  const key = { namespace: lateen.veleroNamespace, name: location.metadata.name ?? '' };
  await lateen.kube.create(backupStorageLocationType, location);
  try {
    return await waitForObject({
      api: lateen.kube,
      type: backupStorageLocationType,
      key,
      clock: systemClock,
      signal: systemClock.deadline(60_000),
      until: (seen) =>
        seen?.status?.phase === undefined
          ? undefined
          : { phase: seen.status.phase, message: seen.status.message ?? '' },
    });
  } finally {
    await lateen.kube.delete(backupStorageLocationType, key);
  }
}

const defaultLocation = () =>
  lateen.kube.get(backupStorageLocationType, { namespace: lateen.veleroNamespace, name: 'default' });

describe('an upload that cannot succeed ends in Failed and names the cause', () => {
  it('a VolumeSnapshot that does not exist', async () => {
    const spec = {
      ...(await sourceOf()),
      csiSnapshot: { volumeSnapshot: 'no-such-snapshot', storageClass: lateen.storageClass },
    };
    const { status } = await createUpload(
      lateen.kube,
      aDataUpload(lateen.veleroNamespace, `no-snapshot-${suffix}`, spec),
    );
    expect(status?.phase).toBe('Failed');
    expect(status?.message).toContain(`${source}/no-such-snapshot`);
  });
  it('a BackupStorageLocation that does not exist', async () => {
    const spec = { ...(await sourceOf()), backupStorageLocation: 'no-such-location' };
    const { status } = await createUpload(
      lateen.kube,
      aDataUpload(lateen.veleroNamespace, `no-location-${suffix}`, spec),
    );
    expect(status?.phase).toBe('Failed');
    expect(status?.message).toContain('no-such-location');
  });
  it('a storage class that does not exist', async () => {
    const good = await sourceOf();
    const spec = { ...good, csiSnapshot: { ...good.csiSnapshot, storageClass: 'no-such-class' } };
    const { status } = await createUpload(lateen.kube, aDataUpload(lateen.veleroNamespace, `no-class-${suffix}`, spec));
    expect(status?.phase).toBe('Failed');
    expect(status?.message).toContain('no-such-class');
  });
  it('a wrong repository password', async () => {
    const key = { namespace: lateen.veleroNamespace, name: repositoryCredentials.name };
    const right = await lateen.kube.get(secretType, key);
    const wrong = { data: { [repositoryCredentials.key]: Buffer.from('not the password').toString('base64') } };
    await lateen.kube.patch(secretType, key, { type: 'merge', body: wrong });
    try {
      const { status } = await createUpload(
        lateen.kube,
        aDataUpload(lateen.veleroNamespace, `password-${suffix}`, await sourceOf()),
      );
      expect(status?.phase).toBe('Failed');
      expect(status?.message).toMatch(/password/);
      expect(status?.message).not.toContain('not the password');
    } finally {
      await lateen.kube.patch(secretType, key, { type: 'merge', body: { data: right.data } });
    }
  });
});

describe('a download that cannot succeed ends in Failed and names the cause', () => {
  const download = (name: string, volumeSize: string, spec: Parameters<typeof aDataDownload>[2]) => async () => {
    const namespace = `${name}-${suffix}`;
    const { kube, image, storageClass, veleroNamespace } = lateen;
    await createWorkload(kube, { namespace, image, storageClass, volumeSize, withPvc: false }, signal);
    try {
      await kube.create(persistentVolumeClaimType, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { namespace, name: pvcName },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: storageClass,
          resources: { requests: { storage: volumeSize } },
          selector: { matchLabels: { 'velero.io/dynamic-pv-restore': namespace } },
        },
      });
      const targetVolume = { namespace, pvc: pvcName, pv: '' };
      const defaults = { targetVolume, sourceNamespace: source, snapshotID: snapshotId };
      return await createDownload(kube, aDataDownload(veleroNamespace, namespace, { ...defaults, ...spec }));
    } finally {
      await deleteNamespace(kube, namespace, systemClock, signal);
    }
  };
  it('a volume that is too small', async () => {
    const { status } = await download('small', '16Mi', {})();
    expect(status?.phase).toBe('Failed');
    expect(status?.message).toMatch(/no space left|full/i);
  });
  it('a snapshot that is not in the repository', async () => {
    const { status } = await download('unknown', '128Mi', { snapshotID: 'f'.repeat(32) })();
    expect(status?.phase).toBe('Failed');
    expect(status?.message).toContain('f'.repeat(32));
  });
});

describe('a location that cannot be used is Unavailable and names the cause', () => {
  it('a bucket that does not exist', async () => {
    const { spec } = await defaultLocation();
    const verdict = await verdictOn(
      aLocation(`bucket-${suffix}`, { ...spec, default: false, objectStorage: { bucket: 'no-such-bucket' } }),
    );
    expect(verdict.phase).toBe('Unavailable');
    expect(verdict.message).toContain('no-such-bucket');
  });
  it('a Secret that does not exist', async () => {
    const { spec } = await defaultLocation();
    const credential = { name: 'no-such-secret', key: 'cloud' };
    const verdict = await verdictOn(aLocation(`secret-${suffix}`, { ...spec, default: false, credential }));
    expect(verdict.phase).toBe('Unavailable');
    expect(verdict.message).toContain('no-such-secret');
  });
  it('an endpoint where nothing listens', async () => {
    const { spec } = await defaultLocation();
    const config = { ...spec.config, s3Url: 'http://127.0.0.1:1' };
    const verdict = await verdictOn(aLocation(`endpoint-${suffix}`, { ...spec, default: false, config }));
    expect(verdict.phase).toBe('Unavailable');
    expect(verdict.message).toContain('127.0.0.1:1');
  });
});

describe('after all these failures', () => {
  it('nothing is left in the cluster, and the successful snapshot still exists', async () => {
    const { kube, veleroNamespace } = lateen;
    const repositories = await kube.list(backupRepositoryType, { namespace: veleroNamespace });
    expect(repositories.items.find((each) => each.spec.volumeNamespace === source)?.status?.phase).toBe('Ready');
    await deleteNamespace(kube, source, systemClock, signal);
    expect(await findLeftovers(before, { kube, clock: systemClock, veleroNamespace }, signal)).toEqual([]);
  });
});
