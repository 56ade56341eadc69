import { parseObjectId, readObject } from '@lateen/kopia-format';
import type { LargeFile } from '@lateen/repository';
import type { MemoryRepository } from '../memory-repository.ts';
import { writeChunkList } from '../stored/piece-list.ts';
import { sourceLabels } from '../stored/snapshot-texts.ts';
import { type CheckpointFile, checkpointManifest, writeCheckpointTree } from './checkpoint-texts.ts';
import { engineParents } from './engine-parents.ts';
import { findFiles } from './find-files.ts';

/** For tests: files of a volume, by path. */
export type ModelVolume = Map<string, { data: Buffer; mtimeNs: bigint }>;

const { signal } = new AbortController();
export const modelSource = 'snapshot-data-upload-download/kopia/shop/data';
const textOf = ({ contentId, indirection }: ReturnType<typeof parseObjectId>) =>
  `${'I'.repeat(indirection)}${contentId}`;

export const largeFile = (path: string, { data, mtimeNs }: { data: Buffer; mtimeNs: bigint }): LargeFile => ({
  path,
  sizeBytes: data.length,
  mtimeNs,
  mode: 0o640,
  uid: 0,
  gid: 7,
});

/** For tests: makes snapshots as kopia does, including which files it takes from earlier snapshots without reading them. */
export class ModelEngine {
  readonly repository: MemoryRepository;
  readonly chunkBytes: number;
  #clock = 1_000;

  constructor(repository: MemoryRepository, chunkBytes: number) {
    this.repository = repository;
    this.chunkBytes = chunkBytes;
  }

  /** Returns the ID of the snapshot and the paths that were read; unfinished snapshots are deleted. */
  async snapshot(volume: ModelVolume, force = false): Promise<{ id: string; read: string[] }> {
    const { parents } = await this.#reliably((session) => engineParents(session, modelSource, undefined, signal));
    const read: string[] = [];
    const files: CheckpointFile[] = [];
    for (const [path, file] of volume) {
      const known = force ? undefined : await this.#known(path, file, parents);
      if (known === undefined) read.push(path);
      files.push({ ...largeFile(path, file), objectId: known ?? (await this.#store(file.data)) });
    }
    const id = await this.#reliably(async (session) => {
      const time = this.nowMs();
      const root = await writeCheckpointTree(files, new Date(time).toISOString(), (text) =>
        session.writeContent({ prefix: 'k', data: Buffer.from(text) }, { signal }),
      );
      const times = { startMs: time, endMs: time };
      const { incomplete, ...manifest } = JSON.parse(checkpointManifest(modelSource, root, times)) as {
        incomplete: string;
      };
      const made = await session.putManifest(
        { json: JSON.stringify({ ...manifest, stats: { totalSize: 0 } }), labels: sourceLabels(modelSource) },
        { signal },
      );
      await session.flush({ signal });
      return made;
    });
    for (const { id: old, isComplete } of parents) if (!isComplete) this.repository.manifests.delete(old);
    return { id, read };
  }

  /** What is restored from a file of a snapshot. */
  async restored(id: string, path: string): Promise<Buffer> {
    const json = this.repository.manifests.get(id)?.json ?? '{}';
    const { rootEntry } = JSON.parse(json) as { rootEntry: { obj: string } };
    return this.#reliably(async (session) => {
      const entry = (await findFiles(session, parseObjectId(rootEntry.obj), [path], signal)).get(path);
      if (entry?.objectId === undefined) throw new Error(`${path} is not in ${id}`);
      return Buffer.concat(
        await Array.fromAsync(readObject(entry.objectId, (one) => session.getContent(one, { signal }), signal)),
      );
    });
  }

  nowMs(): number {
    this.#clock += 10;
    return this.#clock;
  }

  async #known(
    path: string,
    { data, mtimeNs }: { data: Buffer; mtimeNs: bigint },
    parents: { root: ReturnType<typeof parseObjectId> }[],
  ) {
    for (const { root } of parents) {
      const entry = (await this.#reliably((session) => findFiles(session, root, [path], signal))).get(path);
      const isSame =
        entry?.size === data.length && entry.mtimeNs === mtimeNs && entry.gid === 7 && entry.mode === 0o640;
      if (isSame && entry.objectId !== undefined) return textOf(entry.objectId);
    }
    return undefined;
  }

  async #store(data: Buffer): Promise<string> {
    const { chunkBytes } = this;
    return this.#reliably(async (session) => {
      const ids: string[] = [];
      for (let at = 0; at < Math.max(1, data.length); at += chunkBytes)
        ids.push(await session.writeContent({ prefix: '', data: data.subarray(at, at + chunkBytes) }, { signal }));
      const id = await writeChunkList(ids, { chunkBytes, sizeBytes: data.length }, (list) =>
        session.writeContent({ prefix: 'x', data: list }, { signal }),
      );
      await session.flush({ signal });
      return id;
    });
  }

  /** Sessions of the engine are not lost. */
  async #reliably<T>(act: (session: Awaited<ReturnType<MemoryRepository['open']>>) => Promise<T>): Promise<T> {
    const { lossRate } = this.repository;
    this.repository.lossRate = 0;
    try {
      return await act(await this.repository.open());
    } finally {
      this.repository.lossRate = lossRate;
    }
  }
}
