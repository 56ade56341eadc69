import { AppError } from '@lateen/errors';
import { expect, it } from 'vitest';
import type { EngineUnderTest } from './engine-under-test.ts';
import { caseOf } from './movement.ts';
import { describeTree, emptyVolume, inVolume, MB } from './test-volume.ts';

const big = 'for i in 1 2 3 4 5 6 7 8; do head -c 25000000 /dev/urandom > big$i; done';

/** A movement that is canceled ends with the given reason, and the next one succeeds. */
export function cancelling(engine: EngineUnderTest): void {
  it(
    'ends an upload that is cancelled while bytes move, and keeps no snapshot of it',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, big);
      const abort = new AbortController();
      const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
      const cancelled = upload(tree, {
        signal: abort.signal,
        onProgress: ({ doneBytes = 0 }) => doneBytes > 5 * MB && abort.abort(reason),
      });
      await expect(cancelled).rejects.toBe(reason);
      expect(await repository.snapshotIds()).toEqual([]);
      const { snapshotID } = await upload(tree);
      const target = await emptyVolume(repository.directory);
      await download(snapshotID, target);
      expect(await describeTree(target)).toBe(await describeTree(tree));
    }),
  );

  it(
    'ends a download that is cancelled while bytes move, and the next one completes it',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, big);
      const { snapshotID } = await upload(tree);
      const target = await emptyVolume(repository.directory);
      const abort = new AbortController();
      const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
      const cancelled = download(snapshotID, target, { signal: abort.signal, onProgress: () => abort.abort(reason) });
      await expect(cancelled).rejects.toBe(reason);
      await download(snapshotID, target);
      expect(await describeTree(target)).toBe(await describeTree(tree));
    }),
  );

  it(
    'starts nothing when it is cancelled before',
    caseOf(engine, async ({ repository, upload, download }) => {
      const reason = new AppError('DATA_PATH_CANCELED', 'data path is canceled');
      const signal = AbortSignal.abort(reason);
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, 'echo x > file');
      await expect(upload(tree, { signal })).rejects.toBe(reason);
      expect(await repository.snapshotIds()).toEqual([]);
      const { snapshotID } = await upload(tree);
      await expect(download(snapshotID, tree, { signal })).rejects.toBe(reason);
    }),
  );
}
