import { writeFile } from 'node:fs/promises';
import { seededRandom } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type ChangedFilesRig, changedFilesRig, type FileSystem, sh } from '../repository/changed-files-rig.ts';
import { firstFiles, scribbles } from '../repository/scribble-files.ts';

/** Large files of file system volumes, on real file systems, loop devices and the real kopia. */
const KiB = 1024;
const MiB = 1024 * KiB;
const chunkBytes = 128 * KiB;
const isRoot = process.getuid?.() === 0;
const patience = { timeout: 900_000 };
const roundsOfOneVolume = 8;
let rig: ChangedFilesRig;

afterEach(() => rig.close(), 120_000);

const fill = (path: string, bytes: number) =>
  sh('mkdir -p "$(dirname "$1")"; head -c "$2" /dev/urandom > "$1"', `${rig.live}/${path}`, String(bytes));
const overwrite = (path: string, at: number, bytes: number) =>
  sh(
    'head -c "$3" /dev/urandom | dd of="$1" bs=1M oflag=seek_bytes seek="$2" conv=notrunc,fsync status=none',
    `${rig.live}/${path}`,
    String(at),
    String(bytes),
  );

describe.runIf(isRoot).each<FileSystem>(['ext4', 'xfs'])('large files on %s', (fileSystem) => {
  it('are read only where their blocks have changed, and restored unchanged', patience, async () => {
    rig = await changedFilesRig(fileSystem);
    await fill('pg/one', 40 * MiB);
    await fill('two', 20 * MiB);
    await fill('small', 100 * KiB);
    await rig.snapshot();
    const first = await rig.upload();
    expect(first).toMatchObject({ splicedBytes: 0, readReport: { fullReadReason: 'first backup of the volume' } });

    await overwrite('pg/one', 7 * MiB + 5, 100);
    await overwrite('pg/one', 40 * MiB - 3, 3);
    await overwrite('small', 0, 9);
    await rig.snapshot({ crash: true });
    const second = await rig.upload();
    // Two chunks; more if the file system's own writes are close to the file.
    expect(second.splicedBytes).toBeGreaterThanOrEqual(2 * chunkBytes);
    expect(second.splicedBytes).toBeLessThanOrEqual(6 * chunkBytes);
    expect(second.readReport?.fullReadReason).toBeUndefined();
    expect(second.incrementalBytes).toBeLessThan(MiB);
    await rig.expectRestored(second.snapshotID);
    // A snapshot as the engine creates it: the checkpoint from which it copied the file is deleted.
    expect(await rig.snapshots()).toHaveLength(2);
    const keys = async (id: string) => Object.keys(await rig.manifest(id)).sort();
    expect(await keys(second.snapshotID)).toEqual(await keys(first.snapshotID));
    expect(await rig.manifest(second.snapshotID)).toMatchObject({ pins: ['velero-pin'], stats: { errorCount: 0 } });

    await rig.snapshot();
    expect(await rig.upload()).toMatchObject({ splicedBytes: 0, incrementalBytes: 0 });
    await rig.verify();
  });

  it.each([1, 2])('are restored byte for byte after random operations on them (seed %d)', patience, async (seed) => {
    rig = await changedFilesRig(fileSystem);
    const random = seededRandom(seed * 1_000 + (fileSystem === 'xfs' ? 1 : 0));
    const below = (limit: number) => Math.floor(random.next() * limit);
    await firstFiles(rig.live);
    await rig.snapshot();
    await rig.upload();
    let composed = 0;
    for (let round = 0; round < roundsOfOneVolume; round++) {
      await sh(scribbles(rig.live, fileSystem, random, 1 + below(6)));
      // The engine's own rule is size and time: both are changed and synced before a crash loses the rest.
      await sh('find "$1" -type f -size +3M -exec touch {} +; sync', rig.live);
      const crash = below(2) === 0;
      if (crash) await sh(scribbles(rig.live, fileSystem, random, below(4)));
      await rig.snapshot({ crash });
      rig.setGranule(below(3) === 0 ? 64 * KiB : 4 * KiB);
      const made = await rig.upload();
      expect(made.readReport?.fullReadReason, `round ${round}`).toBeUndefined();
      composed += rig.composedBytes() - made.splicedBytes;
      await rig.expectRestored(made.snapshotID);
    }
    await rig.verify();
    // Without this the test would also pass if everything were read each time.
    expect(composed).toBeGreaterThan(roundsOfOneVolume * 2 * MiB);
  });

  it('are all read in full when one has changed with the same size and time', patience, async () => {
    rig = await changedFilesRig(fileSystem);
    await fill('one', 10 * MiB);
    await rig.snapshot();
    await rig.upload();
    await sh('touch -r "$1" "$2"', `${rig.live}/one`, `${rig.directory}/time`);
    await overwrite('one', 5 * MiB, 9);
    await sh('touch -r "$2" "$1"; sync', `${rig.live}/one`, `${rig.directory}/time`);
    await rig.snapshot();
    const made = await rig.upload();
    expect(made.readReport?.fullReadReason).toBe('a file has changed, but neither its size nor its time');
    expect(made.incrementalBytes).toBe(10 * MiB);
    await rig.expectRestored(made.snapshotID);
    // And its map is stored again.
    await overwrite('one', MiB, 9);
    await rig.snapshot();
    const next = await rig.upload();
    expect(next.splicedBytes).toBeGreaterThan(0);
    expect(next.splicedBytes).toBeLessThan(MiB);
    await rig.expectRestored(next.snapshotID);
  });

  it('are not compared with files that the engine has copied from a snapshot without a map', patience, async () => {
    rig = await changedFilesRig(fileSystem);
    await fill('one', 10 * MiB);
    await rig.snapshot();
    await rig.upload({ ChangedBlocksInFiles: 'false' });
    await rig.snapshot();
    // Size and time are unchanged, so the engine does not read it, and its content is unverified.
    expect((await rig.upload()).runs.at(-1)).not.toContain('lateen-file-maps');
    await overwrite('one', MiB, 9);
    await rig.snapshot();
    const read = await rig.upload();
    expect(read).toMatchObject({ splicedBytes: 0, incrementalBytes: 10 * MiB });
    expect(read.runs.at(-1)).toContain('lateen-file-maps');
    await overwrite('one', 2 * MiB, 9);
    await rig.snapshot();
    const last = await rig.upload();
    expect(last.splicedBytes).toBeGreaterThan(0);
    expect(last.splicedBytes).toBeLessThan(MiB);
  });
});

