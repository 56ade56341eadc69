import type { StatusLink } from '@lateen/block-engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chainAreas, type OpenChain } from './chain-areas.ts';

const sectorBytes = 4096;
const granularityBytes = 8192;
const { signal } = new AbortController();

interface Layer {
  readonly name: string;
  readonly sectors: ReadonlyMap<number, number>;
  readonly below: Layer | undefined;
  /** Size of the volume when the layer was frozen. */
  readonly size: number;
}

const chainOf = (layer: Layer | undefined): Layer[] => (layer === undefined ? [] : [layer, ...chainOf(layer.below)]);

const contentOf = (layer: Layer): number[] =>
  Array.from({ length: layer.size }, (_, sector) => {
    const chain = chainOf(layer).filter(({ size }) => sector < size);
    return chain.find(({ sectors }) => sectors.has(sector))?.sectors.get(sector) ?? 0;
  });

/** As a storage daemon shows a layer with the layers below it; `asked` counts queries. */
function opened(layer: Layer, asked = { count: 0 }): OpenChain {
  const chain = chainOf(layer);
  const content = contentOf(layer);
  const refuse = () => Promise.reject(new Error('only tables are read'));
  const link: StatusLink = {
    sizeBytes: BigInt(layer.size * sectorBytes),
    oldestPendingMs: undefined,
    closed: new Promise(() => {}),
    contexts: ['base:allocation', 'qemu:allocation-depth'],
    status: async (context, at, lengthBytes) => {
      asked.count++;
      const first = Number(at) / sectorBytes;
      return Array.from({ length: Math.ceil(lengthBytes / sectorBytes) }, (_, index) => {
        const depth = chain.findIndex(({ sectors }) => sectors.has(first + index)) + 1;
        const flags = depth === 0 ? 3 : content[first + index] === 0 ? 2 : 0;
        return { lengthBytes: sectorBytes, value: context === 'base:allocation' ? flags : depth };
      });
    },
    read: refuse,
    write: refuse,
    zero: refuse,
    trim: refuse,
    flush: refuse,
    [Symbol.asyncDispose]: async () => {},
  };
  return { link, chain: chain.map(({ name }) => name) };
}

const writes = fc.array(fc.tuple(fc.nat(47), fc.nat(3)), { maxLength: 8 });
/** Snapshots in a tree (a revert adds a branch), some of them taken after the volume grew. */
const trees = fc
  .array(fc.record({ parent: fc.nat(20), writes, grow: fc.nat(4) }), { minLength: 1, maxLength: 8 })
  .map((steps) => {
    const layers: Layer[] = [];
    for (const [index, { parent, writes: own, grow }] of steps.entries()) {
      const below = layers.length === 0 || parent === 20 ? undefined : layers[parent % layers.length];
      const size = Math.max(32, ...layers.map((layer) => layer.size)) + grow;
      const sectors = new Map(own.filter(([sector]) => sector < size));
      layers.push({ name: `s${index}`, sectors, below, size });
    }
    return layers;
  });

it('lists all areas with data, or all that differ from any other snapshot of the tree, so that copying them gives equal content', async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.nat(), fc.nat(), fc.nat(), async (layers, one, other, place) => {
      const [target, base] = [layers[one % layers.length], layers[other % layers.length]];
      if (target === undefined || base === undefined) return;
      const wanted = contentOf(target);
      for (const since of [undefined, base]) {
        const request = { snapshot: opened(target), since: since && opened(since), granularityBytes };
        const found = await Array.fromAsync(chainAreas({ ...request, startBytes: 0n }, signal));
        const result = Array.from({ length: target.size }, (_, sector) => (since && contentOf(since)[sector]) ?? 0);
        let end = -1n;
        for (const { startBytes, lengthBytes } of found) {
          expect(startBytes > end && lengthBytes > 0n && startBytes % BigInt(granularityBytes) === 0n).toBe(true);
          end = startBytes + lengthBytes;
          expect(end <= BigInt(target.size * sectorBytes)).toBe(true);
          for (let at = startBytes; at < end; at += BigInt(sectorBytes))
            result[Number(at) / sectorBytes] = wanted[Number(at) / sectorBytes] ?? 0;
        }
        expect(result).toEqual(wanted);
        const startBytes = BigInt(place % (target.size * sectorBytes + 1));
        const rest = await Array.fromAsync(chainAreas({ ...request, startBytes }, signal));
        const last = (list: typeof found) => list.map((each) => each.startBytes + each.lengthBytes);
        expect(last(rest)).toEqual(last(found).filter((each) => each > startBytes));
      }
    }),
    { numRuns: 300 },
  );
});

it('does not query a snapshot that is an ancestor of the other, and lists nothing for equal snapshots', async () => {
  const older: Layer = { name: 'a', sectors: new Map([[1, 1]]), below: undefined, size: 32 };
  const newer: Layer = { name: 'b', sectors: new Map([[4, 0]]), below: older, size: 32 };
  const asked = { count: 0 };
  const request = { startBytes: 0n, granularityBytes };
  const changed = { startBytes: 16_384n, lengthBytes: 8192n };
  const since = opened(older, asked);
  expect(await Array.fromAsync(chainAreas({ ...request, snapshot: opened(newer), since }, signal))).toEqual([changed]);
  expect(await Array.fromAsync(chainAreas({ ...request, snapshot: since, since: opened(newer) }, signal))).toEqual([
    changed,
  ]);
  expect(await Array.fromAsync(chainAreas({ ...request, snapshot: since, since }, signal))).toEqual([]);
  expect(asked.count).toBe(0);
});
