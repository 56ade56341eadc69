import type { Call } from '@lateen/block-engine';
import { expect, it } from 'vitest';
import { type EngineHands, freshName } from './engine-hands.ts';

/** An aborted call ends with its reason, and the same call succeeds afterwards. */
export function abandonedCallTests(hands: () => EngineHands): void {
  it('can be aborted before each call', async () => {
    const { engine, node, volumeBytes } = hands().under;
    const [name, snapshot, by] = [freshName(), freshName(), 'x'];
    const steps: readonly [string, (o: Call) => Promise<unknown>][] = [
      ['create', (o) => engine.create({ name, sizeBytes: BigInt(volumeBytes) }, o)],
      ['get', (o) => engine.get(name, o)],
      ['attach', (o) => engine.attach(name, node, { ...o, by })],
      ['detach', (o) => engine.detach(name, node, { ...o, by })],
      ['grow', (o) => engine.grow(name, BigInt(volumeBytes * 2), o)],
      ['snapshot', (o) => engine.snapshot(name, snapshot, o)],
      ['list', (o) => Array.fromAsync(engine.listSnapshots(name, o))],
      ['extents', (o) => Array.fromAsync(engine.extents(name, snapshot, o))],
      ['open', async (o) => (await engine.openSnapshot(name, snapshot, o))[Symbol.asyncDispose]()],
      ['revert', (o) => engine.revert(name, snapshot, o)],
      ['condition', (o) => engine.condition(name, o)],
      ['capacity', (o) => engine.capacity(undefined, {}, o)],
      ['delete a snapshot', (o) => engine.deleteSnapshot(name, snapshot, o)],
      ['delete', (o) => engine.delete(name, o)],
    ];
    for (const [title, step] of steps) {
      const given = new AbortController();
      const reason = new Error(`gave up ${title}`);
      given.abort(reason);
      await expect(step({ signal: given.signal })).rejects.toBe(reason);
      await step({ signal: new AbortController().signal });
    }
  });
}
