import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part } from './part-table.ts';

/** `go build` arguments of a part without output path. They are part of its key: other flags, other binary. */
export function buildFlags(part: Part): string[] {
  return ['-trimpath', '-ldflags', ['-s', '-w', ...part.stamps].join(' ')];
}

/** Files that decide what a part becomes. `main.go` exists only for the programs whose source is in this repository. */
const keyFiles = ['go.mod', 'go.sum', 'main.go'];

/**
 * The name of a part's cache folder: the module, and a digest of what goes into the build (go.mod, go.sum, own source,
 * package, flags, target). Anything else that may change, such as the Go version, leaves a usable binary usable.
 */
export async function partKey(part: Part, partsDir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of keyFiles) hash.update(`${file}\n${await textOrNothing(join(partsDir, part.module, file))}\n`);
  hash.update(JSON.stringify([part.package, buildFlags(part), process.platform, process.arch, 'CGO_ENABLED=0']));
  return `${part.name}-${hash.digest('hex').slice(0, 16)}`;
}

async function textOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
