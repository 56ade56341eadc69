import { annotations, volumeSnapshotType } from '@lateen/api-types';
import { type MetadataAnswer, MetadataChecker } from '@lateen/changed-blocks';
import { isAppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { spliceSnapshot } from '@lateen/repository-session';
import { describe, expect, it } from 'vitest';
import type { Retell } from './driver-connection.ts';
import { simulateUploads } from './simulate-uploads.ts';
import type { PlantedBug } from './upload-ports.ts';
import type { UploadWorld } from './upload-world.ts';

/* Proves that the simulation finds defects: each of these has to be found within a bounded number of seeds. */

const seedsMax = 100;

/** An API server whose kept snapshots have other notes. */
function withNotes(world: UploadWorld, change: Record<string, string | undefined>): KubeApi {
  const list: KubeApi['list'] = async (type, options) => {
    const found = await world.cluster.list(type, options);
    if (type.kind !== volumeSnapshotType.kind) return found;
    const items = found.items.map((item) => {
      const noted = JSON.parse(item.metadata.annotations?.[annotations.baseSnapshot] ?? '{}') as object;
      const told = {
        ...item.metadata.annotations,
        [annotations.baseSnapshot]: JSON.stringify({ ...noted, ...change }),
      };
      return { ...item, metadata: { ...item.metadata, annotations: told } };
    });
    return { ...found, items };
  };
  const { get, create } = world.cluster;
  return { get, create, list } as Partial<KubeApi> as KubeApi;
}

/** The snapshot that was stored last. */
const newestIn = ({ repository }: UploadWorld): string | undefined => [...repository.manifests.keys()].at(-1);

/** Accepts every answer that can be put into a list; the first block that cannot, and the rest of its message, are ignored. */
const believed: Retell = function* (_, answers, sizeBytes) {
  const checker = new MetadataChecker({ sizeBytes, chunkBytes: 1024 });
  for (const { blockMetadata, ...answer } of answers) {
    const told = { ...answer, volumeCapacityBytes: BigInt(sizeBytes) };
    const taken: MetadataAnswer['blockMetadata'][number][] = [];
    for (const block of blockMetadata) {
      try {
        checker.take({ ...told, blockMetadata: [block] });
      } catch {
        break;
      }
      taken.push(block);
    }
    yield { ...told, blockMetadata: taken };
  }
};

/** Takes the end of a broken stream for the end of the list. */
const cutUnnoticed = (of: 'changed' | 'allocated'): Retell =>
  function* (question, answers) {
    try {
      yield* answers;
    } catch (error) {
      if (question !== of || !isAppError(error, 'UNAVAILABLE')) throw error;
    }
  };

const differs = /differs from what the volume held|a verification has found a difference/;

const bugs: Readonly<Record<string, { bug: PlantedBug; found: RegExp }>> = {
  'does not verify what a driver leaves out': {
    bug: { verify: { every: 0, sharePercent: 0 } },
    found: /differs from what the volume held/,
  },
  'takes the kept snapshot for that of the newest one in the repository': {
    bug: { kube: (world) => withNotes(world, { snapshotID: newestIn(world) }) },
    found: differs,
  },
  'takes the kept snapshot of another volume': {
    bug: { kube: (world, { target: { volumeHandle } }) => withNotes(world, { volumeHandle }) },
    found: differs,
  },
  'believes a list that is not what the API says': { bug: { retell: believed }, found: differs },
  'takes a list of changes that was cut for a whole one': { bug: { retell: cutUnnoticed('changed') }, found: differs },
  'takes a list of blocks with data that was cut for a whole one': {
    bug: { retell: cutUnnoticed('allocated') },
    found: /differs from what the volume held/,
  },
  'meets a driver that leaves out blocks with data': {
    bug: { allocated: 'lying' },
    found: /differs from what the volume held/,
  },
  'takes blocks that have changed for those that have data': {
    bug: {
      connect: (whole, { bases }) => {
        const [base] = bases;
        if (base === undefined) return whole;
        const baseSnapshotId = base.snapshotHandle;
        return {
          ...whole,
          getMetadataAllocated: ({ snapshotName: targetSnapshotName, ...asked }, options) =>
            whole.getMetadataDelta({ ...asked, targetSnapshotName, baseSnapshotId }, options),
        };
      },
    },
    found: /differs from what the volume held/,
  },
  'leaves out the last changed range': {
    bug: {
      splice: (options, request) => spliceSnapshot(options, { ...request, changed: [...request.changed].slice(0, -1) }),
    },
    found: /differs from what the volume held|a verification has found a difference|not an unchanged chunk/,
  },
  'reads the volume as it is now in the place of its snapshot': {
    bug: {
      splice: (options, request) => spliceSnapshot(options, { ...request, read: async (into) => void into.fill(7) }),
    },
    found: /differs from what the volume held/,
  },
};

describe('an upload that', () => {
  it.each(Object.entries(bugs))('%s is detected', async (_, { bug, found }) => {
    const seen: string[] = [];
    for (let seed = 1; seed <= seedsMax; seed++) {
      seen.push(...(await simulateUploads(seed, bug)).violations);
      if (seen.some((violation) => found.test(violation))) return;
    }
    expect(seen).toContainEqual(expect.stringMatching(found));
  });
});
