import { type DataDownload, dataDownloadType, type Restore } from '@lateen/api-types';
import { downloadsOf, scaledDownBy, scaleUp } from '@lateen/item-actions';
import { keyOf, keyText, listAll } from '@lateen/kube';
import type { VolumePorts, VolumeProblem } from './finalize-volumes.ts';

/**
 * The workloads that were scaled down to have their volumes written come up again in each namespace whose volumes are whole. Where one is
 * not, they stay down, and the restore says so: half of the data is worse than none. Safe to repeat.
 */
export async function bringWorkloadsUp(
  { kube, veleroNamespace: namespace }: VolumePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<VolumeProblem[]> {
  const { items } = await listAll(kube, dataDownloadType, { namespace, labelSelector: downloadsOf(restore), signal });
  const inPlace = items.filter(({ spec }) => (spec.restoreType ?? '') !== '');
  const problems: VolumeProblem[] = [];
  for (const target of new Set(inPlace.map(({ spec }) => spec.targetVolume.namespace))) {
    const broken = inPlace.find((each) => each.spec.targetVolume.namespace === target && !isWhole(each));
    if (broken === undefined) await scaleUp(kube, restore, target, signal);
    else
      for (const { workload } of await scaledDownBy(kube, restore, target, signal))
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
