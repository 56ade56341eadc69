import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dataset } from './datasets.ts';
import { type TreeFile, treeArchive } from './tree-archive.ts';

/** Writes the content of the first backup. */
export async function writeTree(dataset: Dataset, directory: string): Promise<void> {
  if (dataset.stepBytes === undefined) await unpackTree(dataset.files(), directory);
  else await writeWithHoles(dataset, dataset.stepBytes, directory);
}

export async function unpackTree(files: Iterable<TreeFile>, directory: string): Promise<void> {
  // As for most files, the time of each is that of its writing, in nanoseconds.
  const tar = spawn('tar', ['-x', '--touch', '-f', '-', '-C', directory], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(tar, 'exit');
  await pipeline(Readable.from(treeArchive(files)), tar.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}

/** A MiB of data; the rest of the step is a hole. */
async function writeWithHoles(dataset: Dataset, stepBytes: number, directory: string): Promise<void> {
  const [file] = [...dataset.files()];
  if (file === undefined) return;
  const handle = await open(join(directory, file.path), 'w');
  let at = 0;
  for await (const piece of treeArchive([file])) {
    await handle.write(piece, 0, piece.length, at);
    at += stepBytes;
  }
  await handle.close();
}
