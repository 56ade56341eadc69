import { type DataDownload, dataDownloadType, type KubeObject } from '@lateen/api-types';
import { downloadsOf, mayScale, scaledDownBy, scaleUp } from '@lateen/item-actions';
import { keyOf, keyText, listAll } from '@lateen/kube';
import type { VolumePorts, VolumeProblem, VolumesToFinalize } from './volumes-to-finalize.ts';

/**
 * Scales workloads up again that were scaled down for writing into their volumes, in each namespace whose volumes are complete, also when
 * nothing was written. When a volume is incomplete, or was written while another one could not be restored, they stay down, and the restore
 * reports it: half of the data is worse than none. Safe to repeat.
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
  // Selected by what is scaled down, not by what was written, because the restore may have failed between both steps.
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
            `lateen restore rollback ${restore.metadata.name} brings back the previous data; or restore again.`,
        });
  }
  return problems;
}

/** A failed claim only counts when another claim was written: otherwise all data is still of the same time. */
function brokenClaim(written: readonly DataDownload[], failedClaims: readonly { name: string }[]): string | undefined {
  const half = written.find((each) => !isWhole(each))?.spec.targetVolume.pvc;
  return half ?? (written.length > 0 ? failedClaims[0]?.name : undefined);
}

const isWhole = ({ status }: DataDownload): boolean => status?.phase === 'Completed';

/** A workload with a controlling owner is not reported: its owner is, for example the Deployment of a ReplicaSet. */
const isHeld = ({ workload: { metadata } }: { workload: KubeObject }): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
