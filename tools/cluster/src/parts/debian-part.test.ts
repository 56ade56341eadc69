import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentProgress } from '../progress/progress.ts';
import { packagesOf } from './debian-packages.ts';
import { ensureDebianPart } from './debian-part.ts';

const part = {
  name: 'tools',
  packages: ['tool-package'],
  programs: [{ name: 'tool', check: ['--version'] }],
} as const;

let folder: string;
let unpacked: string[][];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-debian-part-'));
  unpacked = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Unpacks a program that prints its arguments, and ends with `code` when asked for its version. */
const unpacking =
  (code = 0, dir = 'bin') =>
  async ({ packages }: { packages: readonly string[] }, root: string): Promise<void> => {
    unpacked.push([...packages]);
    for (const path of [dir, 'usr/lib/x/own', 'usr/share/doc']) await mkdir(join(root, path), { recursive: true });
    await writeFile(join(root, 'usr/lib/x/own/libown.so.1'), '');
    const script = `#!/bin/sh\n[ "$1" != --version ] || exit ${code}\necho "$LD_LIBRARY_PATH $*"\n`;
    await writeFile(join(root, dir, 'tool'), script);
    await chmod(join(root, dir, 'tool'), 0o755);
  };

const ensure = (unpack = unpacking()) =>
  ensureDebianPart(part, silentProgress, { env: { LATEEN_CACHE: folder }, unpack });

it('unpacks once, and returns a program that finds the libraries beside it', async () => {
  const programs = await ensure();
  expect(await ensure()).toBe(programs);
  expect(unpacked).toEqual([['tool-package']]);
  const { stdout } = await execa(join(programs, 'tool'), ['a b', 'c']);
  const [path, ...args] = stdout.split(' ');
  expect(args).toEqual(['a', 'b', 'c']);
  expect(path).toBe(join(programs, 'tool').replace(/tool$/, '../root/usr/lib/x/own'));
});

it('finds a program in any folder of the release', async () => {
  const programs = await ensure(unpacking(0, 'usr/sbin'));
  expect((await execa(join(programs, 'tool'), ['x'])).stdout).toContain(' x');
});

it('becomes the program under the path by which it was called, so that its process can be recognized', async () => {
  const programs = await ensure(async (wanted, root) => {
    await unpacking()(wanted, root);
    await rm(join(root, 'bin/tool'));
    await execa('cp', [(await execa('readlink', ['-f', '/bin/cat'])).stdout, join(root, 'bin/tool')]);
  });
  const { stdout } = await execa(join(programs, 'tool'), ['/proc/self/cmdline']);
  expect(stdout.split('\0')[0]).toBe(join(programs, 'tool'));
});

it('lets one of two callers unpack while the other waits', async () => {
  const [first, second] = await Promise.all([ensure(), ensure()]);
  expect(first).toBe(second);
  expect(unpacked).toHaveLength(1);
});

it('leaves nothing in the cache when a program does not run here', async () => {
  await expect(ensure(unpacking(127))).rejects.toSatisfy((error) => isAppError(error, 'COMMAND_FAILED'));
  expect(await readdir(join(folder, 'parts'))).toEqual([]);
});

it('reports when a release has moved a program to another package', async () => {
  const empty = async (_: { packages: readonly string[] }, root: string): Promise<void> => {
    await mkdir(root, { recursive: true });
  };
  await expect(ensure(empty)).rejects.toSatisfy((error) => isAppError(error, 'PROGRAM_NOT_IN_PACKAGES'));
});

it('parses names and versions of what apt would download', () => {
  const uris = `'http://m/pool/q/qemu-utils_7.2+dfsg-7_amd64.deb' qemu-utils_1%3a7.2+dfsg-7+deb12u18+b3_amd64.deb 1292564 SHA256:ab
'http://m/pool/n/libnbd0_1.14.2-1_amd64.deb' libnbd0_1.14.2-1_amd64.deb 5 MD5Sum:cd
some other line
`;
  expect(packagesOf(uris)).toEqual([
    { name: 'qemu-utils', version: '1:7.2+dfsg-7+deb12u18+b3' },
    { name: 'libnbd0', version: '1.14.2-1' },
  ]);
});
