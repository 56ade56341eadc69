import type { ContentLocation, KopiaRepository } from '@lateen/kopia-format';

/** Contents held at a time: some 60 MB. */
export const contentsInGroupMax = 200_000;

/** All contents of some packs. */
export type PackGroup = Map<string, ContentLocation[]>;

/** All contents by their packs, in as many groups as keep each near {@link contentsInGroupMax}; a pack is in one group. */
export async function* packGroups(
  repository: Pick<KopiaRepository, 'contentsMax' | 'allContents'>,
  signal: AbortSignal,
): AsyncGenerator<PackGroup> {
  const groups = Math.max(1, Math.ceil(repository.contentsMax / contentsInGroupMax));
  for (let group = 0; group < groups; group++) {
    const packs: PackGroup = new Map();
    const isIn = (packId: string) => numberOf(packId) % groups === group;
    for await (const contents of repository.allContents(isIn, signal)) {
      for (const content of contents) {
        const ofPack = packs.get(content.packId);
        if (ofPack === undefined) packs.set(content.packId, [content]);
        else ofPack.push(content);
      }
    }
    for (const contents of packs.values()) contents.sort((a, b) => a.offset - b.offset);
    yield packs;
  }
}

/** Names of packs are a letter and random hex. */
const numberOf = (packId: string): number => Number.parseInt(packId.slice(1, 9), 16) || 0;
