import type { FakeDisk } from './fake-disk.ts';

/** mount(8), as the driver calls it: `-t TYPE [-o FLAGS] DEVICE DIR`, `--bind FROM TO`, `-o remount,bind,ro DIR`, `-o remount,ro DIR`. */
export function fakeMount(disk: FakeDisk, args: string[]) {
  const [from = '', to = ''] = args.slice(-2);
  if (args[0] === '-o') {
    const mount = disk.mounts.findLast(({ mountPoint }) => mountPoint === to);
    if (mount === undefined) return { exitCode: 32, stderr: 'not mounted' };
    if (args[1] === 'remount,ro') mount.superReadOnly = true;
    else mount.readOnly = true;
    return undefined;
  }
  if (!disk.directories.has(to) && !disk.files.has(to)) return { exitCode: 32, stderr: 'no mount point' };
  if (args[0] === '--bind') {
    const origin = disk.mounts.findLast(({ mountPoint }) => mountPoint === from);
    const node = { device: '0:5', root: from.slice('/dev'.length), fileSystem: 'devtmpfs', source: 'devtmpfs' };
    const isNode = disk.loops.some(({ name }) => name === from);
    if (origin === undefined && !isNode) return { exitCode: 32, stderr: `${from} is not there` };
    disk.mounts.push({ ...(origin ?? node), mountPoint: to, readOnly: false });
    return undefined;
  }
  const loop = disk.loops.find(({ name }) => name === from);
  const { fileSystem } = disk.contentOf(from).content;
  if (loop === undefined || fileSystem === undefined || fileSystem.type !== args[1] || !fileSystem.whole) {
    return { exitCode: 32, stderr: 'wrong fs type, bad option, bad superblock' };
  }
  const mount = { device: loop.device, root: '/', fileSystem: fileSystem.type, source: from };
  const superReadOnly = args[2] === '-o' && (args[3] ?? '').split(',').includes('ro');
  disk.mounts.push({ ...mount, mountPoint: to, readOnly: false, superReadOnly });
  return undefined;
}

export function fakeUmount(disk: FakeDisk, args: string[]) {
  const at = disk.mounts.findLastIndex(({ mountPoint }) => mountPoint === args[0]);
  if (at < 0) return { exitCode: 32, stderr: 'not mounted' };
  disk.mounts.splice(at, 1);
  return undefined;
}
