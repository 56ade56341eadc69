import type { CommandResult, RunCommand } from '../host/run-command.ts';
import { volumeError } from '../volume-error.ts';
import { emptyContent, type FakeDisk, type FakeFile, fakeBlockBytes } from './fake-disk.ts';
import { fakeMount, fakeUmount } from './fake-mounts.ts';

type Command = (disk: FakeDisk, args: string[]) => { stdout?: string; exitCode?: number; stderr?: string } | undefined;

/** The host's programs, as far as the driver uses them, on a {@link FakeDisk}. An unknown program fails. */
export function fakeCommands(disk: FakeDisk): RunCommand {
  return async (command, args, options): Promise<CommandResult> => {
    options.signal.throwIfAborted();
    const program = programs[command];
    if (program === undefined) throw new Error(`the fake machine has no ${command}`);
    const { stdout = '', exitCode = 0, stderr = '' } = program(disk, [...args]) ?? {};
    if ((options.okExitCodes ?? [0]).includes(exitCode)) return { stdout, exitCode };
    throw volumeError('COMMAND_FAILED', `${command} failed: ${stderr}`, { details: { command, exitCode, stderr } });
  };
}

const last = (args: string[]) => args.at(-1) ?? '';

const programs: Record<string, Command> = {
  losetup,
  blkid: (disk, args) => {
    // Like the real program: it finds nothing and prints nothing.
    if (disk.unreadable.has(last(args))) return { exitCode: 2 };
    const { fileSystem } = disk.contentOf(last(args)).content;
    return fileSystem === undefined ? { exitCode: 2 } : { stdout: `${fileSystem.type}\n` };
  },
  dd: (disk, args) => {
    const path = args.find((arg) => arg.startsWith('if='))?.slice(3) ?? '';
    const bound = disk.mounts.find(({ mountPoint }) => mountPoint === path);
    const device = bound === undefined ? path : `/dev${bound.root}`;
    const isThere = disk.loops.some(({ name }) => name === device);
    return isThere && !disk.unreadable.has(device) ? undefined : { exitCode: 1, stderr: 'Input/output error' };
  },
  blkdiscard: (disk, args) => {
    disk.contentOf(last(args)).content = emptyContent();
    return undefined;
  },
  lsblk: (disk, args) => {
    const loop = disk.loops.find(({ name }) => name === last(args));
    if (loop === undefined) return { exitCode: 32, stderr: `${last(args)}: not a block device` };
    const row = { path: loop.name, 'maj:min': loop.device, size: loop.sizeBytes };
    return { stdout: JSON.stringify({ blockdevices: [row] }) };
  },
  'mkfs.ext4': (disk, args) => makeFileSystem(disk, last(args), 'ext4'),
  'mkfs.xfs': (disk, args) => makeFileSystem(disk, last(args), 'xfs'),
  mount: fakeMount,
  umount: fakeUmount,
  sync: () => undefined,
  xfs_io: fiemap,
  cp: (disk, args) => {
    const [from, to] = args.slice(-2);
    if (args.includes('--reflink=always') && !disk.hasReflink)
      return { exitCode: 1, stderr: 'Operation not supported' };
    return copy(disk, from ?? '', to ?? '');
  },
  sh: (disk, [, , , mountPoint = '', from = '', to = '']) => {
    if (!disk.mounts.some((mount) => mount.mountPoint === mountPoint)) return { exitCode: 92, stderr: 'no such mount' };
    return copy(disk, from, to);
  },
  fsfreeze: (disk, args) => {
    const mount = disk.mounts.find(({ mountPoint }) => mountPoint === last(args));
    if (mount === undefined || !disk.frozen.delete(mount.device)) return { exitCode: 1, stderr: 'Invalid argument' };
    return undefined;
  },
  e2fsck: (disk, args) => {
    const { fileSystem } = disk.contentOf(last(args)).content;
    return fileSystem?.whole === false ? { exitCode: 4, stderr: 'UNEXPECTED INCONSISTENCY' } : undefined;
  },
  resize2fs: (disk, args) => {
    const loop = disk.loops.find(({ name }) => name === last(args));
    const isMounted = disk.mounts.some(({ device }) => device === loop?.device);
    if (isMounted && !disk.growsExt4Online) return { exitCode: 1, stderr: 'Permission denied to resize filesystem' };
    return grow(disk.contentOf(last(args)), loop?.sizeBytes ?? 0);
  },
  xfs_growfs: (disk, args) => {
    const mount = disk.mounts.find(({ mountPoint }) => mountPoint === last(args));
    if (mount === undefined || mount.superReadOnly) return { exitCode: 1, stderr: 'Read-only file system' };
    const loop = disk.loops.find(({ device }) => device === mount.device);
    return grow(disk.contentOf(loop?.name ?? ''), loop?.sizeBytes ?? 0);
  },
};

