import { type AutoBalance, autoBalanceOf, type BalanceMove, decideBalance } from '../../scheduler/balance.ts';
import { schedulerSettingsOf } from '../../settings/scheduler-settings.ts';
import { wantedReplicas } from '../volume-facts.ts';
import type { VolumeSeen, VolumeStep } from '../volume-seen.ts';
import { avoidedPlaces, beginMove, isAtRest, later, pausedMove, settledReplicas } from './move.ts';
import { placeRequestOf } from './schedule.ts';

/** How full disks are changes without a word to volumes: a volume whose replicas may move is looked at so often. */
export const balanceLookMs = 300_000;

/**
 * One replica more in a better place, for a volume that is attached and healthy and of which nothing else is going on. It names the one whose place it
 * takes, which then counts as one that leaves: it goes when the new one has all the data, and stays when that fails.
 */
export const balance: VolumeStep = (seen, status, nowMs) => {
  const { volume, settings } = seen;
  const mode = autoBalanceOf(volume.spec.replicaAutoBalance, settings.text('replica-auto-balance') as AutoBalance);
  // One that the manager itself has attached is about to be let go of: its replicas are spread when somebody uses it.
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
