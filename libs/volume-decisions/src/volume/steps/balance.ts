import { type AutoBalance, autoBalanceOf, type BalanceMove, decideBalance } from '../../scheduler/balance.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { wantedReplicas } from '../volume-facts.ts';
import type { VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { avoidedPlaces, beginMove, isAtRest, later, pausedMove, settledReplicas } from './move.ts';
import { placeRequestOf } from './schedule.ts';

/** How often a volume whose replicas may move is checked: no object of the volume changes when disks fill up. */
export const balanceLookMs = 300_000;

/**
 * Adds one replica in a better place to an attached, healthy volume without other work in progress. The new replica names the one that it
 * replaces, which counts as leaving from then on: it is deleted when the new one has all the data, and kept when the move fails.
 */
export const balance: VolumeStep = (seen, status, nowMs) => {
  const { volume, settings } = seen;
  const mode = autoBalanceOf(volume.spec.replicaAutoBalance, settings.text('replica-auto-balance') as AutoBalance);
  // A volume attached by the manager itself will soon be detached: its replicas are balanced when a client uses it.
  if (mode === 'disabled' || status.robustness !== 'healthy' || seen.offlineFor !== undefined) return undefined;
  if (!isAtRest(seen)) return undefined;
  const paused = pausedMove(seen, nowMs);
  if (paused !== undefined) return paused;
  const move = moveOf(seen, mode, nowMs);
  if (move === undefined) return later(balanceLookMs, 'whether its replicas are spread well');
  return beginMove(seen, move);
};

function moveOf(seen: VolumeSeen, mode: AutoBalance, nowMs: number): BalanceMove | undefined {
  const { volume, cluster, settings } = seen;
  return decideBalance({
    mode,
    request: placeRequestOf(seen, settledReplicas(seen, nowMs)),
    avoid: avoidedPlaces(seen),
    numberOfReplicas: wantedReplicas(seen),
    cluster,
    settings: schedulerSettingsOf(settings),
    diskPressurePercentage: settings.number('replica-auto-balance-disk-pressure-percentage'),
    ...((volume.spec.dataLocality ?? 'disabled') === 'disabled' ? {} : { keepNode: volume.spec.nodeID ?? '' }),
  });
}
