import { readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPathProgress } from '@lateen/datapath';
import { expect, it } from 'vitest';
import type { EngineUnderTest } from './engine-under-test.ts';
import { caseOf } from './movement.ts';
import { allocatedBytes, describeTree, emptyVolume, inVolume, MB, makeTree } from './test-volume.ts';

/** A backup, the next backup, a restore, and their details. */
export function movingFiles(engine: EngineUnderTest): void {
  comingBackWhole(engine);
  intoWhatIsThere(engine);
  obeyingSettings(engine);
  tellingProgress(engine);
  readingWhatChanges(engine);
}

function comingBackWhole(engine: EngineUnderTest): void {
  const { can } = engine;

  it(
    'gives a tree back as it was, its root included, and warns of nothing',
    caseOf(engine, async ({ repository, upload, download }) => {
      const warnings: string[] = [];
      const onWarning = (text: string) => void warnings.push(text);
      const tree = await makeTree(repository.directory);
      const { snapshotID, totalBytes, incrementalBytes } = await upload(tree, { onWarning });
      expect(await repository.snapshotIds()).toContain(snapshotID);
      expect(totalBytes).toBeGreaterThan(20 * MB);
      expect(incrementalBytes).toBeGreaterThan(0);
      const target = await emptyVolume(repository.directory);
      const restored = await download(snapshotID, target, { onWarning });
      expect(restored.totalBytes).toBeGreaterThan(20 * MB);
      expect(warnings).toEqual([]);
      expect(repository.said()).not.toContain('the engine warns');
      expect(await describeTree(target)).toBe(await describeTree(tree));
      expect((await stat(join(target, 'hard'))).nlink).toBe(can.keepHardLinks ? 2 : 1);
    }),
  );

  it(
    'takes only what changed since the snapshot before, and both stay whole',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      const first = await upload(tree);
      const before = await describeTree(tree);
      const again = await upload(tree);
      const enough = can.countUnchangedAsNothing ? 0 : again.totalBytes / 1_000;
      expect(again.incrementalBytes).toBeLessThanOrEqual(enough);
      await inVolume(tree, 'head -c 50000 /dev/urandom > d5/f5; rm d6/f6; mkdir d0/new; printf new > d0/new/file');
      const changed = await upload(tree);
      expect(changed.incrementalBytes).toBeGreaterThanOrEqual(45_000);
      expect(changed.incrementalBytes).toBeLessThan(200_000);
      const [old, recent] = [await emptyVolume(repository.directory), await emptyVolume(repository.directory)];
      await download(first.snapshotID, old);
      await download(changed.snapshotID, recent);
      expect(await describeTree(old)).toBe(before);
      expect(await describeTree(recent)).toBe(await describeTree(tree));
    }),
  );
}

function intoWhatIsThere(engine: EngineUnderTest): void {
  it(
    'overwrites what is in the way and leaves what the snapshot does not have',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      const { snapshotID } = await upload(tree);
      const target = await emptyVolume(repository.directory);
      await inVolume(
        target,
        `mkdir d0 d7 ../outside-$(basename "$PWD"); echo old and longer than before > none
         echo mine > extra; ln -s /etc/hostname link; ln -s nowhere mine`,
      );
      if (engine.can.replaceSymlinks) await inVolume(target, 'ln -s ../../outside-$(basename "$PWD")/made d7/f7');
      await download(snapshotID, target);
      expect(await inVolume(target, 'cat extra; rm extra mine; ls -A ../outside-*')).toBe('mine\n');
      await inVolume(target, `touch -d "$(stat -c %y '${tree}')" .`);
      expect(await describeTree(target)).toBe(await describeTree(tree));
    }),
  );

  it(
    'keeps an empty volume',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      const { snapshotID, totalBytes } = await upload(tree);
      expect(totalBytes).toBe(0);
      const target = await emptyVolume(repository.directory);
      expect(await download(snapshotID, target)).toMatchObject({ totalBytes: 0 });
      expect(await readdir(target)).toEqual([]);
      await writeFile(join(tree, 'first'), 'file');
      const next = await upload(tree);
      await download(next.snapshotID, target);
      expect(await describeTree(target)).toBe(await describeTree(tree));
    }),
  );
}

