import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { EngineUnderTest } from './engine-under-test.ts';
import { caseOf } from './movement.ts';
import {
  describeTree,
  emptyVolume,
  inVolume,
  isRoot,
  makeTree,
  withSmallVolume,
  withUnreadableFile,
} from './test-volume.ts';

const unknownId = '0123456789abcdef0123456789abcdef';

/** Each failure has its code and leaves nothing behind, and the next movement succeeds. */
export function failing(engine: EngineUnderTest): void {
  whenItDoesNotOpen(engine);
  whenFilesDoNotMove(engine);
}

function whenItDoesNotOpen(engine: EngineUnderTest): void {
  it(
    'names a wrong password, both ways',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      const { snapshotID } = await upload(tree);
      const wrongly = { password: 'not-the-password' };
      const wrong = { code: 'REPOSITORY_PASSWORD_WRONG', nextStep: expect.stringContaining('velero-repo-credentials') };
      await expect(upload(tree, { wrongly })).rejects.toMatchObject(wrong);
      const target = await emptyVolume(repository.directory);
      await expect(download(snapshotID, target, { wrongly })).rejects.toMatchObject(wrong);
      expect(await readdir(target)).toEqual([]);
      expect(await repository.snapshotIds()).toEqual([snapshotID]);
    }),
  );

  it(
    'names a repository that is not there, both ways, and makes none',
    caseOf(engine, async ({ repository, upload, download }) => {
      const wrongly = { elsewhere: true };
      const missing = { code: 'REPOSITORY_NOT_FOUND', nextStep: expect.stringContaining('BackupRepository') };
      const tree = await makeTree(repository.directory);
      await expect(upload(tree, { wrongly })).rejects.toMatchObject(missing);
      const target = await emptyVolume(repository.directory);
      await expect(download(unknownId, target, { wrongly })).rejects.toMatchObject(missing);
      await expect(upload(tree, { wrongly })).rejects.toMatchObject(missing);
      expect(await readdir(target)).toEqual([]);
    }),
  );

  it(
    'touches nothing for a snapshot that is not there or an ID that is none',
    caseOf(engine, async ({ repository, download }) => {
      const target = await emptyVolume(repository.directory);
      await expect(download(unknownId, target)).rejects.toMatchObject({ code: 'SNAPSHOT_NOT_FOUND' });
      for (const id of ['', 'latest', '/', '../x']) {
        await expect(download(id, target)).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
      }
      expect(await readdir(target)).toEqual([]);
    }),
  );
}

function whenFilesDoNotMove(engine: EngineUnderTest): void {
  it.skipIf(!isRoot)(
    'fails at a file that cannot be read, names it, and keeps no snapshot without it',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      await withUnreadableFile(tree, 'd0/broken', () =>
        expect(upload(tree)).rejects.toMatchObject({
          code: 'UPLOADER_SOURCE_UNREADABLE',
          message: expect.stringContaining('broken'),
        }),
      );
      expect(await repository.snapshotIds()).toEqual([]);
      const { snapshotID } = await upload(tree);
      const target = await emptyVolume(repository.directory);
      await download(snapshotID, target);
      expect(await describeTree(target)).toBe(await describeTree(tree));
    }),
  );

  it.skipIf(!isRoot)(
    'fails at a volume that is too small, and says that it is full',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, 'for i in 1 2 3 4; do head -c 8000000 /dev/urandom > big$i; done');
      const { snapshotID } = await upload(tree);
      await withSmallVolume(repository.directory, '10m', (target) =>
        expect(download(snapshotID, target)).rejects.toMatchObject({
          code: 'UPLOADER_VOLUME_FULL',
          message: expect.stringContaining('the volume is full'),
          nextStep: expect.stringContaining('larger volume'),
        }),
      );
      await withSmallVolume(repository.directory, '100m', async (target) => {
        await download(snapshotID, target);
        expect(await describeTree(target)).toBe(await describeTree(tree));
      });
    }),
  );
}
