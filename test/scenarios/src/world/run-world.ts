import {
  type DataDownload,
  type DataUpload,
  isTerminalPhase,
  type PodVolumeBackup,
  type PodVolumeRestore,
} from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { onTestFinished } from 'vitest';
import type { World } from './world.ts';

/** Starts node-agents on these nodes, which end with the test. */
export function withAgents(world: World, ...nodes: string[]): World {
  onTestFinished(() => world.stop());
  for (const node of nodes.length === 0 ? ['node-1'] : nodes) world.startAgent(node);
  return world;
}

type Of<T extends Movement = Movement> = (world: World) => T | undefined;
type OfSnapshot = Of<DataUpload | DataDownload>;
export const theUpload: OfSnapshot = (world) => world.upload();
export const theDownload: OfSnapshot = (world) => world.download();
export const thePodVolumeBackup: Of<PodVolumeBackup> = (world) => world.podVolumeBackup();
export const thePodVolumeRestore: Of<PodVolumeRestore> = (world) => world.podVolumeRestore();

/** The movement has ended, and everything created for it was deleted or is being deleted. */
export async function untilConcluded(world: World, of: Of = theUpload, withinMs = 60_000): Promise<void> {
  const isConcluded = () => {
    const movement = of(world);
    return movement === undefined || (isTerminalPhase(movement.status?.phase) && !movement.metadata.finalizers?.length);
  };
  await world.until(isConcluded, withinMs);
  await world.rest();
}

export async function untilPhase(world: World, phase: string, of: Of = theUpload): Promise<void> {
  await world.until(() => of(world)?.status?.phase === phase);
  await world.rest();
}
