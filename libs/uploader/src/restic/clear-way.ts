import { lstat, readdir, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { outputLines } from '@lateen/child-process';
import type { DownloadRequest } from '@lateen/datapath';
import { contentArgs } from './restic-args.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { downloadFailures } from './restic-volume-failures.ts';
import { runRestic } from './run-restic.ts';
import { parseNode, type SnapshotNode } from './snapshot-node.ts';

/**
 * Removes from a volume that is not empty what restic 0.14 cannot overwrite: it fails at an existing symlink or FIFO, and where
 * the snapshot has a file it would write through an existing symlink, wherever that leads. Only entries that the snapshot
 * restores are removed, and no directory with its contents. Safe to repeat; on abort the rest stays.
 */
export async function clearWay(options: ResticUploaderOptions, request: DownloadRequest, id: string): Promise<void> {
  const { volumePath, signal } = request;
  const present = await readdir(volumePath);
  if (present.every((name) => name === 'lost+found')) return;
  const lines: string[] = [];
  const split = outputLines((line) => lines.push(line)).push;
  const decoder = new TextDecoder();
  const exit = await runRestic(options, contentArgs(id), {
    signal,
    onStdout: async (chunk) => {
      split(decoder.decode(chunk, { stream: true }));
      for (const line of lines.splice(0)) await makeRoom(volumePath, parseNode(line));
    },
  });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, `listing snapshot ${id}`, downloadFailures);
}

async function makeRoom(volumePath: string, node: SnapshotNode | undefined): Promise<void> {
  if (node === undefined) return;
  const path = join(volumePath, node.path);
  // A snapshot that another program wrote may hold names that lead outside of the volume.
  if (!path.startsWith(volumePath.endsWith(sep) ? volumePath : volumePath + sep)) return;
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined || there.isDirectory()) return;
  const overwritable = there.isFile() && node.type === 'file';
  if (!overwritable) await unlink(path);
}
