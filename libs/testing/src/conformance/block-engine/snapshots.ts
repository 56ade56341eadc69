import { expect, it } from 'vitest';
import { errorCodeOf } from '../error-code-of.ts';
import { call, type EngineHands, freshName } from './engine-hands.ts';

const MiB = 1024 * 1024;
const blockBytes = 4096;

/** Snapshots, volumes created from them, and readers. */
export function snapshotTests(hands: () => EngineHands): void {
  it('keeps the content of the volume, once per name, with its labels', async () => {
    const { engine, volumeBytes } = hands().under;
    const [volume, other, name] = [await hands().volume(), await hands().volume(), freshName()];
    await hands().fill(volume, MiB, 1);
    const labels = { owner: 'conformance' };
    const made = await engine.snapshot(volume, name, { ...call, labels });
    expect(made).toMatchObject({ name, volume, sizeBytes: BigInt(volumeBytes), labels });
    await hands().fill(volume, MiB, 2);
    expect(await engine.snapshot(volume, name, { ...call, labels })).toEqual(made);
    expect(await Array.fromAsync(engine.listSnapshots(volume, call))).toEqual([made]);
    expect((await hands().snapshotBytes(volume, name, MiB, 1))[0]).toBe(1);
    expect(await errorCodeOf(engine.snapshot(other, name, call))).toBe('SNAPSHOT_EXISTS');
    expect(await errorCodeOf(engine.openSnapshot(other, name, call))).toBe('SNAPSHOT_NOT_FOUND');
  });

  it('has the first of the writes that were acknowledged while it was taken', async () => {
    const { engine, write } = hands().under;
    if (!engine.can.rawSnapshotInUse) return;
    const [volume, name] = [await hands().volume(), freshName()];
    const device = await hands().attach(volume);
    const stop = new AbortController();
    let acknowledged = 0;
    const writer = (async () => {
      for (; !stop.signal.aborted && acknowledged < 2000; acknowledged++) {
        await write(device, acknowledged * blockBytes, new Uint8Array(blockBytes).fill(7));
      }
    })();
    while (acknowledged < 20) await write(device, 16 * MiB - blockBytes, new Uint8Array(blockBytes).fill(1));
    const before = acknowledged;
    await engine.snapshot(volume, name, call);
    const after = acknowledged;
    stop.abort();
    await writer;
    const bytes = await hands().snapshotBytes(volume, name, 0, 2001 * blockBytes);
    const written = Array.from({ length: 2001 }, (_, at) => bytes[at * blockBytes] === 7);
    const first = written.indexOf(false);
    expect(written.slice(first)).not.toContain(true);
    expect(first).toBeGreaterThanOrEqual(before);
    expect(first).toBeLessThanOrEqual(after + 1);
    await hands().detach(volume);
  });

  it('reverts a detached volume, which keeps its size, and is rejected while the volume is attached', async () => {
    const { engine, volumeBytes, deviceBytes } = hands().under;
    const [volume, name] = [await hands().volume(), freshName()];
    await hands().fill(volume, 0, 1);
    await engine.snapshot(volume, name, call);
    await engine.grow(volume, BigInt(volumeBytes * 2), call);
    await hands().fill(volume, 0, 2);
    await hands().fill(volume, volumeBytes, 2);
    const device = await hands().attach(volume);
    expect(await errorCodeOf(engine.revert(volume, name, call))).toBe('NOT_POSSIBLE_NOW');
    expect(await deviceBytes(device)).toBe(volumeBytes * 2);
    await hands().detach(volume);
    await engine.revert(volume, name, call);
    await engine.revert(volume, name, call);
    expect([await hands().byteAt(volume, 0), await hands().byteAt(volume, volumeBytes)]).toEqual([1, 0]);
    expect((await engine.get(volume, call))?.sizeBytes).toBe(BigInt(volumeBytes * 2));
    expect((await hands().snapshotBytes(volume, name, 0, 1))[0]).toBe(1);
  });

  it.each([0, 1, 2])('is unchanged when snapshot %i of three is deleted', async (deleted) => {
    const { engine } = hands().under;
    const volume = await hands().volume();
    const names: string[] = [];
    for (let value = 1; value <= 3; value++) {
      await hands().fill(volume, 0, value);
      names.push(freshName());
      await engine.snapshot(volume, names.at(-1) ?? '', call);
    }
    await engine.deleteSnapshot(volume, names[deleted] ?? '', call);
    await engine.deleteSnapshot(volume, names[deleted] ?? '', call);
    const left = names.filter((_, at) => at !== deleted);
    const listed = await Array.fromAsync(engine.listSnapshots(volume, call));
    expect(listed.map(({ name }) => name).sort()).toEqual(left.toSorted());
    for (const name of left) {
      expect((await hands().snapshotBytes(volume, name, 0, 1))[0]).toBe(names.indexOf(name) + 1);
    }
    expect(await hands().byteAt(volume, 0)).toBe(3);
  });

  it.each(['snapshot', 'volume'] as const)(
    'can be cloned: a clone of a %s is independent and remains when the source is deleted',
    async (kind) => {
      const { engine, volumeBytes } = hands().under;
      const [volume, name, clone] = [await hands().volume(), freshName(), freshName()];
      await hands().fill(volume, 0, 1);
      await engine.snapshot(volume, name, call);
      const source = kind === 'volume' ? { kind, volume } : { kind, volume, snapshot: name };
      const request = { name: clone, sizeBytes: BigInt(volumeBytes), source };
      if (!engine.can.clones) {
        expect(await errorCodeOf(engine.create(request, call))).toBe('NOT_SUPPORTED');
        return;
      }
      await engine.create(request, call);
      await hands().fill(clone, 4096, 2);
      expect([await hands().byteAt(volume, 4096), await hands().byteAt(clone, 0)]).toEqual([0, 1]);
      await engine.deleteSnapshot(volume, name, call);
      await engine.delete(volume, call);
      expect(await hands().byteAt(clone, 4096)).toBe(2);
      expect((await engine.create(request, call)).name).toBe(clone);
    },
  );

  it('of a deleted volume remains if the engine says so', async () => {
    const { engine } = hands().under;
    const [volume, name] = [await hands().volume(), freshName()];
    await hands().fill(volume, 0, 1);
    await engine.snapshot(volume, name, call);
    await engine.delete(volume, call);
    const found = await errorCodeOf(
      engine.openSnapshot(volume, name, call).then((reader) => reader[Symbol.asyncDispose]()),
    );
    expect(found === 'none').toBe(engine.can.snapshotsOutliveVolume);
    await engine.deleteSnapshot(volume, name, call);
    expect(await errorCodeOf(engine.openSnapshot(volume, name, call))).toMatch(/_NOT_FOUND$/);
  });

  it('can be read while its volume is written, within its size, and is not deleted until the reader is closed', async () => {
    const { engine, volumeBytes } = hands().under;
    const [volume, name] = [await hands().volume(), freshName()];
    await hands().fill(volume, 0, 1);
    await engine.snapshot(volume, name, call);
    const reader = await engine.openSnapshot(volume, name, call);
    await hands().fill(volume, 0, 2);
    const deleted = errorCodeOf(engine.deleteSnapshot(volume, name, call));
    const bytes = new Uint8Array(2);
    await reader.read(0n, bytes, call);
    expect(bytes).toEqual(Uint8Array.of(1, 1));
    for (const at of [-1n, BigInt(volumeBytes) - 1n, BigInt(volumeBytes)]) {
      expect(await errorCodeOf(reader.read(at, bytes, call))).toBe('OUT_OF_RANGE');
    }
    await reader[Symbol.asyncDispose]();
    expect(['VOLUME_BUSY', 'none']).toContain(await deleted);
    await engine.deleteSnapshot(volume, name, call);
    expect(await errorCodeOf(engine.openSnapshot(volume, name, call))).toBe('SNAPSHOT_NOT_FOUND');
  });
}
