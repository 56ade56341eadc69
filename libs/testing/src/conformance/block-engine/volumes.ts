import { expect, it } from 'vitest';
import { errorCodeOf } from '../error-code-of.ts';
import { call, type EngineHands, freshName } from './engine-hands.ts';

/** Creating, finding, attaching, expanding and deleting volumes. */
export function volumeTests(hands: () => EngineHands): void {
  it('is created once, is found, and its name is rejected for another size or source', async () => {
    const { engine, volumeBytes } = hands().under;
    const request = { name: freshName(), sizeBytes: BigInt(volumeBytes) };
    const made = await engine.create(request, call);
    expect(made).toEqual({ ...request, attachedTo: [] });
    expect(await engine.create(request, call)).toEqual(made);
    expect(await engine.get(request.name, call)).toEqual(made);
    const larger = { ...request, sizeBytes: request.sizeBytes * 2n };
    expect(await errorCodeOf(engine.create(larger, call))).toBe('VOLUME_EXISTS');
    const source = { kind: 'volume', volume: await hands().volume() } as const;
    expect(await errorCodeOf(engine.create({ ...request, source }, call))).toBe('VOLUME_EXISTS');
  });

  it('has a size that is rounded up, and never down', async () => {
    const { engine, volumeBytes } = hands().under;
    const request = { name: freshName(), sizeBytes: BigInt(volumeBytes) + 1n };
    const { sizeBytes } = await engine.create(request, call);
    expect(sizeBytes).toBeGreaterThan(request.sizeBytes);
    expect((await engine.create(request, call)).sizeBytes).toBe(sizeBytes);
  });

  it.each([0n, -1n, 2n ** 63n, 2n ** 64n])('cannot have %i bytes', async (sizeBytes) => {
    const { engine } = hands().under;
    expect(await errorCodeOf(engine.create({ name: freshName(), sizeBytes }, call))).toBe('OUT_OF_RANGE');
    expect(await errorCodeOf(engine.grow(await hands().volume(), sizeBytes, call))).toBe('OUT_OF_RANGE');
  });

  it.each([
    ['no letters', ''],
    ['too many letters', 'x'.repeat(129)],
  ])('cannot have a name with %s in any call', async (_title, name) => {
    const { engine, node, volumeBytes } = hands().under;
    const volume = await hands().volume();
    const calls = [
      () => engine.create({ name, sizeBytes: BigInt(volumeBytes) }, call),
      () => engine.delete(name, call),
      () => engine.get(name, call),
      () => engine.attach(name, node, { ...call, by: 'x' }),
      () => engine.snapshot(volume, name, call),
    ];
    for (const each of calls) expect(await errorCodeOf(each())).toBe('INVALID_ARGUMENT');
  });

  it('cannot have an unknown parameter', async () => {
    const { engine, volumeBytes } = hands().under;
    const request = { name: freshName(), sizeBytes: BigInt(volumeBytes), parameters: { noSuchParameter: 'x' } };
    expect(await errorCodeOf(engine.create(request, call))).toBe('INVALID_ARGUMENT');
    expect(await engine.get(request.name, call)).toBeUndefined();
  });

  it('keeps its data from one attachment to the next, and reports where it is attached', async () => {
    const { engine, node, write, read, deviceBytes, volumeBytes } = hands().under;
    const volume = await hands().volume();
    const device = await hands().attach(volume);
    expect(await hands().attach(volume)).toBe(device);
    expect(await deviceBytes(device)).toBe(volumeBytes);
    expect(await engine.get(volume, call)).toMatchObject({ attachedTo: [node] });
    await write(device, 8192, new Uint8Array(4096).fill(5));
    await hands().detach(volume);
    await hands().detach(volume);
    expect(await engine.get(volume, call)).toMatchObject({ attachedTo: [] });
    const again = await hands().attach(volume);
    expect(await read(again, 8191, 3)).toEqual(Uint8Array.of(0, 5, 5));
    await hands().detach(volume);
  });

  it('keeps the device until all users have detached it', async () => {
    const { engine, node } = hands().under;
    const volume = await hands().volume();
    const ask = (by: string) => ({ ...call, by });
    await engine.attach(volume, node, ask('one'));
    await engine.attach(volume, node, ask('other'));
    await engine.detach(volume, node, ask('one'));
    expect(await engine.get(volume, call)).toMatchObject({ attachedTo: [node] });
    expect(await errorCodeOf(engine.delete(volume, call))).toBe('VOLUME_BUSY');
    await engine.detach(volume, node, ask('other'));
    expect(await engine.get(volume, call)).toMatchObject({ attachedTo: [] });
  });

  it('is attached to one node at a time', async () => {
    const { engine, otherNode = 'no-such-node' } = hands().under;
    const volume = await hands().volume();
    await hands().fill(volume, 0, 3);
    await hands().attach(volume);
    const elsewhere = errorCodeOf(engine.attach(volume, otherNode, { ...call, by: 'x' }));
    expect(await elsewhere).toBe(engine.can.multiNode ? 'VOLUME_BUSY' : 'NOT_POSSIBLE_NOW');
    await hands().detach(volume);
  });

  it('grows, even while it is attached if the engine can, keeps its data, and never shrinks', async () => {
    const { engine, volumeBytes, read, deviceBytes } = hands().under;
    const volume = await hands().volume();
    await hands().fill(volume, volumeBytes - 4096, 9);
    const before = engine.can.onlineGrow ? await hands().attach(volume) : undefined;
    expect((await engine.grow(volume, BigInt(volumeBytes * 2), call)).sizeBytes).toBe(BigInt(volumeBytes * 2));
    const device = before ?? (await hands().attach(volume));
    expect(await deviceBytes(device)).toBe(volumeBytes * 2);
    expect(await read(device, volumeBytes - 1, 2)).toEqual(Uint8Array.of(9, 0));
    await hands().detach(volume);
    expect(await errorCodeOf(engine.grow(volume, BigInt(volumeBytes), call))).toBe('OUT_OF_RANGE');
  });

  it('is deleted, and deleting a missing one succeeds', async () => {
    const { engine, node } = hands().under;
    const volume = await hands().volume();
    await engine.delete(volume, call);
    await engine.delete(volume, call);
    expect(await engine.get(volume, call)).toBeUndefined();
    await hands().detach(volume);
    const calls = [
      () => engine.attach(volume, node, { ...call, by: 'x' }),
      () => engine.grow(volume, 1n << 30n, call),
      () => engine.snapshot(volume, freshName(), call),
      () => engine.condition(volume, call),
      () => engine.trim(volume, call),
      () => Array.fromAsync(engine.listSnapshots(volume, call)),
    ];
    // One after the other: parallel calls could reject each other as busy.
    for (const each of calls) expect(await errorCodeOf(each())).toBe('VOLUME_NOT_FOUND');
  });

  it('is healthy, reports free space, and cannot be trimmed without a mounted file system', async () => {
    const { engine } = hands().under;
    const volume = await hands().volume();
    expect(await engine.condition(volume, call)).toMatchObject({ abnormal: false });
    expect(await errorCodeOf(engine.trim(volume, call))).toBe('NOT_POSSIBLE_NOW');
    const { availableBytes, largestBytes } = await engine.capacity(undefined, {}, call);
    expect(availableBytes).toBeGreaterThan(0n);
    expect(largestBytes <= availableBytes).toBe(true);
  });
}
