import {
  type DataDownload,
  dataDownloadType,
  isTerminalPhase,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import type { ApiCall } from '@lateen/testing';
import { aDataDownload, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, untilConcluded, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * The restored volume is handed to its claim in a few writes, and the volume binder has to act in between. A cancel comes before or after
 * each of those writes, while the binder is fast, slow, slower than a cancel may take, or stopped in the middle of a binding. Afterwards
 * either the claim has the filled volume, or nothing of it is left; and the next download of the same name is not affected.
 */
const key = { namespace: 'velero', name: 'download' };
const writesMax = 20;
const verbs = new Set(['create', 'patch', 'update', 'delete']);
const cancelWithinMs = 30_000;

const asks: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'by spec.cancel': async (world) => {
    world.cluster.change<DataDownload>(dataDownloadType, key, ({ spec }) => {
      spec.cancel = true;
    });
  },
  'by deletion': async (world) => {
    await world.cluster.delete(dataDownloadType, key);
  },
};

/** What stops when the cancel comes, and for how long; Infinity: until the end is recorded. */
const binders: readonly { is: string; hold: 'hold' | 'holdClaims' | undefined; forMs: number }[] = [
  { is: 'is quick', hold: undefined, forMs: 0 },
  { is: 'takes 5 s', hold: 'hold', forMs: 5_000 },
  { is: 'takes 5 s between volume and claim', hold: 'holdClaims', forMs: 5_000 },
  { is: 'takes two minutes', hold: 'hold', forMs: 120_000 },
  { is: 'takes two minutes between volume and claim', hold: 'holdClaims', forMs: 120_000 },
  { is: 'comes back when the end is recorded', hold: 'hold', forMs: Number.POSITIVE_INFINITY },
  { is: 'comes back between volume and claim then', hold: 'holdClaims', forMs: Number.POSITIVE_INFINITY },
];

const isMark = ({ verb, type }: ApiCall) => verb === 'patch' && type.resource === persistentVolumeType.resource;

/** A mover that has finished, and an agent that hands the volume over. `ask` runs at one write of that; returns whether the write came. */
function rebinding(world: World, atWrite: number, when: 'before' | 'after', ask: () => Promise<void>): () => boolean {
  let writes = -1;
  let asked = false;
  world.cluster.intercept(async (call, next) => {
    if (writes < 0 && isMark(call)) writes = 0;
    const isIt = !asked && writes >= 0 && verbs.has(call.verb) && writes++ === atWrite;
    if (!isIt) return await next();
    asked = true;
    if (when === 'before') await ask();
    const answer = await next();
    if (when === 'after') await ask();
    return answer;
  });
  withAgents(world);
  return () => asked;
}

/** Runs `act` right after the write that records how the movement ended. */
function afterEnd(world: World, act: () => void): void {
  world.cluster.intercept(async (call, next) => {
    const answer = await next();
    const { status } = (call.body as { body?: Partial<DataDownload> } | undefined)?.body ?? {};
    if (call.type.kind === 'DataDownload' && isTerminalPhase(status?.phase)) act();
    return answer;
  });
}

const claimOf = (world: World, name: string) =>
  world.cluster.find(persistentVolumeClaimType, { namespace: 'app', name });
const volumeOf = (world: World, claim: string) =>
  world.cluster.find(persistentVolumeType, { name: claimOf(world, claim)?.spec.volumeName ?? '' });

/** The claim has its filled volume, which is no longer ours; or it names none. Returns the data that has to exist. */
function expectWhole(world: World, claim: string, has: boolean): string[] {
  const { spec, metadata, status } = claimOf(world, claim) ?? {};
  if (!has) {
    expect(spec?.volumeName).toBeUndefined();
    return [];
  }
  const volume = volumeOf(world, claim);
  expect(status?.phase).toBe('Bound');
  expect(volume).toMatchObject({ status: { phase: 'Bound' }, spec: { claimRef: { uid: metadata?.uid } } });
  expect(volume?.spec.persistentVolumeReclaimPolicy).toBe('Delete');
  expect(volume?.metadata.annotations).toEqual({});
  expect(volume?.metadata.labels).not.toHaveProperty('lateen.dev/exposed-for');
  expect(volume?.metadata.deletionTimestamp).toBeUndefined();
  return [volume?.spec.csi?.volumeHandle ?? ''];
}

/** The next download of the same name, into another claim. */
async function runLater(world: World): Promise<void> {
  world.cluster.remove(dataDownloadType, key);
  world.phases.delete('DataDownload/download');
  world.cluster.put(
    aPersistentVolumeClaim({
      name: 'later',
      uid: 'claim-later',
      spec: { selector: { matchLabels: { for: 'later' } } },
    }),
    aDataDownload({ uid: 'later', spec: { targetVolume: { namespace: 'app', pvc: 'later', pv: '' } } }),
  );
  await untilConcluded(world, theDownload, 5 * 60_000);
}

describe.each(Object.entries(asks))('a download that is cancelled %s while its volume is handed over', (_, ask) => {
  describe.each(binders)('and the volume binder $is', ({ hold, forMs }) => {
    it.each(['before', 'after'] as const)(
      '%s each write: the claim has the volume, or nothing is left',
      async (when) => {
        const ends = new Set<string>();
        let points = 0;
        for (let write = 0; write < writesMax; write++) {
          const world = downloadWorld();
          const { binder } = world.storage;
          let askedMs = 0;
          const comeBack = () => {
            if (hold !== undefined) binder[hold] = false;
            world.react();
          };
          if (!Number.isFinite(forMs)) afterEnd(world, comeBack);
          const asked = rebinding(world, write, when, async () => {
            askedMs = world.clock.now();
            if (hold !== undefined) binder[hold] = true;
            if (world.download() !== undefined) await ask(world);
          });
          await world.until(() => asked() || world.download()?.metadata.finalizers?.length === 0);
          if (!asked()) break;
          points += 1;
          const isOver = () => world.download()?.metadata.finalizers?.length !== 1;
          await world.until(isOver, cancelWithinMs);
          const end = world.phases.get('DataDownload/download')?.at(-1) ?? '';
          const at = `write ${write}: ${end}`;
          expect(isTerminalPhase(end as 'Canceled'), at).toBe(true);
          ends.add(end);
          // The binder is still stopped, and what is left of the first run could disturb this one.
          const later = runLater(world);
          if (Number.isFinite(forMs)) await world.clock.advance(Math.max(askedMs + forMs - world.clock.now(), 0));
          comeBack();
          await later;
          await world.clock.advance(60_000);
          expect(world.phases.get('DataDownload/download'), at).toEqual([
            'New',
            'Accepted',
            'Prepared',
            'InProgress',
            'Completed',
          ]);
          const volumes = [...expectWhole(world, 'data', end === 'Completed'), ...expectWhole(world, 'later', true)];
          expect(leftovers(world, { volumes }), at).toEqual([]);
          expect([...world.storage.volumes].toSorted(), at).toEqual(volumes.toSorted());
          await world.stop();
        }
        expect(points).toBeGreaterThan(6);
        expect(points).toBeLessThan(writesMax);
        expect(ends).toEqual(new Set(['Canceled', 'Completed']));
      },
    );
  });
});

describe.each([
  ['its next process', 'node-1'],
  ['the agent of another node', 'node-2'],
])('a download whose node-agent dies while the volume is handed over, and that %s then cancels', (_, heir) => {
  describe.each(binders.filter(({ is }) => !is.includes('s between')))(
    'and the volume binder $is',
    ({ hold, forMs }) => {
      it('at each write: the claim has the volume, or nothing is left', async () => {
        const ends = new Set<string>();
        for (let write = 0; write < 2 * writesMax; write++) {
          const world = downloadWorld();
          const { binder } = world.storage;
          const comeBack = () => {
            if (hold !== undefined) binder[hold] = false;
            world.react();
          };
          onTestFinished(() => world.stop());
          world.startAgent('node-1', { atWrite: write, when: 'after' });
          await world.until(() => world.agentIsDead() || world.download()?.metadata.finalizers?.length === 0);
          if (!world.agentIsDead()) break;
          if (isTerminalPhase(world.download()?.status?.phase)) continue;
          if (hold !== undefined) binder[hold] = true;
          if (!Number.isFinite(forMs)) afterEnd(world, comeBack);
          await asks['by spec.cancel']?.(world);
          await world.stopAgent('node-1');
          world.startAgent(heir);
          world.react();
          if (Number.isFinite(forMs)) await world.clock.advance(forMs);
          if (Number.isFinite(forMs)) comeBack();
          await untilConcluded(world, theDownload, 10 * 60_000);
          comeBack();
          await world.clock.advance(60_000);
          const end = world.phases.get('DataDownload/download')?.at(-1) ?? '';
          ends.add(end);
          const volumes = expectWhole(world, 'data', end === 'Completed');
          expect(leftovers(world, { volumes }), `write ${write}: ${end}`).toEqual([]);
          await world.stop();
        }
        expect(ends).toContain('Canceled');
      });
    },
  );
});
