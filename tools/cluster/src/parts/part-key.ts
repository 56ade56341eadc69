import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part } from './part-table.ts';

/** `go build` arguments of a part without output path. They are part of its key, because other flags give another binary. */
export function buildFlags(part: Part): string[] {
  return ['-trimpath', '-ldflags', ['-s', '-w', ...part.stamps].join(' ')];
}

/**
 * The name of a part's cache folder: the module, and a digest of the inputs of the build (go.mod, go.sum, own source, package, flags,
 * target). Other changes, such as another Go version, do not make a binary unusable.
 */
export async function partKey(part: Part, partsDir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await keyFiles(join(partsDir, part.module)))
    hash.update(`${file}\n${await textOrNothing(join(partsDir, part.module, file))}\n`);
  hash.update(JSON.stringify([part.package, buildFlags(part), process.platform, process.arch, 'CGO_ENABLED=0']));
  return `${part.name}-${hash.digest('hex').slice(0, 16)}`;
}

/** Files that determine a part. Only programs with source in this repository have more than the first two, or `main.go`. */
async function keyFiles(folder: string): Promise<string[]> {
  const sources = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.go') && name !== 'main.go');
  return ['go.mod', 'go.sum', 'main.go', ...sources.sort()];
}

async function textOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
