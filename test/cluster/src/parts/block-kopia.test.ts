import { execFileSync } from 'node:child_process';
import { createReadStream, truncateSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts, silentProgress } from '@lateen/cluster';
import { AppError } from '@lateen/errors';
import { systemClock, systemRandom } from '@lateen/kernel';
import { dataUploadSource } from '@lateen/repository';
import { type RecordingLog, recordingLog } from '@lateen/testing';
import { kopiaUploader, systemBlock } from '@lateen/uploader';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FilesystemSession, filesystemSession } from '../repository/filesystem-session.ts';

const MiB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;

let base: string;
let session: FilesystemSession;
let log: RecordingLog;
let directory: string;
let loops: string[];

beforeAll(async () => {
  const { kopia = '' } = await ensureParts(['kopia'], silentProgress);
  base = await mkdtemp(join(tmpdir(), 'lateen-block-'));
  session = await filesystemSession(kopia, base);
}, 900_000);
afterAll(() => rm(base, { recursive: true, force: true }));
beforeEach(async () => {
  directory = await mkdtemp(join(base, 'case-'));
  loops = [];
});
afterEach(async () => {
  for (const loop of loops) sh('losetup --detach "$1"', loop);
  await rm(directory, { recursive: true, force: true });
});

const sh = (script: string, ...args: string[]) =>
  execFileSync('bash', ['-euc', script, 'bash', ...args], { encoding: 'utf8', maxBuffer: 64 * MiB });

/** A real device; filled with noise when its free space matters. */
function aDevice(name: string, bytes: number, noisy = false): { device: string; file: string } {
  const file = join(directory, name);
  const noise = 'openssl enc -aes-128-ctr -K 00 -iv 00 < /dev/zero 2>/dev/null | head -c "$2" > "$1" || true';
  sh(noisy ? noise : 'truncate -s "$2" "$1"', file, String(bytes));
  const device = sh('losetup --find --show "$1"', file).trim();
  loops.push(device);
  return { device, file };
}

function uploader() {
  log = recordingLog();
  return kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: { run: () => Promise.reject(new Error('a device has no files')) },
    block: systemBlock({ clock: systemClock, graceMs: 5_000, scratchDirectory: directory }),
    log,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
}

const request = (volumePath: string, config: Record<string, string> = {}, signal = never) => ({
  volumePath,
  volumeMode: 'Block' as const,
  source: dataUploadSource('shop', 'block', 'op-1'),
  config,
  onProgress: () => {},
  signal,
});

const snapshots = async (): Promise<{ id: string }[]> =>
  JSON.parse((await session.run(['snapshot', 'list', '--all', '--incomplete', '--json'])).stdout);
const allocatedBytes = (file: string) => Number(sh('du --block-size=1 "$1" | cut -f1', file));

/** Creates, grows, shrinks and deletes files, so that free space is full of old data and used space is fragmented. */
const lived = `
  for i in $(seq 0 59); do head -c $(( (i * 7919) % 900000 + 10 )) /dev/urandom > "$m/f$i"; done
  for i in $(seq 0 3 59); do rm "$m/f$i"; done; sync
  mkdir "$m/d"; for i in $(seq 400); do echo $i > "$m/d/$i"; done
  truncate -s 50M "$m/hole"; printf end >> "$m/hole"; truncate -s 1000 "$m/f1"
  for i in $(seq 2 9 59); do head -c 30000 /dev/urandom >> "$m/f$i"; sync; done
  cp --reflink=auto "$m/f4" "$m/copy"; ln -s f4 "$m/link"; rm -r "$m"/d/1*`;
const tree = `(cd "$m"; find . -printf '%P %y %m %s %l\\n' | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum)`;
const mounted = (body: string, device: string, options: string) =>
  sh(
    `m="$2"; mkdir -p "$m"; mount -o "$3" "$1" "$m"; trap 'umount "$m"' EXIT; ${body}`,
    device,
    join(directory, 'mount'),
    options,
  );

