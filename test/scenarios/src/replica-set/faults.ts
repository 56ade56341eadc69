import { replicaIoError } from '@lateen/block-engine';
import type { Volume } from './volume.ts';
import type { World } from './world.ts';

type Fault = (world: World, volume: Volume) => void;

const anyReplica = (world: World) => world.dice.pick([...world.replicas.values()]);

/** Faults of replicas and the API server, one at a time. */
export const faults: Readonly<Record<string, Fault>> = {
  'a replica ends': (world) => {
    const replica = anyReplica(world);
    world.note(`${replica.name} ends`);
    replica.isDead = true;
    replica.cut();
  },
  'a replica loses power': (world) => {
    const replica = anyReplica(world);
    world.note(`${replica.name} loses power`);
    replica.isDead = true;
    replica.losePower();
  },
  'a replica answers no more': (world) => {
    const replica = anyReplica(world);
    world.note(`${replica.name} answers no more`);
    replica.isHung = true;
  },
  'a request fails': (world) => {
    const replica = anyReplica(world);
    const errno = world.dice.pick(['EIO', 'ENOSPC'] as const);
    world.note(`${replica.name} will say ${errno}`);
    replica.nextError = replicaIoError(errno, 'planted');
  },
  'a disk is full': (world) => {
    const replica = anyReplica(world);
    world.note(`the disk of ${replica.name} is full`);
    replica.isFull = true;
  },
  'a disk has room again': (world) => {
    for (const replica of world.replicas.values()) replica.isFull = false;
  },
  'a connection breaks': (world) => {
    const replica = anyReplica(world);
    world.note(`the connections to ${replica.name} break`);
    replica.cut();
  },
  'a replica is back': (world) => {
    const replica = anyReplica(world);
    replica.isDead = false;
    replica.isHung = false;
  },
  'the API server is away': (world) => {
    world.note('api: away');
    world.api.isUp = false;
  },
  'the API server is back': (world) => {
    world.api.isUp = true;
  },
};

/** Ends all faults. Replicas that failed stay failed. */
export function heal(world: World): void {
  world.note('all faults are over');
  world.api.isUp = true;
  world.apart.clear();
  for (const replica of world.replicas.values()) {
    replica.isDead = false;
    replica.isHung = false;
    replica.isFull = false;
    replica.nextError = undefined;
  }
}
