import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeOciArchive } from '@lateen/image';
import { pack } from 'tar-stream';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';
import { cacheDir } from '../parts/cache-dir.ts';

export interface ProgramImage {
  tag: string;
  archive: string;
  /** Digest of the manifest, by which a node recognizes whether it has the image already. */
  digest: string;
}

export interface ProgramImageOptions {
  tag: string;
  /** Static programs by file name; each becomes `/<name>`. */
  programs: Readonly<Record<string, string>>;
  entrypoint?: readonly string[];
  signal?: AbortSignal | undefined;
}

/**
 * An image from scratch with only static programs, as an OCI archive in the cache. Built once per set of programs: their paths in the part
 * cache contain the digest of their sources.
 */
export async function programImage(options: ProgramImageOptions): Promise<ProgramImage> {
  const facts = await Promise.all(
    Object.entries(options.programs).map(async ([name, path]) => [name, path, (await stat(path)).mtimeMs]),
  );
  const key = createHash('sha256')
    .update(JSON.stringify([options.tag, options.entrypoint ?? [], facts]))
    .digest('hex')
    .slice(0, 16);
  const archive = join(cacheDir(), 'images', `${key}.tar`);
  const digestFile = `${archive}.digest`;
  const digest = await readIfThere(digestFile);
  if (digest !== undefined && (await isThere(archive))) return { tag: options.tag, archive, digest };

  const layer = `${archive}.layer.${process.pid}`;
  try {
    await mkdir(join(archive, '..'), { recursive: true });
    await writeLayer(layer, options.programs, options.signal);
    const config = options.entrypoint === undefined ? {} : { Entrypoint: options.entrypoint };
    const { tag, signal } = options;
    const written = await writeOciArchive({ tag, layers: [layer], config, output: archive, signal });
    await writeFileAtomically(digestFile, written.digest);
    return { tag, archive, digest: written.digest };
  } finally {
    await rm(layer, { force: true });
  }
}

async function writeLayer(
  output: string,
  programs: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const layer = pack();
  const unfinished = `${output}.new`;
  const written = pipeline(layer, createWriteStream(unfinished), signal ? { signal } : {});
  const fill = async (): Promise<void> => {
    for (const [name, path] of Object.entries(programs)) {
      const { size } = await stat(path);
      // A fixed time, so that the same programs give the same image.
      const entry = layer.entry({ name, size, mode: 0o755, uid: 0, gid: 0, mtime: new Date(0) });
      await pipeline(createReadStream(path), entry, signal ? { signal } : {});
    }
    layer.finalize();
  };
  await Promise.all([written, fill()]);
  await rename(unfinished, output);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
