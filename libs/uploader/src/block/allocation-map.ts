import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@lateen/kernel';
import type { EngineExit, EngineProcess } from '@lateen/repository';
import type { BlockDevice } from './block-device.ts';
import { btrfsState, btrfsSuperblockAt } from './btrfs-state.ts';
import { type ByteRange, gapsOf, joinRanges, lengthOf } from './byte-ranges.ts';
import { domainLogBytesMax, parseDomainLog } from './domain-log.ts';
import { ext4State, ext4SuperblockAt } from './ext4-state.ts';
import { type FileSystemState, type Unsure, unsure } from './file-system-state.ts';
import { xfsState, xfsSuperblock, xfsSuperblockAt } from './xfs-state.ts';

/** Programs that look into a device: blkid (util-linux), partclone, xfs_logprint (xfsprogs). */
export type DeviceTools = (program: string) => EngineProcess;

export interface AllocationMapOptions {
  tools: DeviceTools;
  /** For the map, while it is being made; a directory. */
  scratchDirectory: string;
  log: Logger;
  signal: AbortSignal;
}

/** Boot code and labels of other programs are here; it is read whatever the map says. */
const headBytes = 1024 * 1024;
/** To read a small gap costs less than to skip it. */
export const gapBytes = 64 * 1024;

/**
 * The ranges of a device that have to be read: those that a clean file system on it marks as used, and everything outside of the
 * file system. When the map cannot be trusted, that is the whole device, and the log says why (docs/adr/0010). Only reads.
 * @throws BLOCK_READ_FAILED; the signal's reason
 */
export async function rangesToRead(device: BlockDevice, options: AllocationMapOptions): Promise<ByteRange[]> {
  const found = await usedRanges(device, options);
  options.signal.throwIfAborted();
  const whole = [{ start: 0, end: device.sizeBytes }];
  if ('why' in found) {
    options.log.info({ device: device.path, why: found.why }, 'the whole device is read');
    return whole;
  }
  const ranges = joinRanges(found.used, gapBytes);
  const usedBytes = lengthOf(ranges);
  const facts = { device: device.path, fileSystem: found.kind, usedBytes, sizeBytes: device.sizeBytes };
  options.log.info(facts, 'what the file system does not use is not read');
  return ranges;
}

async function usedRanges(
  device: BlockDevice,
  options: AllocationMapOptions,
): Promise<{ kind: string; used: ByteRange[] } | Unsure> {
  const state = await fileSystemState(device);
  if ('why' in state) return state;
  if (state.sizeBytes > device.sizeBytes) return unsure(`its ${state.kind} is larger than the device`);
  const doubt = (await doubtOfOthers(device, state, options)) ?? (await doubtOfLog(device, state, options));
  if (doubt !== undefined) return doubt;
  const text = await partcloneLog(device, state, options);
  return typeof text === 'string' ? checkedMap(text, state, device.sizeBytes) : text;
}

