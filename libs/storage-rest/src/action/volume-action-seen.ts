import type { Snapshot } from '@lateen/storage-types';
import type { Refusal, VolumeFactsForActions } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { activeEngine, type VolumeSeenByApi } from '../format/volume/volume-seen.ts';
import type { Input } from './read-input.ts';
import type { VolumeIntent } from './volume-intent.ts';

/** What an action of a volume is decided from. */
export interface VolumeActionSeen extends VolumeSeenByApi {
  /** Snapshot objects of the volume. */
  readonly snapshots: readonly Snapshot[];
  /** Names of the nodes that are ready. */
  readonly readyNodes: ReadonlySet<string>;
  /** Names of the backup targets that are available. */
  readonly availableTargets: ReadonlySet<string>;
  /** A new UUID for an object without a given name. */
  readonly uuid: string;
}

/** What one action brings about. @throws REST_REFUSED with the words that clients know, REST_NOT_FOUND */
export type DecideAction = (input: Input, seen: VolumeActionSeen) => { intent: VolumeIntent; about?: string };

/** @throws REST_REFUSED when something is refused */
export function unlessRefused(...refusals: readonly Refusal[]): void {
  const first = refusals.find((refusal) => refusal !== undefined);
  if (first !== undefined) throw refused(first);
}

export function factsOf({ volume }: Pick<VolumeActionSeen, 'volume'>): VolumeFactsForActions {
  const { spec, status = {} } = volume;
  return {
    name: nameOf(volume),
    state: status.state || 'creating',
    isStandby: status.isStandby ?? spec.Standby ?? false,
    restoreRequired: status.restoreRequired ?? false,
    restoreInitiated: status.restoreInitiated ?? false,
  };
}

export const isEngineRunning = ({ engines }: VolumeActionSeen): boolean =>
  activeEngine(engines)?.status?.currentState === 'running';
