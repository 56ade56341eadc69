import { expect, it } from 'vitest';
import type { EngineUnderTest } from './engine-under-test.ts';
import { caseOf } from './movement.ts';
import { emptyVolume, inVolume, isRoot, MB, sameContent, withBlockDevices } from './test-volume.ts';

const size = 32 * 1024 * 1024;
const mode = 'Block';

/** Volumes of mode Block, byte for byte; or the refusal of an engine that does not support them. */
export function movingBlocks(engine: EngineUnderTest): void {
  if (!engine.can.moveBlockVolumes) {
    it(
      'refuses block volumes both ways, in plain words',
      caseOf(engine, async ({ repository, upload, download }) => {
        const unsupported = { code: 'UPLOADER_UNSUPPORTED', nextStep: expect.stringMatching(/./) };
        await expect(upload('/dev/null', { mode })).rejects.toMatchObject(unsupported);
        await expect(download('0'.repeat(32), '/dev/null', { mode })).rejects.toMatchObject(unsupported);
        expect(await repository.snapshotIds()).toEqual([]);
      }),
    );
    return;
  }

  it.skipIf(!isRoot)(
    'gives a device back byte for byte, also over one that is not empty, and the next upload adds little',
    caseOf(engine, ({ repository, upload, download }) =>
      withBlockDevices(repository.directory, [size, size], async ([from = '', to = '']) => {
        const at = await emptyVolume(repository.directory);
        await inVolume(
          at,
          `head -c 10000000 /dev/urandom | dd of=${from} bs=1M seek=4 conv=fsync status=none iflag=fullblock`,
        );
        await inVolume(at, `head -c ${size} /dev/urandom | dd of=${to} bs=1M conv=fsync status=none iflag=fullblock`);
        const told: number[] = [];
        const first = await upload(from, { mode, onProgress: ({ doneBytes = 0 }) => told.push(doneBytes) });
        expect(first.totalBytes).toBe(size);
        expect(told.at(-1)).toBe(size);
        expect(await download(first.snapshotID, to, { mode })).toMatchObject({ totalBytes: size });
        expect(await sameContent(from, to)).toBe(true);
        await inVolume(
          at,
          `head -c 1000000 /dev/urandom | dd of=${from} bs=1M seek=20 conv=fsync status=none iflag=fullblock`,
        );
        const second = await upload(from, { mode });
        await download(second.snapshotID, to, { mode });
        expect(await sameContent(from, to)).toBe(true);
      }),
    ),
  );

  it.skipIf(!isRoot)(
    'fails at a device that is smaller than the snapshot',
    caseOf(engine, ({ repository, upload, download }) =>
      withBlockDevices(repository.directory, [size, 8 * MB], async ([from = '', to = '']) => {
        const at = await emptyVolume(repository.directory);
        await inVolume(at, `head -c ${size} /dev/urandom | dd of=${from} bs=1M conv=fsync status=none iflag=fullblock`);
        const { snapshotID } = await upload(from, { mode });
        await expect(download(snapshotID, to, { mode })).rejects.toMatchObject({ code: 'UPLOADER_VOLUME_FULL' });
      }),
    ),
  );

  it(
    'does not mix up kinds of volumes',
    caseOf(engine, async ({ repository, upload, download }) => {
      const tree = await emptyVolume(repository.directory);
      await inVolume(tree, 'echo x > file; echo y > other');
      const { snapshotID } = await upload(tree);
      await expect(download(snapshotID, '/dev/null', { mode })).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID' });
    }),
  );
}
