import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ByteRange, RangeList } from '@lateen/changed-blocks';
import type { UploadResult } from '@lateen/datapath';
import { systemClock, systemRandom } from '@lateen/kernel';
import { openKopiaSession } from '@lateen/repository';
import { spliceFiles } from '@lateen/repository-session';
import { recordingLog } from '@lateen/testing';
import { type FileSplice, kopiaUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { sessionRig } from './session-rig.ts';
import { volumeSource } from './splice-rig.ts';

const MiB = 1024 ** 2;
const blockBytes = 4096;
const never = new AbortController().signal;
const execute = promisify(execFile);

/** `--norc`: started by Node as the outermost shell, with an empty script, bash would read its files of an interactive shell first. */
export const sh = async (script: string, ...args: string[]): Promise<string> =>
  (await execute('bash', ['--norc', '-euc', script, 'bash', ...args], { maxBuffer: 64 * MiB })).stdout;

export type FileSystem = 'ext4' | 'xfs';

export interface Uploaded extends UploadResult {
  /** Bytes of the volume that spliceFiles has read. */
  splicedBytes: number;
  /** Arguments of kopia's runs. */
  runs: string[];
}

/**
 * A volume with a file system on a loop device. Its snapshots are copies of its image, mounted as a pod would have them, and uploaded by
 * the uploader into a repository of the real kopia.
 */
export async function changedFilesRig(
  fileSystem: FileSystem,
  sizeBytes = 320 * MiB,
  makeOptions: readonly string[] = [],
) {
  const rig = await sessionRig();
  const at = (name: string) => join(rig.directory, name);
  const [live, mounted] = [at('live'), at('mounted')];
  await Promise.all([mkdir(live), mkdir(mounted)]);
  await sh('truncate -s "$1" "$2"', String(sizeBytes), at('live.img'));
  const force = fileSystem === 'ext4' ? ['-F', '-E', 'nodiscard'] : [];
  await execute(`mkfs.${fileSystem}`, ['-q', ...force, ...makeOptions, at('live.img')]);
  const options = fileSystem === 'xfs' ? 'loop,nouuid' : 'loop';
  const mountLive = () => sh('mount -o "$1" "$2" "$3"', options, at('live.img'), live);
  await mountLive();
  await rig.kopia(['policy', 'set', `default@default:${volumeSource.path}`, '--splitter=FIXED-128K']);
  const log = recordingLog();
  const kopia = await openKopiaSession(rig.target(), rig.engine);
  let baseID: string | undefined;
  let granule = blockBytes;
  let splicedBytes = 0;
  let composedBytes = 0;

  /** Differences between the raw images of the last two snapshots, in granules: the answer of a correct driver. */
  const changes = async (): Promise<RangeList> => {
    const list = new RangeList({ sizeBytes, chunkBytes: 128 * 1024 });
    for (const range of await differing(at('before.img'), at('now.img'), granule)) list.add(range);
    return list;
  };
  const fileSplice: FileSplice = {
    changesOf: async () =>
      baseID === undefined
        ? { kind: 'full', reason: 'first backup of the volume' }
        : { kind: 'changes', baseID, changed: await changes() },
    spliceFiles: async (request) => {
      const options = {
        open: (stop: AbortSignal) => rig.open(undefined, stop),
        clock: systemClock,
        random: systemRandom,
      };
      const made = await spliceFiles(options, request);
      splicedBytes = made.readBytes;
      const isComposed = ({ path }: { path: string }) => made.files.get(path)?.kind === 'compared';
      composedBytes = request.files.filter(isComposed).reduce((sum, { sizeBytes: bytes }) => sum + bytes, 0);
      return made;
    },
  };
  const uploader = kopiaUploader({
    session: kopia,
    clock: systemClock,
    random: systemRandom,
    programs: systemPrograms({
      clock: systemClock,
      graceMs: 5_000,
      path: process.env.PATH,
      scratchDirectory: rig.workDirectory,
    }),
    log,
    block: systemBlock({ clock: systemClock, graceMs: 5_000, scratchDirectory: rig.workDirectory }),
    fileSplice,
    parallelFiles: 2,
    discardMs: 30_000,
    flush: async () => {},
  });
  const unmount = () => sh('mountpoint -q "$1" && umount "$1" || true', mounted);

  return {
    ...rig,
    live,
    mounted,
    log,
    /** Total size of the files that the last upload composed. */
    composedBytes: () => composedBytes,
    setGranule: (bytes: number) => {
      granule = bytes;
    },
    /**
     * Takes a snapshot of the volume as it is on the disk, and mounts a copy of it. `crash`: unwritten data is lost, and the journal has to
     * be replayed.
     */
    snapshot: async ({ crash = false, mount = options }: { crash?: boolean; mount?: string } = {}): Promise<void> => {
      await unmount();
      if (crash) await sh('xfs_io -x -c shutdown "$1"', live);
      await sh('umount "$1"', live);
      await sh(
        '[ -e "$2" ] && mv "$2" "$1" || true; cp --sparse=always "$3" "$2"; cp --sparse=always "$3" "$4"',
        at('before.img'),
        at('now.img'),
        at('live.img'),
        at('mounted.img'),
      );
      // A namespace that another test has copied meanwhile keeps the file system that is shut down, and with the same image `mount` would find it again.
      if (crash) await sh('cp --sparse=always "$1" "$2"; mv "$2" "$1"', at('live.img'), at('live.next'));
      await mountLive();
      await sh('mount -o "$1" "$2" "$3"', mount, at('mounted.img'), mounted);
    },
    upload: async (config: Record<string, string> = {}): Promise<Uploaded> => {
      [splicedBytes, composedBytes] = [0, 0];
      const before = rig.seen.length;
      const result = await uploader.upload({
        volumePath: mounted,
        volumeMode: 'Filesystem',
        source: volumeSource,
        config: { ChangedBlocksInFiles: 'true', ChangedBlocksInFilesMinMiB: '4', ...config },
        onProgress: () => {},
        signal: never,
      });
      baseID = result.snapshotID;
      return { ...result, splicedBytes, runs: rig.seen.slice(before) };
    },
    /** Compares what the plain program restores with the mounted snapshot, byte for byte. */
    expectRestored: async (id: string): Promise<void> => {
      const target = at('restored');
      await rm(target, { recursive: true, force: true });
      await rig.kopia(['restore', id, target, '--no-progress']);
      await sh('diff -r --no-dereference --exclude=lost+found "$1" "$2"', mounted, target);
      await rm(target, { recursive: true, force: true });
    },
    verify: () => rig.kopia(['snapshot', 'verify', '--verify-files-percent=100', '--no-progress']),
    manifest: async (id: string) =>
      JSON.parse((await rig.kopia(['manifest', 'show', id])).replaceAll(/^\/\/.*$/gm, '')) as Record<string, unknown>,
    /** IDs of all snapshots of the volume, including incomplete ones. */
    snapshots: async (): Promise<string[]> =>
      (JSON.parse(await rig.kopia(['manifest', 'list', '--filter=type:snapshot', '--json'])) as { id: string }[]).map(
        ({ id }) => id,
      ),
    close: async () => {
      await unmount();
      await sh('mountpoint -q "$1" && umount "$1" || true', live);
      await kopia.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

export type ChangedFilesRig = Awaited<ReturnType<typeof changedFilesRig>>;

async function differing(one: string, other: string, granule: number): Promise<ByteRange[]> {
  const ranges: ByteRange[] = [];
  await using a = await open(one);
  await using b = await open(other);
  const pieceBytes = Math.max(granule, 4 * MiB);
  const [left, right] = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)];
  for (let at = 0; ; at += pieceBytes) {
    const { bytesRead } = await a.read(left, 0, pieceBytes, at);
    await b.read(right, 0, pieceBytes, at);
    if (bytesRead === 0) return ranges;
    if (left.equals(right)) continue;
    for (let inner = 0; inner < bytesRead; inner += granule) {
      const length = Math.min(granule, bytesRead - inner);
      if (!left.subarray(inner, inner + length).equals(right.subarray(inner, inner + length)))
        ranges.push({ offset: at + inner, length });
    }
  }
}
