import type { Volume } from '@lateen/storage-types';
import { rendezvousWinner } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { volumeOf } from '../frame/volume-of.ts';
import { ownerOf } from './ownership.ts';

/**
 * For objects that follow their volume: only the manager that owns the volume. The remains of a deleted volume are cleaned up by the one manager that
 * all agree on.
 */
export function followsVolume(
  { self, caches, namespace, managers }: Pick<RoomContext, 'self' | 'caches' | 'namespace' | 'managers'>,
  name: string,
): 'mine' | 'leave' {
  const volume: Volume | undefined = volumeOf(caches, namespace, name);
  if (volume !== undefined) return ownerOf(volume) === self ? 'mine' : 'leave';
  const atWork = managers.nodes().filter((node) => managers.available(node) === 'yes');
  return rendezvousWinner(`Volume/${name}`, atWork) === self ? 'mine' : 'leave';
}
