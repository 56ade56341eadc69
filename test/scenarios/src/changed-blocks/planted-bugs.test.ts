import { decideRead, MetadataChecker } from '@lateen/changed-blocks';
import { spliceSnapshot } from '@lateen/repository-session';
import { describe, expect, it } from 'vitest';
import { simulateUploads } from './simulate-uploads.ts';
import type { PlantedBug } from './upload-ports.ts';

/* Proves that the simulation finds defects: each of these has to be found within a bounded number of seeds. */

const seedsMax = 100;

/** Accepts every answer that can be put into a list. */
class BelievesAll extends MetadataChecker {
  override take(answer: Parameters<MetadataChecker['take']>[0]): void {
    try {
      super.take(answer);
    } catch {
      // The rest of the message is ignored.
    }
  }
}

const bugs: Readonly<Record<string, { bug: PlantedBug; found: RegExp }>> = {
  'does not verify what a driver leaves out': {
    bug: { verify: { every: 0, sharePercent: 0 } },
    found: /differs from what the volume held/,
  },
  'takes the kept snapshot for that of the newest one in the repository': {
    bug: {
      decide: (facts) => {
        const [newest] = facts.stored;
        const bases = facts.bases.map((base) => ({ ...base, snapshotID: newest?.snapshotID ?? base.snapshotID }));
        return decideRead({ ...facts, bases });
      },
    },
    found: /differs from what the volume held|a verification has found a difference/,
  },
  'takes the kept snapshot of another volume': {
    bug: {
      decide: (facts) => {
        const { volumeHandle } = facts.target;
        return decideRead({ ...facts, bases: facts.bases.map((base) => ({ ...base, volumeHandle })) });
      },
    },
    found: /differs from what the volume held|a verification has found a difference/,
  },
  'believes a list that is not what the API says': {
    bug: { checker: (limits) => new BelievesAll(limits) },
    found: /differs from what the volume held|a verification has found a difference/,
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
