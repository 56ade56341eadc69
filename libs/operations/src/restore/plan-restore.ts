import { type Restore, restoreType } from '@lateen/api-types';
import {
  isPlanEdge,
  type RestoreItemAct,
  type RestoreItemOutcome,
  type RestorePlanEdge,
  restorePlanIn,
} from '@lateen/backup-store';
import { AppError, plainLine } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import type { FollowPorts, RunSight } from '../run/follow-run.ts';
import type { BringFile } from '../run/read-file.ts';
import { createRestore } from './create-restore.ts';
import { deleteRestore } from './delete-restore.ts';
import { restorePhaseOf } from './restore-noun.ts';

/** What a restore would do. */
export interface RestorePlan {
  /** The name of the backup that the plan is for. */
  backup: string;
  counts: Partial<Record<RestoreItemAct, number>>;
  objects: readonly RestoreItemOutcome[];
  /** Which objects would wait for which. */
  edges: readonly RestorePlanEdge[];
}

/** How long deleting the plan's Restore may take; it is deleted also after an abort. */
const cleanUpMsMax = 10_000;

/**
 * Lets the server plan a restore: creates a Restore with `spec.dryRun`, follows it to its end and downloads its plan from the bucket.
 * Nothing else is written to the cluster, and the Restore is deleted again.
 * @param follow follows the Restore to its end: `followRestore`, or a function that shows the progress as well
 * @param bringOf returns the function that downloads files of the Restore
 * @throws AppError PLAN_NOT_KNOWN when the API would drop `dryRun` and restore in earnest; RESTORE_PLAN_FAILED with the cause
 */
export async function planRestore(
  { kube, clock }: Pick<FollowPorts, 'kube' | 'clock'>,
  wanted: Restore,
  follow: (restore: Restore) => Promise<RunSight<Restore>>,
  bringOf: (restore: Restore) => Promise<BringFile>,
  signal: AbortSignal,
): Promise<RestorePlan> {
  const dry: Restore = { ...wanted, spec: { ...wanted.spec, dryRun: true } };
  await checkDryRunKnown(kube, dry, signal);
  const created = await createRestore(kube, dry, signal);
  try {
    const { run } = await follow(created);
    const phase = restorePhaseOf(run);
    if (phase !== 'Completed' && phase !== 'PartiallyFailed') throw planFailed(run);
    const bring = await bringOf(run);
    return await bring('RestorePlan', (pieces) => readPlan(pieces, run.spec.backupName ?? ''));
  } finally {
    const stop = new AbortController();
    const late = clock.sleep(cleanUpMsMax, stop.signal).then(
      () => stop.abort(new AppError('STOPPED', 'the Restore of a plan could not be deleted in time')),
      () => {},
    );
    await deleteRestore(kube, created, stop.signal).finally(() => stop.abort());
    await late;
  }
}

/** Checks, without creating anything, that the CRD has the field: otherwise the API drops it and the server restores in earnest. */
async function checkDryRunKnown(kube: KubeApi, dry: Restore, signal: AbortSignal): Promise<void> {
  const { spec } = await kube.create(restoreType, dry, { dryRun: true, signal });
  if (spec.dryRun === true) return;
  throw new AppError(
    'PLAN_NOT_KNOWN',
    'the Restore kind of this cluster has no spec.dryRun, so nothing can be planned',
    {
      nextStep: 'The API is that of Velero; "lateen install" installs that of Lateen.',
    },
  );
}

function planFailed(restore: Restore): AppError {
  const { failureReason, validationErrors } = restore.status ?? {};
  const why = plainLine(failureReason || (validationErrors ?? []).join('; '));
  const phase = restorePhaseOf(restore);
  return new AppError(
    'RESTORE_PLAN_FAILED',
    `there is no plan: its restore is ${phase}${why === '' ? '' : `: ${why}`}`,
  );
}

async function readPlan(pieces: AsyncIterable<Uint8Array>, backup: string): Promise<RestorePlan> {
  const counts: Partial<Record<RestoreItemAct, number>> = {};
  const objects: RestoreItemOutcome[] = [];
  const edges: RestorePlanEdge[] = [];
  for await (const line of restorePlanIn(pieces)) {
    if (isPlanEdge(line)) edges.push(line);
    else {
      objects.push(line);
      counts[line.act] = (counts[line.act] ?? 0) + 1;
    }
  }
  return { backup, counts, objects, edges };
}