function obeyingSettings(engine: EngineUnderTest): void {
  const { can } = engine;

  it(
    `brings sparse files back whole, ${can.restoreHoles ? 'with' : 'but without'} their holes`,
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, 'printf begin > sparse; truncate -s 30M sparse; printf end >> sparse');
      const { snapshotID } = await upload(tree);
      const target = await emptyVolume(repository.directory);
      await download(snapshotID, target, { config: { WriteSparseFiles: 'true' } });
      expect(await describeTree(target)).toBe(await describeTree(tree));
      const allocated = await allocatedBytes(join(target, 'sparse'));
      if (can.restoreHoles) expect(allocated).toBeLessThan(MB);
      else expect(allocated).toBeGreaterThan(30 * MB);
    }),
  );

  it(
    'obeys ParallelFilesUpload and ParallelFilesDownload as far as it can, and nonsense in them harms nothing',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      for (const value of ['1', '7', '-1', 'many']) {
        const { snapshotID } = await upload(tree, { config: { ParallelFilesUpload: value } });
        const target = await emptyVolume(repository.directory);
        await download(snapshotID, target, { config: { ParallelFilesDownload: value, WriteSparseFiles: value } });
        expect(await describeTree(target)).toBe(await describeTree(tree));
      }
    }),
  );
}

function tellingProgress(engine: EngineUnderTest): void {
  it(
    'tells how far it is, never backwards at the end and never past 100 %',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, 'for i in 1 2 3 4 5 6; do head -c 20000000 /dev/urandom > big$i; done');
      const told: DataPathProgress[] = [];
      const onProgress = (progress: DataPathProgress) => told.push(progress);
      const { snapshotID, totalBytes } = await upload(tree, { onProgress });
      expect(totalBytes).toBe(120 * MB);
      mustBeProgress(told, totalBytes);
      told.length = 0;
      const restored = await download(snapshotID, await emptyVolume(repository.directory), { onProgress });
      expect(restored.totalBytes).toBe(totalBytes);
      mustBeProgress(told, totalBytes);
    }),
  );
}

function readingWhatChanges(engine: EngineUnderTest): void {
  it(
    'copes with a file that changes while it is read: a snapshot that restores, or an error that says so',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await makeTree(repository.directory);
      await inVolume(tree, 'head -c 60000000 /dev/urandom > grows; cp grows shrinks');
      const change = async () => {
        await inVolume(tree, 'head -c 30000000 /dev/urandom >> grows');
        await truncate(join(tree, 'shrinks'), 10 * MB);
      };
      let changing: Promise<void> | undefined;
      const onProgress = () => {
        changing ??= change();
      };
      const outcome = await upload(tree, { onProgress }).catch((error: unknown) => error);
      expect(changing).toBeDefined();
      await changing;
      if (outcome instanceof Error) return expect(outcome).toMatchObject({ code: 'UPLOADER_SOURCE_UNREADABLE' });
      const target = await emptyVolume(repository.directory);
      await download((outcome as { snapshotID: string }).snapshotID, target);
      await inVolume(
        target,
        `cmp -n 10000000 grows '${tree}/grows'; cmp -n 10000000 shrinks '${tree}/shrinks'; rm grows shrinks`,
      );
      await inVolume(tree, 'rm grows shrinks');
      expect(await filesOf(target)).toBe(await filesOf(tree));
    }),
  );
}

/** The files alone, as removing some has changed the time of their directory. */
const filesOf = (volume: string): Promise<string> =>
  inVolume(volume, 'find . -type f -print0 | sort -z | xargs -0r sha256sum');

function mustBeProgress(told: readonly DataPathProgress[], totalBytes: number): void {
  expect(told.length).toBeGreaterThan(1);
  expect(told.at(-1)).toMatchObject({ totalBytes, doneBytes: totalBytes });
  for (const { doneBytes = 0, totalBytes: total } of told) {
    expect(doneBytes).toBeGreaterThanOrEqual(0);
    expect(doneBytes).toBeLessThanOrEqual(total ?? totalBytes);
  }
}
