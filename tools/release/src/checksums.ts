import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeLayer } from '@lateen/image';

/** Writes the digests of all files of a folder, in the format of `sha256sum --check checksums.txt`. */
export async function writeChecksums(folder: string, signal?: AbortSignal): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const { digest } = await describeLayer(join(folder, name), signal);
    lines.push(`${digest.slice('sha256:'.length)}  ${name}\n`);
  }
  await writeFile(join(folder, 'checksums.txt'), lines.join(''));
}
