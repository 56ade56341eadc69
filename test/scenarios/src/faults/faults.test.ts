import { isTerminalPhase } from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { aDataDownload, aDataUpload, aPodVolumeBackup, aPodVolumeRestore } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { downloadWorld, podBackupWorld, podRestoreWorld, uploadWorld } from '../world/movement-worlds.ts';
import {
  theDownload,
  thePodVolumeBackup,
  thePodVolumeRestore,
  theUpload,
  untilConcluded,
  withAgents,
} from '../world/run-world.ts';
import type { World } from '../world/world.ts';
import { catalogue } from './catalogue.ts';
import type { Fault } from './fault.ts';

const minutes = 60_000;
const kinds = {
  upload: { of: theUpload, words: 'data upload', make: ({ world, spec }) => uploadWorld(world, aDataUpload({ spec })) },
  download: {
    of: theDownload,
    words: 'data download',
    make: ({ world, spec }) => downloadWorld(world, aDataDownload({ spec })),
  },
  'pod backup': {
    of: thePodVolumeBackup,
    words: 'PVB',
    make: ({ world, spec }) => podBackupWorld(world, aPodVolumeBackup({ spec })),
  },
  'pod restore': {
    of: thePodVolumeRestore,
    words: 'PVR',
    make: ({ world, spec }) => podRestoreWorld(world, aPodVolumeRestore({ spec })),
  },
} satisfies Record<
  Fault['direction'],
  { of: (world: World) => Movement | undefined; words: string; make: (parts: { world: object; spec: object }) => World }
>;
const of = ({ direction }: Fault) => kinds[direction].of;
const worldOf = ({ direction, world = {}, spec = {} }: Fault): World => kinds[direction].make({ world, spec });

/** The world after the fault has happened and all components have reacted to it. */
async function injected(fault: Fault): Promise<World> {
  const world = worldOf(fault);
  fault.setUp?.(world);
  withAgents(world);
  await world.rest();
  await fault.inject?.(world);
  await world.rest();
  return world;
}

describe.each(Object.entries(catalogue))('%s', (_, faults) => {
  it.each(faults.filter(({ ends }) => ends === 'failed'))('$name: fails and says why', async (fault) => {
    const world = await injected(fault);
    await untilConcluded(world, of(fault), 5 * minutes);
    expect(of(fault)(world)?.status).toMatchObject({ phase: 'Failed', message: fault.message });
  });

  it.each(faults.filter(({ ends }) => ends === 'stuck'))(
    '$name: reports why it waits, and why it fails',
    async (fault) => {
      const world = await injected(fault);
      const status = () => of(fault)(world)?.status;
      await world.until(() => status()?.message !== undefined, minutes);
      expect(status()).toMatchObject({ phase: 'Accepted', message: `waiting: ${fault.message}` });
      await world.until(() => isTerminalPhase(status()?.phase), 35 * minutes);
      const { words } = kinds[fault.direction];
      expect(status()).toMatchObject({ phase: 'Failed', message: `timeout on preparing ${words}: ${fault.message}` });
    },
  );
});

describe('the catalogue', () => {
  const all = Object.values(catalogue).flat();
  it('has no two faults of the same name', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });
  it('has a next step in every message', () => {
    const without = all.filter(({ message }) => !/[^.]\. [A-Z]/.test(message));
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
