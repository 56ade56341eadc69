import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@lateen/errors';
import { type Header, type Pack, pack } from 'tar-stream';

/** One path of a layer. Paths are relative to the root, without a leading "/". Owner is root. */
export type LayerEntry =
  | { path: string; source: string; mode?: number }
  | { path: string; content: string | Buffer; mode?: number }
  | { path: string; linkTo: string }
  | { path: string; directory: true; mode?: number };

/**
 * Writes a layer from single files, in the given order. Reproducible: only the bytes of sources are copied. The parent directories of an
 * entry must be in a lower layer or before it in the list. Replaces the output atomically.
 * @throws IMAGE_LAYER_UNWRITABLE naming the output and, as cause, the file that could not be read
 */
export async function writeLayer(options: {
  entries: readonly LayerEntry[];
  output: string;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { entries, output, signal } = options;
  const partial = `${output}.partial.${process.pid}`;
  const archive = pack();
  let written: Promise<void> | undefined;
  try {
    await mkdir(dirname(output), { recursive: true });
    written = pipeline(archive, createWriteStream(partial), signal ? { signal } : {});
    await Promise.all([written, addAll(archive, entries)]);
    await rename(partial, output);
  } catch (error) {
    archive.destroy();
    // Otherwise the file could be opened, and so created, after it was removed.
    await written?.catch(() => {});
    await rm(partial, { force: true });
    signal?.throwIfAborted();
    throw new AppError('IMAGE_LAYER_UNWRITABLE', `image layer ${output} could not be written`, { cause: error });
  }
}

async function addAll(archive: Pack, entries: readonly LayerEntry[]): Promise<void> {
  try {
    for (const entry of entries) await addEntry(archive, entry);
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

type HeaderArgument = Partial<Header> & Pick<Header, 'name'>;

const epoch = new Date(0);

async function addEntry(archive: Pack, entry: LayerEntry): Promise<void> {
  const header = (more: Partial<Header>): HeaderArgument => ({
    name: entry.path,
    uid: 0,
    gid: 0,
    mtime: epoch,
    ...more,
  });
  if ('linkTo' in entry) archive.entry(header({ type: 'symlink', linkname: entry.linkTo, mode: 0o777 }));
  else if ('directory' in entry) archive.entry(header({ type: 'directory', mode: entry.mode ?? 0o755 }));
  else if ('content' in entry) {
    const content = Buffer.from(entry.content);
    await pipeline([content], archive.entry(header({ size: content.length, mode: entry.mode ?? 0o644 })));
  } else {
    const { size } = await stat(entry.source);
    await pipeline(
      createReadStream(entry.source, { highWaterMark: 1024 * 1024 }),
      archive.entry(header({ size, mode: entry.mode ?? 0o644 })),
    );
  }
}
