import { isAppError } from '@lateen/errors';
import { FakeClock, letTimePass, memoryObjectStore, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compressionMethods } from './format/compression-method.ts';
import { ModelVolume, modelSink } from './model-volume.ts';
import { blockBytes, paths, storeUnderTest, volumeName } from './store-under-test.ts';

const runs = Number(process.env.LATEEN_BLOCK_STORE_RUNS ?? 60);

async function twoBackups(compressionMethod: (typeof compressionMethods)[number]) {
  const clock = new FakeClock();
  const all = storeUnderTest({
    clock,
    memory: memoryObjectStore({ clock }),
    random: seededRandom(),
    pass: (work) => letTimePass(work, clock),
  });
  const volume = new ModelVolume(4 * blockBytes, blockBytes);
  for (const number of [1, 2]) {
    for (let at = 0; at < 3; at++) volume.write(at * blockBytes, Buffer.alloc(blockBytes, `${number} ${at} text`));
    volume.snapshot(`snap-${number}`);
    await all.backup(volume, `snap-${number}`, { compressionMethod });
  }
  volume.write(0, Buffer.from('new'));
  volume.snapshot('snap-3');
  all.memory.objects.set(paths.lock('lock-0123456789abcdef'), Buffer.from('{"Name":"","Type":1,"Acquired":true}'));
  return { ...all, volume };
}

const change = fc.oneof(
  fc.record({ how: fc.constant('cut' as const), at: fc.nat(2_000) }),
  fc.record({ how: fc.constant('foreign' as const), bytes: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ how: fc.constant('foreign' as const), bytes: fc.json().map((text) => Buffer.from(text)) }),
  fc.record({ how: fc.constant('byte' as const), at: fc.nat(2_000), to: fc.nat(255) }),
  fc.record({ how: fc.constant('gone' as const) }),
);

function changed(bytes: Uint8Array, how: typeof change extends fc.Arbitrary<infer Change> ? Change : never) {
  if (how.how === 'gone') return undefined;
  if (how.how === 'foreign') return how.bytes;
  if (how.how === 'cut') return bytes.subarray(0, how.at % Math.max(bytes.length, 1));
  const copy = Uint8Array.from(bytes);
  copy[how.at % copy.length] = how.to;
  return copy;
}

it('completes, or fails with an error that names the file and the next step, for any file content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...compressionMethods), fc.nat(30), change, async (method, which, how) => {
      const { clock, memory, client, signal, pass, backup, volume } = await twoBackups(method);
      const keys = [...memory.objects.keys()].sort();
      const key = keys[which % keys.length] ?? '';
      const before = new Map(memory.objects);
      const now = changed(memory.objects.get(key) ?? Buffer.alloc(0), how);
      if (now === undefined) memory.objects.delete(key);
      else memory.objects.set(key, now);
      const ends = async (work: Promise<unknown>): Promise<boolean> => {
        const error: unknown = await work.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error === undefined) return true;
        if (!isAppError(error)) throw error;
        const cause = error.cause instanceof Error ? error.cause.message : '';
        expect(`${error.message} ${cause}`).toContain(key);
        expect(error.nextStep).toBeTypeOf('string');
        return false;
      };

      await ends(client().readVolume(volumeName, { signal }));
      await ends(client().readBackup(volumeName, 'backup-snap-2', { signal }));
      const sink = modelSink(new Uint8Array(4 * blockBytes));
      const isRestored = await ends(pass(client().restore(volumeName, 'backup-snap-2', sink, { signal })));
      // A list of blocks has no checksum; every other change is detected.
      const isSure = !(key.endsWith('.cfg') && how.how !== 'cut');
      if (isRestored && isSure) expect(Buffer.from(sink.bytes).equals(volume.bytesOf('snap-2'))).toBe(true);
      await ends(backup(volume, 'snap-3'));
      // The lock of the other backup has expired by then.
      await clock.advance(200_000);
      await ends(pass(client().deleteBackup(volumeName, 'backup-snap-1', { signal })));
      if (!isSure) return;
      // All blocks that the remaining backup lists still exist.
      const { Blocks } = JSON.parse(Buffer.from(before.get(paths.backup('backup-snap-2')) ?? []).toString());
      for (const { BlockChecksum } of Blocks) {
        const block = paths.block(BlockChecksum);
        if (block !== key) expect(memory.objects.get(block)).toEqual(before.get(block));
      }
    }),
    { numRuns: runs },
  );
});