describe.skipIf(!isRoot)('block volumes through the real kopia', () => {
  it.each([
    ['ext4', 256, 'mkfs.ext4 -q -F -E nodiscard', 'e2fsck -fn'],
    ['xfs', 320, 'mkfs.xfs -q -f -K', 'xfs_repair -n'],
    ['btrfs', 256, 'mkfs.btrfs -q -f --nodiscard', 'btrfs check --readonly'],
  ])(
    'a clean %s is restored as the same tree on a consistent file system, without reading its free space',
    async (kind, sizeMiB, make, check) => {
      const [from, to] = [aDevice('from', sizeMiB * MiB, true), aDevice('to', sizeMiB * MiB)];
      sh(`${make} "$1"`, from.device);
      mounted(lived, from.device, 'rw');
      const before = mounted(tree, from.device, 'ro');
      expect(before.split('\n').length).toBeGreaterThan(200);
      const { snapshotID, totalBytes, incrementalBytes } = await uploader().upload(request(from.device));
      expect(totalBytes).toBe(sizeMiB * MiB);
      expect(incrementalBytes).toBeLessThan(totalBytes * 0.6);
      expect(JSON.stringify(log.lines)).toContain(`"fileSystem":"${kind}"`);
      await uploader().download({ ...request(to.device), snapshotID });
      // A new volume stays as sparse as the snapshot is.
      expect(allocatedBytes(to.file)).toBeLessThan(totalBytes * 0.6);
      expect(mounted(tree, to.device, 'ro')).toBe(before);
      sh(`${check} "$1" 2>&1`, to.device);
    },
  );

  it.each(['ext4', 'xfs'])('a %s that was copied while it was mounted is restored byte for byte', async (kind) => {
    const [live, copy] = [aDevice('live', 320 * MiB), aDevice('copy', 320 * MiB, true)];
    sh(`mkfs.${kind} -q "$1"`, live.device);
    mounted(`${lived}; sync; dd if="$1" of="${copy.device}" bs=1M conv=fsync status=none`, live.device, 'rw');
    const to = aDevice('to', 320 * MiB, true);
    const { snapshotID, totalBytes, incrementalBytes } = await uploader().upload(request(copy.device));
    expect(incrementalBytes).toBe(totalBytes);
    expect(JSON.stringify(log.lines)).toContain('has not been written back');
    await uploader().download({ ...request(to.device), snapshotID });
    sh('cmp "$1" "$2"', copy.device, to.device);
  });

  it('reads a snapshot in Velero’s form, and creates one: a directory with one file with the device’s name', async () => {
    const [from, to] = [aDevice('from', 8 * MiB, true), aDevice('to', 16 * MiB)];
    const named = `/${systemRandom.uuid()}`;
    const stdin = createReadStream(from.device);
    const args = [
      'snapshot',
      'create',
      '/any/where',
      `--stdin-file=${named}`,
      '--json',
      '--override-source=default@default:snapshot-data-upload-download/kopia/shop/reference',
    ];
    const theirs: { id: string } = JSON.parse((await session.run(args, { stdin })).stdout);
    await uploader().download({ ...request(to.device), snapshotID: theirs.id });
    sh('cmp -n "$3" "$1" "$2"', from.device, to.device, String(8 * MiB));
    const { snapshotID } = await uploader().upload(request(from.device));
    const listed = (await session.run(['ls', '-l', snapshotID])).stdout.trim();
    expect(listed).toMatch(new RegExp(`^-rwxrwxrwx +${8 * MiB} .* I?\\w+ +${from.device}$`));
    const mine = (await snapshots()).find(({ id }) => id === snapshotID);
    expect(mine).toMatchObject({
      source: { host: 'default', userName: 'default', path: 'snapshot-data-upload-download/kopia/shop/block' },
      description: 'Kopia Uploader',
      pins: ['velero-pin'],
    });
  });

  it('fails at the offset where the device cannot be read, and leaves no snapshot', async () => {
    const { device, file } = aDevice('broken', 16 * MiB, true);
    const before = await snapshots();
    // The kernel answers reads beyond the end of a loop device's file with an input/output error.
    sh('blockdev --flushbufs "$1"', device);
    truncateSync(file, 9 * MiB);
    await expect(uploader().upload(request(device))).rejects.toMatchObject({
      code: 'BLOCK_READ_FAILED',
      message: expect.stringMatching(new RegExp(`${device} failed at offset \\d+: EIO`)),
    });
    expect(await snapshots()).toEqual(before);
  });

  it('ends on a cancel while the device is read, leaves no snapshot, and the repository stays usable', async () => {
    const { device } = aDevice('big', 128 * MiB, true);
    const before = await snapshots();
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const cancelled = uploader().upload({
      ...request(device, {}, abort.signal),
      onProgress: ({ doneBytes = 0 }) => doneBytes > 20 * MiB && abort.abort(reason),
    });
    await expect(cancelled).rejects.toBe(reason);
    expect(await snapshots()).toEqual(before);
    const { snapshotID } = await uploader().upload(request(device));
    const verified = await session.run(['snapshot', 'verify', '--verify-files-percent=100', snapshotID]);
    expect(verified.exitCode).toBe(0);
  });

  it('ends on a cancel while the device is written', async () => {
    const [from, to] = [aDevice('from', 64 * MiB, true), aDevice('to', 64 * MiB)];
    const { snapshotID } = await uploader().upload(request(from.device));
    const abort = new AbortController();
    const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
    const cancelled = uploader().download({
      ...request(to.device, {}, abort.signal),
      snapshotID,
      onProgress: ({ doneBytes = 0 }) => doneBytes > 8 * MiB && abort.abort(reason),
    });
    await expect(cancelled).rejects.toBe(reason);
    await uploader().download({ ...request(to.device), snapshotID });
    sh('cmp "$1" "$2"', from.device, to.device);
  });
});