describe.runIf(isRoot)('a large file with too many extents for the snapshot', () => {
  it('is read as a whole, says why, and is restored as it was, while others are compared', patience, async () => {
    rig = await changedFilesRig('xfs');
    const random = seededRandom(84);
    await fill('source', 64 * MiB);
    // Each block of it is one of the other file, anywhere there.
    const block = 4 * KiB;
    const shares = Array.from({ length: 4_000 }, (_, at) => {
      const from = block * Math.floor(random.next() * ((64 * MiB) / block));
      return `reflink ${rig.live}/source ${from} ${at * block} ${block}`;
    });
    await writeFile(`${rig.directory}/shares`, `${shares.join('\n')}\n`);
    await sh('xfs_io -f "$1" < "$2" > /dev/null; sync -f "$1"', `${rig.live}/fragmented`, `${rig.directory}/shares`);
    const noRoom = 'maps of large files have no room in the snapshot';
    await rig.snapshot();
    await rig.upload();
    expect(rig.log.lines.find(({ message }) => message === noRoom)).toMatchObject({
      fields: { files: 1, path: 'fragmented' },
    });
    await overwrite('fragmented', 5 * MiB, 9);
    await overwrite('source', 7 * MiB, 9);
    await rig.snapshot();
    const second = await rig.upload();
    expect(second.readReport?.fullReadReason).toBe(
      'maps of large files had no room in the base snapshot: 1 with too many extents',
    );
    expect(second.splicedBytes).toBeGreaterThanOrEqual(chunkBytes);
    expect(second.incrementalBytes).toBeGreaterThan(4_000 * block);
    expect(second.incrementalBytes).toBeLessThan(20 * MiB);
    await rig.expectRestored(second.snapshotID);
    await rig.verify();
  });
});

describe.runIf(isRoot)('file systems whose extents do not give places on the volume', () => {
  const reasonOf = async (
    fileSystem: FileSystem,
    o: { make?: string[]; mount?: string; prepare?: () => Promise<unknown> },
  ) => {
    rig = await changedFilesRig(fileSystem, undefined, o.make);
    await fill('one', 8 * MiB);
    await o.prepare?.();
    await rig.snapshot(o.mount === undefined ? {} : { mount: o.mount });
    const { readReport, runs } = await rig.upload();
    expect(runs.at(-1)).not.toContain('lateen-file-maps');
    return readReport?.fullReadReason;
  };

  it('keep data in the journal by a default in the superblock', patience, async () => {
    const reason = await reasonOf('ext4', {
      prepare: () =>
        sh('umount "$1"; tune2fs -o journal_data "$2"; mount -o loop "$2" "$1"', rig.live, `${rig.directory}/live.img`),
    });
    expect(reason).toBe('the file system may have data in its journal');
  });

  it('keep data in the journal with a mount option', patience, async () => {
    expect(await reasonOf('ext4', { mount: 'loop,data=journal' })).toBe('the file system may have data in its journal');
  });

  it('do not start at the beginning of the volume', patience, async () => {
    rig = await changedFilesRig('xfs');
    await fill('one', 8 * MiB);
    await rig.snapshot();
    const moved = `${rig.directory}/moved.img`;
    await sh(
      'umount "$1"; truncate -s 1M "$2"; cat "$3" >> "$2"; mount -o loop,nouuid,offset=1048576 "$2" "$1"',
      rig.mounted,
      moved,
      `${rig.directory}/mounted.img`,
    );
    const { readReport } = await rig.upload();
    expect(readReport?.fullReadReason).toBe('the file system does not begin where the volume begins');
  });
});
