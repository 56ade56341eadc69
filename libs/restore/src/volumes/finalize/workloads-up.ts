import { type DataDownload, dataDownloadType, type KubeObject } from '@lateen/api-types';
import { downloadsOf, mayScale, scaledDownBy, scaleUp } from '@lateen/item-actions';
import { keyOf, keyText, listAll } from '@lateen/kube';
import type { VolumePorts, VolumeProblem, VolumesToFinalize } from './volumes-to-finalize.ts';

/**
 * The workloads that were scaled down to have their volumes written come up again in each namespace whose volumes are whole, also where
 * nothing came to be written. Where one is not whole, or was written beside one that could not be restored, they stay down, and the restore
 * says so: half of the data is worse than none. Safe to repeat.
 */
export async function bringWorkloadsUp(
  { kube, veleroNamespace: namespace }: VolumePorts,
  { restore, failedClaims = [] }: Pick<VolumesToFinalize, 'restore' | 'failedClaims'>,
  signal: AbortSignal,
): Promise<VolumeProblem[]> {
  if (!mayScale(restore)) return [];
  const { items } = await listAll(kube, dataDownloadType, { namespace, labelSelector: downloadsOf(restore), signal });
  const inPlace = items.filter(({ spec }) => (spec.restoreType ?? '') !== '');
  const problems: VolumeProblem[] = [];
  // By what is scaled down, not by what was written: the one before the other may have failed in between.
  const down = await scaledDownBy(kube, restore, undefined, signal);
  for (const target of new Set(down.map(({ workload }) => workload.metadata.namespace ?? ''))) {
    const broken = brokenClaim(
      inPlace.filter(({ spec }) => spec.targetVolume.namespace === target),
      failedClaims.filter(({ namespace: of }) => of === target),
    );
    if (broken === undefined) await scaleUp(kube, restore, target, signal);
    else
      for (const { workload } of down.filter((each) => each.workload.metadata.namespace === target && !isHeld(each)))
        problems.push({
          namespace: target,
          message:
            `${workload.kind} ${keyText(keyOf(workload))} stays scaled down: the data of PVC ${broken} is not whole. ` +
            `lateen restore rollback ${restore.metadata.name} brings back what was there, or restore again.`,
        });
  }
  return problems;
}

/** A claim that was not written says nothing while no other was: all data is of one time then. */
function brokenClaim(written: readonly DataDownload[], failedClaims: readonly { name: string }[]): string | undefined {
  const half = written.find((each) => !isWhole(each))?.spec.targetVolume.pvc;
  return half ?? (written.length > 0 ? failedClaims[0]?.name : undefined);
}

const isWhole = ({ status }: DataDownload): boolean => status?.phase === 'Completed';

/** Its Deployment is told, not it too. */
const isHeld = ({ workload: { metadata } }: { workload: KubeObject }): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
