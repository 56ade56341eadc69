import { finalizers } from '@lateen/api-types';
import type { KubeApi, Patch } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { runSeeds } from './run-seeds.ts';
import type { PlantedBug } from './simulation-result.ts';

/*
 * Proves that the simulation finds defects. Each of these is planted between the product and the API, and has to be found within a bounded
 * number of seeds, by the rule that covers it.
 */

const seedsMax = 150;

/** The API with some of its verbs replaced. */
const wrapped =
  (replace: (kube: KubeApi) => Partial<KubeApi>) =>
  (kube: KubeApi): KubeApi => ({ ...kube, ...replace(kube) });

type Body = { metadata?: Record<string, unknown>; status?: Record<string, unknown> };
const editedPatch = (patch: Patch, edit: (body: Body) => void): Patch => {
  if (patch.type !== 'merge') return patch;
  const body = structuredClone(patch.body) as Body;
  edit(body);
  return { ...patch, body };
};
const patching = (edit: (body: Body) => void): PlantedBug => ({
  wrap: wrapped((kube) => ({
    patch: (type, key, patch, options) => kube.patch(type, key, editedPatch(patch, edit), options),
  })),
});
const endedPhases = ['Completed', 'Failed', 'Canceled'];

/** `from`: the first seed to run, for defects that need a rare event. */
const bugs: Record<string, { bug: PlantedBug; found: RegExp; from?: number }> = {
  'writes without looking at resourceVersion': {
    bug: patching(({ metadata }) => delete metadata?.resourceVersion),
    found: /terminalPhasesStay|phasesMoveLegally|onlyTheOwnerWrites|slotsAreNotExceeded|attemptsAreCounted/,
  },
  'has one slot too many': {
    bug: { limits: { slots: 4 } },
    found: /slotsAreNotExceeded/,
  },
  'tries once too often': {
    bug: { limits: { attempts: 4 } },
    found: /attemptsAreCounted/,
  },
  'never tries again': {
    bug: { limits: { attempts: 1 } },
    found: /ended Failed/,
  },
  'removes its finalizer before it has cleaned up': {
    bug: {
      wrap: wrapped((kube) => ({
        delete: (type, key, options) =>
          type.kind === 'PersistentVolumeClaim' ? Promise.resolve() : kube.delete(type, key, options),
      })),
    },
    found: /left behind: claim/,
  },
  'forgets its finalizer': {
    bug: patching(({ metadata }) => {
      const list = metadata?.finalizers as string[] | undefined;
      if (list?.length === 0 && metadata !== undefined) metadata.finalizers = [finalizers.dataUploadDownload];
    }),
    found: /has not ended|left behind/,
  },
  'says InProgress where Prepared belongs': {
    bug: patching(({ status }) => {
      if (status?.phase === 'Prepared') status.phase = 'InProgress';
    }),
    found: /phasesMoveLegally/,
  },
  'does not say why it failed': {
    bug: patching(({ status }) => {
      if (endedPhases.includes(String(status?.phase))) delete status?.message;
    }),
    found: /endsAreExplained/,
  },
  'takes over at once from an agent that is away': {
    bug: { limits: { agentLostMs: 2_000 } },
    found: /onlyTheOwnerWrites/,
  },
  'loses a change now and then and does not list again': {
    bug: {
      wrap: wrapped((kube) => ({
        async *watch(type, options) {
          let seen = 0;
          for await (const event of kube.watch(type, options)) if (++seen % 5 !== 0) yield event;
        },
      })),
    },
    found: /has not ended|ended Failed|left behind/,
  },
  'lets a next attempt write at once, whatever became of the last mover': {
    bug: { limits: { nextWriterAfterMs: 0 } },
    found: /two movers write the volume/,
    from: 31,
  },
  'does not see that the pod of a volume has gone': {
    bug: {
      wrap: wrapped((kube) => {
        const kept = new Map<string, unknown>();
        return {
          get: async (type, key, options) => {
            if (type.kind !== 'Pod' || key.namespace !== 'app') return await kube.get(type, key, options);
            const found = await kube.get(type, key, options).catch(() => undefined);
            const isWell = found !== undefined && found.metadata.deletionTimestamp === undefined;
            if (isWell) kept.set(key.name, found);
            return (isWell ? found : kept.get(key.name)) as never;
          },
        };
      }),
    },
    found: /its pod was gone before all was read/,
  },
  'believes a completion that no mover has reported': {
    bug: patching(({ status }) => {
      if (status?.phase === 'Failed') Object.assign(status, { phase: 'Completed', snapshotID: 'made up' });
    }),
    found: /nobody has saved|is not bound|holds not all data|allowed: (Failed|Canceled)/,
  },
};

const never = 24 * 3_600_000;
const moverBugs: typeof bugs = {
  'goes on writing when nobody confirms its attempt': {
    bug: { fenceLimits: { confirmedForMs: never } },
    found: /two movers write the volume/,
    from: 271,
  },
  'waits for an engine that does not stop': {
    bug: { fenceLimits: { engineStopMs: never } },
    found: /two movers write the volume/,
    from: 271,
  },
};

describe.each([
  ['a node-agent', bugs],
  ['a mover', moverBugs],
])('%s that', (__, planted) => {
  it.each(Object.entries(planted))('%s is detected', async (_, { bug, found, from: first = 1 }) => {
    const seen: string[] = [];
    for (let from = first; from < first + seedsMax; from += 10) {
      const { failures } = await runSeeds({ from, seeds: 10 }, bug);
      seen.push(...failures.flatMap(({ violations }) => violations));
      if (seen.some((violation) => found.test(violation))) return;
    }
    expect(seen).toContainEqual(expect.stringMatching(found));
  });
});
