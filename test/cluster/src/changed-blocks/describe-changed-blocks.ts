import { type DataUpload, persistentVolumeClaimType } from '@lateen/api-types';
import { deleteNamespace } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { announcedMs, type ClusterPorts, untilAnnounced, verified, whatWasRead } from './kept-backups.ts';
import { chunkBytes, type DriverUnderTest, diskBytes, RawDisk } from './raw-disk.ts';

const keptMs = 60_000;
const signal = AbortSignal.any([]);

/** Writes that many KiB of random data at places given in MiB, and drops them from the page cache. */
const scribble = (kib: number, ...placesMiB: readonly number[]) =>
  `for at in ${placesMiB.join(' ')}; do dd if=/dev/urandom of=/dev/disk bs=1K count=${kib} seek=$((at * 1024)) conv=notrunc status=none; done; sync /dev/disk`;

/** Backups of a raw block volume of a driver of ours, on a real cluster with the real sidecar: what is read, why, and what comes back. */
export function describeChangedBlocks(of: DriverUnderTest, ports: () => ClusterPorts): void {
  const namespace = `changed-${systemRandom.suffix(5)}`;
  const restored = ['one', 'two', 'three'].map((name) => `${namespace}-${name}`);
  const backups = ['first', 'second', 'third'].map((name) => `${namespace}-${name}`);
  const uploads: DataUpload[] = [];
  const sums: string[] = [];
  let disk: RawDisk;

  const uploaded = async (): Promise<DataUpload> => {
    sums.push(await disk.sum());
    const upload = await disk.upload(backups[uploads.length] ?? '');
    uploads.push(upload);
    if (upload.status?.phase === 'Completed') await disk.untilKept([upload.metadata.name ?? '']);
    return upload;
  };

  describe(`changed blocks of ${of.driver}`, () => {
    beforeAll(async () => {
      disk = await RawDisk.create(ports(), of, namespace);
      await untilAnnounced(ports(), of);
    }, 2 * announcedMs);
    afterAll(async () => {
      const { kube } = ports();
      for (const name of backups.slice(0, uploads.length)) await disk.deleteBackup(name);
      for (const name of [namespace, ...restored]) await deleteNamespace(kube, name, systemClock, signal);
    }, 2 * announcedMs);

    it('are everything at first, and the snapshot is kept', async () => {
      await disk.sh(scribble(8192, 0, 50, 150, 240));
      expect(whatWasRead(await uploaded())).toMatchObject({
        phase: 'Completed',
        fullReadReason: 'first backup of the volume',
      });
    });

    it('are all that is read by the second upload', async () => {
      await disk.sh(scribble(64, 51, 125, 243));
      const second = await uploaded();
      const { fullReadReason, changedBytes = 0, uploadedBytes, readBytes = 0, phase } = whatWasRead(second);
      expect([phase, fullReadReason]).toEqual(['Completed', undefined]);
      expect(changedBytes).toBe(3 * chunkBytes);
      expect(uploadedBytes).toBe(3 * chunkBytes);
      // Verified data is read too.
      expect(readBytes).toBeLessThan(diskBytes / 8);
    });

    it('can be verified: what is stored is compared with the kept snapshot', async () => {
      const { veleroNamespace, kube } = ports();
      const upload = uploads.at(-1);
      expect(await verified(ports(), upload, '--compare', 'always')).toMatchObject({
        comparedWith: `${veleroNamespace}/${upload?.metadata.name}`,
        readDataPercent: 100,
        comparedBytes: diskBytes,
        problems: [],
        problemCount: 0,
      });
      // The claim belongs to the Job, and both are deleted.
      const left = async () => (await kube.list(persistentVolumeClaimType, { namespace: veleroNamespace })).items;
      await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: keptMs, interval: 250 });
    });

    it('are everything again when the snapshot that was kept is gone', async () => {
      await disk.deleteKept();
      await disk.sh(scribble(64, 7));
      expect(whatWasRead(await uploaded())).toMatchObject({ phase: 'Completed', fullReadReason: 'base snapshot gone' });
    });

    it('come back byte for byte, whichever way they were read', async () => {
      const back = await Promise.all(uploads.map((upload, at) => disk.restoredSum(upload, restored[at] ?? '')));
      expect(back).toEqual(sums);
      expect(new Set(sums).size).toBe(uploads.length);
    });
  });
}
