import type { DataUpload } from '@lateen/api-types';
import { deleteNamespace } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClaimsPod, type PodClaim } from '../environment/claims-pod.ts';
import {
  announcedMs,
  type ClusterPorts,
  inClaimsPod,
  KeptBackups,
  untilAnnounced,
  untilPodRuns,
  verified,
  whatWasRead,
} from './kept-backups.ts';

/** A driver of ours, and its StorageClasses by file system. */
export interface FilesUnderTest {
  readonly driver: string;
  readonly storageClasses: { readonly ext4: string; readonly xfs: string };
  readonly snapshotClass: string;
  isReady?(): Promise<boolean>;
}

const MiB = 1024 * 1024;
const signal = AbortSignal.any([]);
const fileSystems = ['ext4', 'xfs'] as const;
/** What xfs needs at least. */
const volumeBytes = 320 * MiB;
/** Files of the smallest size that is looked at, and of more. */
const tableMiB = 4;
const indexMiB = 24;
const moverConfig = { ChangedBlocksInFiles: 'true', ChangedBlocksInFilesMinMiB: `${tableMiB}`, splitter: 'FIXED-128K' };

const first = `
mkdir -p pg/base dir; chmod 2750 pg; chown 999:998 pg/base
head -c ${tableMiB}M /dev/urandom > pg/base/table; chown 999:998 pg/base/table; chmod 600 pg/base/table
head -c ${indexMiB}M /dev/urandom > index; truncate -s +1M index; chmod 4711 index
head -c 100K /dev/urandom > small; echo gone > dir/doomed; ln -s ../small dir/link; ln small dir/hard
touch -d '2001-02-03 04:05:06.789012345' small`;

/** Runs of a few pages in both large files, one at the end of each; and other small files. */
const second = `
overwrite() { head -c $3 /dev/urandom | dd of=$1 bs=1M oflag=seek_bytes seek=$2 conv=notrunc status=none; }
overwrite pg/base/table ${2 * MiB + 8192} 16384; overwrite pg/base/table ${tableMiB * MiB - 8192} 8192
overwrite index ${7 * MiB} 65536; overwrite index ${18 * MiB + 5} 3; head -c 4K /dev/urandom >> index
rm dir/doomed; echo new > dir/added; chown 5:6 dir/added; chmod 444 dir/added`;

const third = `
head -c 8K /dev/urandom | dd of=pg/base/table bs=4K seek=3 conv=notrunc status=none; echo more >> dir/added`;

/** Of every entry: kind, mode, owner, time in nanoseconds, target, links; and every byte. */
const everything = `
find . -name lost+found -prune -o -printf '%p %y %m %U:%G %T@ %l %n\\n' | sort
find . -type f -print0 | sort -z | xargs -0 sha256sum`;

const inEach = (script: string): string =>
  fileSystems.map((name) => `cd /${name}\n${script}\nsync -f /${name}`).join('\n');

/** Backups of volumes with file systems whose large files change a little, on a real cluster with the real sidecar. */
export function describeChangedFiles(of: FilesUnderTest, ports: () => ClusterPorts): void {
  const namespace = `files-${systemRandom.suffix(5)}`;
  const restored = ['two', 'three'].map((name) => `${namespace}-${name}`);
  const names = ['one', 'two', 'three'].map((name) => `${namespace}-${name}`);
  const claims = fileSystems.map(
    (name): PodClaim => ({
      name,
      storageClass: of.storageClasses[name],
      volumeMode: 'Filesystem',
      sizeBytes: volumeBytes,
    }),
  );
  const made: { uploads: DataUpload[]; tree: string }[] = [];
  let backups: KeptBackups;

  const sh = (script: string, where = namespace) => inClaimsPod(ports(), where, inEach(script));
  /** Makes a backup after the script, of ext4 and of xfs. */
  const backedUp = async (script: string) => {
    await sh(script);
    const tree = await sh(everything);
    const uploads = await backups.make(names[made.length] ?? '');
    made.push({ uploads, tree });
    expect(uploads.map(({ spec }) => spec.sourcePVC)).toEqual(fileSystems);
    for (const { metadata, spec, status } of uploads)
      if (status?.phase === 'Completed') await backups.untilKept(spec.sourcePVC ?? '', [metadata.name ?? '']);
    return uploads.map(whatWasRead);
  };

  describe(`changed blocks of files on volumes of ${of.driver}`, () => {
    beforeAll(async () => {
      backups = new KeptBackups(ports(), { ...of, moverConfig }, namespace);
      await createClaimsPod(ports(), namespace, claims);
      await untilPodRuns(ports(), namespace);
      await untilAnnounced(ports(), of);
    }, 2 * announcedMs);
    afterAll(async () => {
      for (const name of names.slice(0, made.length)) await backups.delete(name);
      for (const name of [namespace, ...restored]) await deleteNamespace(ports().kube, name, systemClock, signal);
    }, 2 * announcedMs);

    it('are everything at first, and the snapshots stay', async () => {
      for (const read of await backedUp(first)) {
        // What kopia knows of a file system volume is not asked: the first backup has no base either.
        expect(read).toMatchObject({ phase: 'Completed', fullReadReason: 'base snapshot gone' });
        expect(read.readBytes).toBeGreaterThan((tableMiB + indexMiB) * MiB);
      }
    });

    it('are all that is read of large files the second time', async () => {
      for (const { phase, fullReadReason, readBytes } of await backedUp(second)) {
        expect([phase, fullReadReason]).toEqual(['Completed', undefined]);
        // Four chunks, the piece that was added, a neighbour of each where the driver tells larger units, and the small files.
        expect(readBytes).toBeGreaterThanOrEqual(4 * 128 * 1024);
        expect(readBytes).toBeLessThan(3 * MiB);
      }
    });

    it('make snapshots that can be verified, though not compared with the kept ones', async () => {
      const [ext4] = made.at(-1)?.uploads ?? [];
      const sound = { readDataPercent: 100, problems: [], problemCount: 0 };
      expect(await verified(ports(), ext4)).toMatchObject(sound);
    });

    it('are everything again when the snapshots that were kept are gone', async () => {
      for (const name of fileSystems) await backups.deleteKept(name);
      for (const read of await backedUp(third)) {
        expect(read).toMatchObject({ phase: 'Completed', fullReadReason: 'base snapshot gone' });
        // kopia still does not read files of the same size and time.
        expect(read.readBytes).toBeGreaterThanOrEqual(tableMiB * MiB);
      }
    });

    it('come back with every byte, mode, owner and time, whichever way they were read', async () => {
      const trees = await Promise.all(
        made.slice(1).map(async ({ uploads }, at) => {
          const where = restored[at] ?? '';
          await createClaimsPod(ports(), where, claims, true);
          await Promise.all(uploads.map((upload) => backups.restore(upload, where)));
          await untilPodRuns(ports(), where);
          return await sh(everything, where);
        }),
      );
      expect(trees).toEqual(made.slice(1).map(({ tree }) => tree));
      expect(new Set(trees).size).toBe(2);
    });
  });
}
