import { type DataDownload, dataDownloadType, type KubeObject, type Restore } from '@lateen/api-types';
import { downloadsOf, mayScale, scaledDownBy, scaleUp } from '@lateen/item-actions';
import { keyOf, keyText, listAll } from '@lateen/kube';
import type { VolumePorts, VolumeProblem } from './finalize-volumes.ts';

/**
 * The workloads that were scaled down to have their volumes written come up again in each namespace whose volumes are whole, also where
 * nothing came to be written. Where one is not whole they stay down, and the restore says so: half of the data is worse than none. Safe
 * to repeat.
 */
export async function bringWorkloadsUp(
  { kube, veleroNamespace: namespace }: VolumePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<VolumeProblem[]> {
  if (!mayScale(restore)) return [];
  const { items } = await listAll(kube, dataDownloadType, { namespace, labelSelector: downloadsOf(restore), signal });
  const inPlace = items.filter(({ spec }) => (spec.restoreType ?? '') !== '');
  const problems: VolumeProblem[] = [];
  // By what is scaled down, not by what was written: the one before the other may have failed in between.
  const down = await scaledDownBy(kube, restore, undefined, signal);
  for (const target of new Set(down.map(({ workload }) => workload.metadata.namespace ?? ''))) {
    const broken = inPlace.find((each) => each.spec.targetVolume.namespace === target && !isWhole(each));
    if (broken === undefined) await scaleUp(kube, restore, target, signal);
    else
      for (const { workload } of down.filter((each) => each.workload.metadata.namespace === target && !isHeld(each)))
        problems.push({
          namespace: target,
          message:
            `${workload.kind} ${keyText(keyOf(workload))} stays scaled down: the data of PVC ${broken.spec.targetVolume.pvc} is not whole. ` +
            `lateen restore rollback ${restore.metadata.name} brings back what was there, or restore again.`,
        });
  }
  return problems;
}

const isWhole = ({ status }: DataDownload): boolean => status?.phase === 'Completed';

/** Its Deployment is told, not it too. */
const isHeld = ({ workload: { metadata } }: { workload: KubeObject }): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
