import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError } from '@lateen/errors';
import { withFileLock } from '@lateen/image';
import { run } from '../host/run.ts';
import { during, type Progress } from '../progress/progress.ts';
import { cacheDir } from './cache-dir.ts';
import { unpackPackages } from './debian-packages.ts';
import type { DebianPart } from './debian-part-table.ts';

export interface EnsureDebianPartOptions {
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  /** Downloads packages; replaced in tests. */
  unpack?: typeof unpackPackages;
}

/** Increased when the result for the same table changes. */
const layout = 1;

/** Documentation, firmware and configuration of services, which the programs do not read. */
const unused = ['usr/share', 'usr/lib/systemd', 'etc', 'var'];

/**
 * The folder with the programs of a part, unpacked when it is not in the cache. Several processes may call it at the same time: one
 * unpacks, the others wait. The packages are those of the day of unpacking, as in the image; delete the folder to get newer ones.
 * @throws IMAGE_NOT_DEBIAN, PACKAGES_UNAVAILABLE, PROGRAM_NOT_IN_PACKAGES, COMMAND_FAILED, LOCK_FAILED
 */
export async function ensureDebianPart(
  part: DebianPart,
  progress: Progress,
  options: EnsureDebianPartOptions,
): Promise<string> {
  const folder = join(cacheDir(options.env), 'parts', `${part.name}-${keyOf(part)}`);
  const programs = join(folder, 'bin');
  if (await isThere(programs)) return programs;
  const lock = join(cacheDir(options.env), 'locks', `${part.name}.lock`);
  const onWait = (): void => progress.note(`waiting for another process that unpacks ${part.name}`);
  await withFileLock(lock, { onWait, signal: options.signal }, async () => {
    if (await isThere(programs)) return;
    await during(progress, `unpacking ${part.name} (about a minute, once)`, () =>
      unpackPart(part, folder, options, (text) => progress.note(text)),
    );
  });
  return programs;
}

const keyOf = (part: DebianPart): string =>
  createHash('sha256')
    .update(JSON.stringify([layout, part, process.arch]))
    .digest('hex')
    .slice(0, 16);

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function unpackPart(
  part: DebianPart,
  folder: string,
  { signal, unpack = unpackPackages }: EnsureDebianPartOptions,
  note: (text: string) => void,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // Beside its final place, so that the rename does not cross file systems.
  const unfinished = await mkdtemp(join(dirname(folder), `.${part.name}.`));
  try {
    const root = join(unfinished, 'root');
    await unpack(part, root, { note, signal });
    for (const path of unused) await rm(join(root, path), { recursive: true, force: true });
    await writeStarters(part, unfinished);
    for (const { name, check } of part.programs) await run(join(unfinished, 'bin', name), check, { signal });
    await chmod(unfinished, 0o755);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * A start script per program that sets the library path and then becomes the program: the pid stays, and `argv[0]` stays the called path,
 * by which a process is recognized.
 */
async function writeStarters(part: DebianPart, folder: string): Promise<void> {
  const root = join(folder, 'root');
  const libraries = await libraryDirs(root);
  const path = libraries.map((dir) => `$root/${relative(root, dir)}`).join(':');
  await mkdir(join(folder, 'bin'));
  for (const program of part.programs) {
    const starter = join(folder, 'bin', program.name);
    const lines = ['#!/bin/bash', `root=\${0%/*}/../root`, `export LD_LIBRARY_PATH="${path}"`];
    await writeFile(
      starter,
      [...lines, `exec -a "$0" "$root/${await programPath(root, program.name)}" "$@"`, ''].join('\n'),
    );
    await chmod(starter, 0o755);
  }
}

const programDirs = ['usr/bin', 'bin', 'usr/sbin', 'sbin'];

/** Relative to the root. */
async function programPath(root: string, name: string): Promise<string> {
  for (const dir of programDirs) if (await isThere(join(root, dir, name))) return join(dir, name);
  throw new AppError('PROGRAM_NOT_IN_PACKAGES', `none of the unpacked packages has the program ${name}`, {
    nextStep: 'Debian may have moved it: look for it on packages.debian.org and add its package to the part.',
  });
}

/** Folders with shared libraries; some packages have a separate one that is only named by an absolute path in a program. */
async function libraryDirs(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const dirs = entries
    .filter(({ name, parentPath }) => /^lib.*\.so(\.|$)/.test(name) && /\/lib(\/|$)/.test(parentPath))
    .map(({ parentPath }) => parentPath);
  return [...new Set(dirs)].sort((a, b) => a.length - b.length || a.localeCompare(b));
}
