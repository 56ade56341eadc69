import { volumeError } from '../volume-error.ts';
import { type Host, runQuick } from './host.ts';

/** A loop device on one of our backing files. */
export interface LoopDevice {
  /** `/dev/loop3` */
  path: string;
  /** `7:3` */
  device: string;
  backingFile: string;
  /** 0 when the kernel cannot say, since the program that serves the file system has ended; no file has it. */
  inode: number;
  /** The file system that the backing file is on, `0:57`; empty when the kernel cannot say. */
  backingDevice: string;
  /** The device is no longer than this; 0 is as long as the file. */
  sizeLimitBytes: number;
  readOnly: boolean;
  /**
   * Detached, but something still has it open (another mount namespace, a program that lists devices). It goes away at
   * any moment, and its number may then be another file's: never used, only waited for.
   */
  isLeaving: boolean;
}

/** How long an attach waits for a device that is leaving, and how often it looks. */
const leavingWaitMs = 5_000;
const leavingPollMs = 50;

const columns = 'NAME,MAJ:MIN,BACK-INO,BACK-FILE,BACK-MAJ:MIN,SIZELIMIT,RO,AUTOCLEAR';

interface LosetupRow {
  name: string;
  'maj:min': string;
  /** None when the program that serves its file system has ended. */
  'back-ino': number | null;
  'back-file': string | null;
  'back-maj:min': string | null;
  sizelimit: number;
  ro: boolean;
  autoclear: boolean;
}

/** Every loop device of the machine. */
export async function listLoops(host: Host, signal: AbortSignal): Promise<LoopDevice[]> {
  const { stdout } = await runQuick(host, signal, 'losetup', ['--list', '--json', '--output', columns]);
  if (stdout.trim() === '') return [];
  const rows = (JSON.parse(stdout) as { loopdevices: LosetupRow[] }).loopdevices;
  return rows.map((row) => ({
    path: row.name,
    device: row['maj:min'].trim(),
    backingFile: row['back-file'] ?? '',
    inode: row['back-ino'] ?? 0,
    backingDevice: (row['back-maj:min'] ?? '').trim(),
    sizeLimitBytes: row.sizelimit,
    readOnly: row.ro,
    isLeaving: row.autoclear,
  }));
}

/**
 * The loop devices on a backing file. Found by inode and file name: the directory part differs between a container
 * and its host, and inodes alone repeat on other file systems.
 */
export async function loopsOf(host: Host, file: string, signal: AbortSignal): Promise<LoopDevice[]> {
  const facts = await host.files.facts(file);
  if (facts === undefined) return [];
  const name = file.slice(file.lastIndexOf('/'));
  return (await listLoops(host, signal)).filter(
    (loop) => loop.inode === facts.inode && loop.backingFile.endsWith(name),
  );
}

/**
 * The file's loop device of this kind, attached if need be, as large as the file is now. Idempotent.
 * @throws AppError `ABORTED`, retry `soon`, while an earlier device of the file is still open somewhere: two devices
 * on one file would be two caches, and two mounts of one file system.
 */
export async function ensureLoop(
  host: Host,
  file: string,
  options: { readOnly: boolean; signal: AbortSignal },
): Promise<LoopDevice> {
  await leavingGone(host, file, options.signal);
  const found = await findLoop(host, file, options);
  if (found !== undefined) {
    await runQuick(host, options.signal, 'losetup', ['--set-capacity', found.path]);
    return found;
  }
  await attachLoop(host, file, options);
  const attached = await findLoop(host, file, options);
  if (attached === undefined) throw volumeError('ABORTED', `the loop device of ${file} went away`, { retry: 'soon' });
  return attached;
}

/** Detaches a device. When something has it open the kernel does so at the last close. Absent is fine. */
export async function detachLoop(host: Host, loop: LoopDevice, signal: AbortSignal): Promise<void> {
  await runQuick(host, signal, 'losetup', ['--detach', loop.path]);
}

/** Resolves when no device of the file is leaving any more. @throws AppError `ABORTED`, retry `soon`, when that takes long */
export async function leavingGone(host: Host, file: string, signal: AbortSignal): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += leavingPollMs) {
    const leaving = (await loopsOf(host, file, signal)).find(({ isLeaving }) => isLeaving);
    if (leaving === undefined) return;
    if (waitedMs >= leavingWaitMs) {
      throw volumeError(
        'ABORTED',
        `${leaving.path}, the device of an earlier mount of ${file}, is still open somewhere`,
        {
          retry: 'soon',
          nextStep: 'Search /proc/*/mountinfo for another mount namespace that has it.',
        },
      );
    }
    await host.clock.sleep(leavingPollMs, signal);
  }
}

async function findLoop(host: Host, file: string, options: { readOnly: boolean; signal: AbortSignal }) {
  const loops = await loopsOf(host, file, options.signal);
  return loops.find((loop) => loop.readOnly === options.readOnly);
}

/**
 * A new device on a file, whether or not it has one already: {@link ensureLoop} is for files that may.
 *
 * Direct I/O, so that data is not cached twice (in the volume's file system and in the backing file's). The sector size is
 * fixed: for a file with shared extents (a clone, or the origin of one) Linux 6.18 otherwise chooses 4096, and an XFS
 * made with 512 cannot be mounted there. The kernel then goes without direct I/O where it has to.
 */
export async function attachLoop(
  host: Host,
  file: string,
  options: { readOnly: boolean; sizeLimitBytes?: number; signal: AbortSignal },
): Promise<void> {
  const kind = options.readOnly ? ['--read-only'] : [];
  const limit = options.sizeLimitBytes === undefined ? [] : [`--sizelimit=${options.sizeLimitBytes}`];
  const args = ['--find', '--direct-io=on', '--sector-size=512', ...kind, ...limit, file];
  await runQuick(host, options.signal, 'losetup', args);
}
