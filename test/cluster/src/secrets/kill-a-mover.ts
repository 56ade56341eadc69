import { type DataUpload, dataUploadType, isTerminalPhase, labels, podType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { killProcess, podProcesses } from '../kills/pod-processes.ts';

const lookEveryMs = 20;
const engine = /^(\S*\/)?(kopia|restic)\b/;

/** Waits until the engine of an upload runs, and kills the mover with SIGKILL: files that it has written stay in its pod. */
export async function killMoverOf(kube: KubeApi, namespace: string, upload: string): Promise<void> {
  const signal = systemClock.deadline(120_000);
  const { metadata } = await kube.get(dataUploadType, { namespace, name: upload });
  for (;;) {
    signal.throwIfAborted();
    const pods = await kube.list(podType, { namespace, labelSelector: labels.exposerPodGroup, signal });
    const pod = pods.items.find((each) => each.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const processes = pod === undefined ? [] : await podProcesses(pod.metadata.uid ?? '');
    const mover = processes.find(({ command }) => command.includes('data-mover'));
    if (mover !== undefined && processes.some(({ command }) => engine.test(command)) && killProcess(mover.pid)) return;
    await systemClock.sleep(lookEveryMs, signal);
  }
}

/** The upload in its last state. */
export function endOfUpload(kube: KubeApi, namespace: string, name: string): Promise<DataUpload> {
  return waitForObject<DataUpload, DataUpload>({
    api: kube,
    type: dataUploadType,
    key: { namespace, name },
    clock: systemClock,
    signal: systemClock.deadline(180_000),
    until: (seen) => (seen !== undefined && isTerminalPhase(seen.status?.phase) ? seen : undefined),
  });
}
