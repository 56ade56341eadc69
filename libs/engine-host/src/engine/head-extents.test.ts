import type { ReplicaLayers, StatusLink } from '@lateen/block-engine';
import { describe, expect, it } from 'vitest';
import { headExtents, layersToCompare } from './head-extents.ts';

/** Snapshots from the oldest to the newest; `-name` is removed. */
function chain(...names: string[]): ReplicaLayers {
  const layers = names.map((text, index) => ({
    name: text.replace('-', ''),
    parent: names[index - 1]?.replace('-', ''),
    children: [],
    removed: text.startsWith('-'),
    userCreated: true,
    created: '2030-01-01T00:00:00Z',
    sizeBytes: 1n,
    labels: {},
    volumeBytes: 1n,
  }));
  return { sizeBytes: 1n, recordState: 'whole', headParent: layers.at(-1)?.name, headBytes: 1n, layers };
}
const all = Number.POSITIVE_INFINITY;

describe('the layers to compare', () => {
  it.each<[string, (ReplicaLayers | undefined)[], number[]]>([
    ['the heads when all have the same snapshot below', [chain('s1', 's2'), chain('s1', 's2')], [1, 1]],
    ['a snapshot that only one has, with its head', [chain('s1', 's2'), chain('s1')], [2, 1]],
    ['only the heads when one has merged older snapshots', [chain('s1', 's2'), chain('s2')], [1, 1]],
    ['a removed snapshot, too, because it may be partly merged', [chain('s1', '-s2'), chain('s1', 's2')], [2, 2]],
    ['all layers without a snapshot', [chain(), chain()], [all, all]],
    ['all layers when one replica does not report its own', [chain('s1'), undefined], [all, all]],
  ])('are %s', (_, chains, layers) => {
    const named = new Map(chains.map((one, index) => [`r${index}`, one]));
    expect([...layersToCompare(named).values()]).toEqual(layers);
  });

  const linkOf = (depths: readonly number[], runBytes = 1): StatusLink =>
    ({
      contexts: ['qemu:allocation-depth'],
      // Runs may end early and extend beyond the requested area.
      status: async (_: string, at: bigint) =>
        depths
          .slice(Math.floor(Number(at) / runBytes), Math.floor(Number(at) / runBytes) + 2)
          .map((value) => ({ value, lengthBytes: runBytes })),
    }) as unknown as StatusLink;
  const extentsOf = async (heads: Parameters<typeof headExtents>[0], sizeBytes: bigint) => {
    const found: string[] = [];
    for await (const { startBytes, lengthBytes } of headExtents(heads, { sizeBytes, statusBytes: 4 }))
      found.push(`${startBytes}+${lengthBytes}`);
    return found;
  };

  it('the areas are those that any replica has in these layers, ascending and not overlapping', async () => {
    const one = { link: linkOf([0, 1, 1, 2, 0, 0, 1, 0, 0, 0]), layers: 1 };
    const other = { link: linkOf([0, 0, 1, 2, 2, 3, 0, 0, 0, 1]), layers: 2 };
    expect(await extentsOf([one, other], 10n)).toEqual(['1+3', '4+1', '6+1', '9+1']);
  });

  it('the areas are everything when a replica cannot list its own', async () => {
    const silent = { link: { contexts: [] } as unknown as StatusLink, layers: 1 };
    expect(await extentsOf([{ link: linkOf([0]), layers: 1 }, silent], 10n)).toEqual(['0+10']);
  });
});
