import {
  deleteNamespace,
  findLeftovers,
  type Inventory,
  podName,
  podShell,
  takeInventory,
  waitForPod,
} from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClaimsPod, type PodClaim } from './environment/claims-pod.ts';
import { aDataDownload, aDataUpload, createDownload, createUpload } from './environment/movement-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { readySnapshot } from './environment/ready-snapshot.ts';

const MiB = 1024 * 1024;
const signal = AbortSignal.any([]);
const suffix = systemRandom.suffix(5);
const [source, target] = [`block-${suffix}`, `block-${suffix}-restored`];

/** One volume with a file system that is 10% full, one with arbitrary bytes. */
const volumes = { 'with-ext4': 256 * MiB, raw: 64 * MiB };
type Volume = keyof typeof volumes;

let lateen: LateenUnderTest;
let before: Inventory;

beforeAll(async () => {
  lateen = await lateenUnderTest();
  before = await takeInventory(lateen.kube, lateen.veleroNamespace, signal);
});
afterAll(async () => {
  for (const name of [source, target]) await deleteNamespace(lateen.kube, name, systemClock, signal);
  await lateen.kube.close();
});

const shell = (namespace: string) => podShell({ ...lateen, namespace, pod: podName, signal });
const sh = (namespace: string, script: string) => shell(namespace).run(['sh', '-euc', script]);

const claims = () =>
  Object.entries(volumes).map(
    ([name, sizeBytes]): PodClaim => ({
      name,
      storageClass: lateen.storageClass,
      volumeMode: 'Block',
      sizeBytes,
    }),
  );
const createDevices = (namespace: string) => createClaimsPod(lateen, namespace, claims(), namespace === target);

async function aSnapshot(claim: Volume): Promise<string> {
  const snapshot = await readySnapshot(lateen.kube, { namespace: source, claim });
  return snapshot.metadata.name ?? '';
}

async function upload(sourcePVC: Volume) {
  const csiSnapshot = {
    volumeSnapshot: await aSnapshot(sourcePVC),
    storageClass: lateen.storageClass,
    snapshotClass: 'lateen',
    driver: 'csi.lateen.dev',
  };
  const spec = { csiSnapshot, sourceNamespace: source, sourcePVC };
  const name = `${source}-${sourcePVC}`;
  return (await createUpload(lateen.kube, aDataUpload(lateen.veleroNamespace, name, spec))).status;
}

async function download(snapshotID: string, pvc: Volume) {
  const spec = { snapshotID, sourceNamespace: source, targetVolume: { pvc, pv: '', namespace: target } };
  const name = `${target}-${pvc}`;
  return (await createDownload(lateen.kube, aDataDownload(lateen.veleroNamespace, name, spec))).status;
}

/** Number of free blocks that are not zero, as in a volume that has been used; for files, their checksums. */
const fillExt4 = `
  dd if=/dev/urandom of=/dev/with-ext4 bs=1M count=256 status=none || true
  mkdir /tmp/tree; for i in $(seq 200); do head -c $(( i * 500 )) /dev/urandom > /tmp/tree/f$i; done
  cp -r /usr/share/doc /tmp/tree/; mkfs.ext4 -q -F -E nodiscard -d /tmp/tree /dev/with-ext4; sync /dev/with-ext4`;
const ext4Files = `
  e2fsck -fn /dev/with-ext4 >&2; mkdir /tmp/dump; debugfs -R 'rdump / /tmp/dump' /dev/with-ext4 2>/tmp/said
  cd /tmp/dump; find . -type f -print0 | sort -z | xargs -0 sha256sum; cd /; rm -r /tmp/dump`;
const rawSum = 'sha256sum /dev/raw';

describe('block volumes on a real cluster', () => {
  it('are backed up and restored: a file system without its free space, a raw device byte for byte', async () => {
    await createDevices(source);
    await waitForPod(lateen.kube, source, systemClock, systemClock.deadline(120_000));
    await sh(source, fillExt4);
    await sh(source, 'dd if=/dev/urandom of=/dev/raw bs=1M count=64 status=none; sync /dev/raw');
    const [files, raw] = [await sh(source, ext4Files), await sh(source, rawSum)];
    expect(files.split('\n').length).toBeGreaterThan(200);

    const [ofExt4, ofRaw] = await Promise.all([upload('with-ext4'), upload('raw')]);
    expect(ofExt4).toMatchObject({ phase: 'Completed', snapshotID: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(ofRaw).toMatchObject({ phase: 'Completed', incrementalBytes: volumes.raw });
    expect(ofExt4?.progress).toEqual({ bytesDone: volumes['with-ext4'], totalBytes: volumes['with-ext4'] });
    expect(ofRaw?.progress).toEqual({ bytesDone: volumes.raw, totalBytes: volumes.raw });
    // Blocks that ext4 does not use are not even read, in the real pod.
    expect(ofExt4?.incrementalBytes).toBeLessThan(volumes['with-ext4'] / 3);

    await deleteNamespace(lateen.kube, source, systemClock, signal);
    await createDevices(target);
    const back = await Promise.all([
      download(ofExt4?.snapshotID ?? '', 'with-ext4'),
      download(ofRaw?.snapshotID ?? '', 'raw'),
    ]);
    for (const status of back) expect(status).toMatchObject({ phase: 'Completed' });
    await waitForPod(lateen.kube, target, systemClock, systemClock.deadline(120_000));
    expect(await sh(target, ext4Files)).toBe(files);
    expect(await sh(target, rawSum)).toBe(raw);

    await deleteNamespace(lateen.kube, target, systemClock, signal);
    const left = await findLeftovers(before, { ...lateen, clock: systemClock }, signal);
    // The repository of the source's namespace is meant to stay.
    expect(left.filter((each) => !/backuprepositor/i.test(each))).toEqual([]);
  });
});