/** The domain log goes to a file: partclone opens its output by path, and our end of a child's standard output is a socket. */
async function partcloneLog(
  device: BlockDevice,
  { kind }: FileSystemState,
  options: AllocationMapOptions,
): Promise<string | Unsure> {
  const directory = await mkdtemp(join(options.scratchDirectory, 'block-map-'));
  try {
    const file = join(directory, 'domain.log');
    const quiet = ['--quiet', '--no_block_detail', '--logfile=/dev/null'];
    // partclone waits for its progress thread, also when no progress is shown: by default up to two seconds.
    const args = [
      ...quiet,
      '--UI-fresh=0',
      '--ignore_fschk',
      '--domain',
      `--source=${device.path}`,
      `--output=${file}`,
    ];
    const exit = await run(options, `partclone.${kind}`, args);
    if (exit === undefined || exit.exitCode !== 0) return unsure(`partclone cannot map its ${kind}${said(exit)}`);
    const { size } = await stat(file);
    return size > domainLogBytesMax ? unsure(`the map of its ${kind} has ${size} bytes`) : await readFile(file, 'utf8');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Programs for administrators are not on every PATH; partclone expects a terminal type. */
const toolEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TERM: 'dumb' };

/** Reads the superblocks from the device before any program looks at them. */
async function fileSystemState(device: BlockDevice): Promise<FileSystemState | Unsure> {
  const { offset, length } = btrfsSuperblockAt;
  if (device.sizeBytes < headBytes) return unsure('it is smaller than any file system');
  const head = Buffer.alloc(offset + length);
  await device.read(head, 0);
  // The device may have got a partition table while the superblock of an older file system is still there.
  if (head.readUInt16LE(510) === 0xaa55) return unsure('it has a partition table or boot sector');
  const at = (place: { offset: number; length: number }) => head.subarray(place.offset, place.offset + place.length);
  const xfs = xfsSuperblock(at(xfsSuperblockAt));
  if (xfs !== undefined) return 'why' in xfs ? xfs : xfsState(device, xfs);
  return (
    ext4State(at(ext4SuperblockAt)) ?? btrfsState(at(btrfsSuperblockAt)) ?? unsure('it has no file system that we know')
  );
}

/** blkid knows hundreds of signatures, and reports an ambivalent result when it finds more than one. */
async function doubtOfOthers(
  device: BlockDevice,
  { kind }: FileSystemState,
  options: AllocationMapOptions,
): Promise<Unsure | undefined> {
  const exit = await run(options, 'blkid', ['--probe', '--output=export', device.path]);
  if (exit === undefined) return unsure('blkid is missing, which would say whether it holds anything else');
  const lines = exit.stdout.split('\n');
  const type = lines.find((line) => line.startsWith('TYPE='))?.slice('TYPE='.length);
  const isOurs = type === kind || (kind === 'ext4' && (type === 'ext2' || type === 'ext3'));
  const hasTable = lines.some((line) => line.startsWith('PTTYPE='));
  if (exit.exitCode === 0 && isOurs && !hasTable) return undefined;
  return unsure(`blkid is not sure that it is ${kind}${said(exit)}`);
}

/** The superblock of XFS does not say whether its log has been written back. */
async function doubtOfLog(
  device: BlockDevice,
  { kind }: FileSystemState,
  options: AllocationMapOptions,
): Promise<Unsure | undefined> {
  if (kind !== 'xfs') return undefined;
  const exit = await run(options, 'xfs_logprint', ['-t', device.path]);
  if (exit?.exitCode === 0 && /^\s*log tail: .* state: <CLEAN>$/m.test(exit.stdout)) return undefined;
  return unsure('its XFS log has not been written back');
}

/** Compares the map with the file system's own counters, so that a map which marks a used block as free is detected. */
function checkedMap(
  text: string,
  state: FileSystemState,
  deviceBytes: number,
): { kind: string; used: ByteRange[] } | Unsure {
  const { kind, sizeBytes, blockBytes } = state;
  let map: { used: ByteRange[]; endBytes: number };
  try {
    map = parseDomainLog(text);
  } catch (error) {
    return unsure(error instanceof Error ? error.message : String(error));
  }
  const end = Math.min(map.endBytes, sizeBytes);
  if (end < sizeBytes - blockBytes) {
    return unsure(`the map covers ${map.endBytes} of ${sizeBytes} bytes of its ${kind}`);
  }
  const freeBytes = lengthOf(gapsOf(joinRanges(map.used), end));
  if (freeBytes < state.freeBytesMin || freeBytes > state.freeBytesMax) {
    return unsure(`the map has ${freeBytes} bytes free, which is not what its ${kind} counts`);
  }
  const outside = { start: end, end: deviceBytes };
  return { kind, used: [{ start: 0, end: headBytes }, ...map.used, outside] };
}

/** Undefined when there is no such program. */
async function run(options: AllocationMapOptions, program: string, args: string[]): Promise<EngineExit | undefined> {
  try {
    return await options.tools(program).run({ args, env: toolEnvironment, signal: options.signal });
  } catch (error) {
    options.signal.throwIfAborted();
    options.log.debug({ err: error, program }, 'cannot be run');
    return undefined;
  }
}

/** The last line with a message: after it partclone prints where its log is. */
const said = (exit: EngineExit | undefined): string => {
  const lines = (exit?.stderr ?? '').split('\n').map((line) => line.trim());
  const last = lines.findLast((line) => line !== '' && !/please check|^Error exit$/.test(line));
  return last === undefined ? '' : `: ${last.slice(0, 200)}`;
};
