import { execFileSync } from 'node:child_process';

const outputBytesMax = 256 * 1024 * 1024;

/**
 * Everything that stat and getfattr show of a tree, one line per entry, sorted: type, mode, owner, links, times in ns, link
 * target, device numbers, names that share an inode, attributes, and the checksum of each file. Two trees are equal when
 * these texts are. Uses other programs and options than the code under test where possible.
 */
export function describeTree(directory: string): string[] {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: directory, encoding: 'latin1', maxBuffer: outputBytesMax, env: environment });
  const items = (text: string): string[] => text.split('\0').filter((item) => item !== '');
  const entries = items(run('find', '.', '-printf', '%p|%y|%m|%U:%G|%n|%T@|%l\\0'));
  const devices = items(
    run('find', '.', '(', '-type', 'c', '-o', '-type', 'b', ')', '-exec', 'stat', '--printf=%n|%t:%T\\0', '{}', '+'),
  );
  const sums = items(run('find', '.', '-type', 'f', '-exec', 'sha256sum', '-z', '{}', '+'));
  const attributes = run('getfattr', '-R', '-P', '-h', '-d', '-m', '.', '-e', 'hex', '.')
    .split('\n\n')
    .map((block) => block.split('\n').sort().join('\n'));
  const names = items(run('find', '.', '!', '-type', 'd', '-links', '+1', '-printf', '%i|%p\\0'));
  return [...entries, ...devices, ...sums, ...attributes, ...sharedInodes(names)].sort();
}

/** Bytes without decoding, whatever the locale of the machine is. */
const environment = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Inode numbers differ between trees; which names share one must not. */
function sharedInodes(names: readonly string[]): string[] {
  const byInode = new Map<string, string[]>();
  for (const name of names) {
    const at = name.indexOf('|');
    const inode = name.slice(0, at);
    byInode.set(inode, [...(byInode.get(inode) ?? []), name.slice(at + 1)]);
  }
  return [...byInode.values()].map((group) => `one file: ${group.sort().join('|')}`);
}