function losetup(disk: FakeDisk, args: string[]) {
  if (args[0] === '--list') {
    const loopdevices = disk.loops.map((loop) => ({
      name: loop.name,
      'maj:min': loop.device,
      'back-ino': loop.inode,
      'back-file': loop.file,
      'back-maj:min': ' 254:0 ',
      sizelimit: 0,
      ro: loop.readOnly,
      autoclear: false,
    }));
    return { stdout: JSON.stringify({ loopdevices }) };
  }
  if (args[0] === '--detach') {
    const at = disk.loops.findIndex(({ name }) => name === last(args));
    if (at >= 0) disk.loops.splice(at, 1);
    return undefined;
  }
  if (args[0] === '--set-capacity') {
    const loop = disk.loops.find(({ name }) => name === last(args));
    if (loop !== undefined) loop.sizeBytes = disk.contentOf(loop.name).sizeBytes;
    return undefined;
  }
  const file = disk.files.get(last(args));
  if (file === undefined) return { exitCode: 1, stderr: 'No such file or directory' };
  const used = new Set(disk.loops.map(({ device }) => device));
  const minor = Array.from({ length: 99 }, (_, at) => at).find((at) => !used.has(`7:${at}`)) ?? 99;
  const device = { name: `/dev/loop${minor}`, device: `7:${minor}`, inode: file.inode, file: last(args) };
  disk.loops.push({ ...device, readOnly: args.includes('--read-only'), sizeBytes: file.sizeBytes });
  return undefined;
}

/** `-r -c "fiemap -v -n LINES AT LENGTH" FILE`: one line for each block, in sectors. */
function fiemap(disk: FakeDisk, args: string[]) {
  const file = disk.files.get(last(args));
  const [lines = 0, at = 0, length = 0] = (args[2] ?? '').split(' ').slice(3).map(Number);
  if (file === undefined) return { exitCode: 1, stderr: 'No such file or directory' };
  const sectors = fakeBlockBytes / 512;
  const found = [...file.content.blocks]
    .filter(([block]) => (block + 1) * fakeBlockBytes > at && block * fakeBlockBytes < at + length)
    .sort(([a], [b]) => a - b)
    .slice(0, lines);
  const rows = found.map(([block, { home }], index) => {
    const own = `[${block * sectors}..${(block + 1) * sectors - 1}]`;
    return `   ${index}: ${own}: ${home * sectors}..${(home + 1) * sectors - 1} ${sectors} 0x2000\n`;
  });
  return { stdout: `${last(args)}:\n EXT: FILE-OFFSET BLOCK-RANGE TOTAL FLAGS\n${rows.join('')}` };
}

function makeFileSystem(disk: FakeDisk, device: string, type: string) {
  const file = disk.contentOf(device);
  if (file.content.fileSystem?.whole === false) return { exitCode: 1, stderr: 'the device is not zeroed' };
  file.content.fileSystem = { type, sizeBytes: file.sizeBytes, whole: true };
  return undefined;
}

function copy(disk: FakeDisk, from: string, to: string) {
  const source = disk.files.get(from);
  if (source === undefined) return { exitCode: 1, stderr: `${from}: No such file` };
  disk.makeFile(to, source.sizeBytes).content = structuredClone(source.content);
  return undefined;
}

function grow(file: FakeFile, sizeBytes: number): undefined {
  if (file.content.fileSystem !== undefined) file.content.fileSystem.sizeBytes = sizeBytes;
  return undefined;
}
