import { annotations, type Backup, podType } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { backupHooksOf, runPodHooks } from '@lateen/hooks';
import { eachAtOnce } from '@lateen/kernel';
import { keyText, readObject } from '@lateen/kube';
import { onLatest, writeBackup } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { type OpenPod, type OpenPodEnd, openPodsOf, openPodsText } from './open-pod.ts';

const limits = {
  /** Pods whose hooks are run at the same time. */
  podsAtOnce: 16,
  /** How long a pod is waited for that another backup holds still. */
  turnMs: 600_000,
  /** To read a pod, or to write what was done. */
  callMs: 30_000,
} as const;

/**
 * Runs the hooks after the backup of the pods that a controller has left open when it died, as pods and spec say it now, and takes them
 * off the Backup. What the hooks come to changes nothing; each ends at its own timeout. A controller that dies here has its successor
 * run them once more: better than a database that stays frozen. No call is made when nothing is open.
 * @returns the Backup as it is then @throws when a pod could not be asked for now, after the others have had their hooks
 */
export async function endOpenHooks(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<Backup> {
  const open = openPodsOf(backup);
  if (open.length === 0) return backup;
  const log = ports.log.child({ backup: backup.metadata.name });
  log.warn({ pods: open.length }, 'a controller has left hooks of a backup open, those after the backup are run now');
  const ends: OpenPodEnd[] = [];
  await eachAtOnce(open, limits.podsAtOnce, async (pod) => {
    ends.push(await endHooksOf(pod, backup, { ...ports, log }, signal));
  });
  ports.onOpenHooks(backup, ends);
  const latest = await takeOff(ports, backup, ends);
  const later = ends.find((end) => end.kind === 'later');
  if (later !== undefined) throw later.error;
  return latest;
}

async function endHooksOf(pod: OpenPod, backup: Backup, ports: BackupPorts, signal: AbortSignal): Promise<OpenPodEnd> {
  const { clock, podTurns, kube, log } = ports;
  try {
    // Another backup may have it frozen for a snapshot of its own.
    const release = await podTurns.take([pod.uid], AbortSignal.any([signal, clock.deadline(limits.turnMs)]));
    try {
      const read = AbortSignal.any([signal, clock.deadline(limits.callMs)]);
      const { namespace, name } = pod;
      const found = await readObject(kube, podType, { namespace, name }, read);
      if (found?.metadata.uid !== pod.uid) return { pod, kind: 'gone' };
      const hooks = backupHooksOf(found, 'post', backup.spec.hooks);
      const { attempted, failed } = await runPodHooks(hooks, found, ports, signal);
      return { pod, kind: 'ran', attempted, failed };
    } finally {
      release();
    }
  } catch (error) {
    log.warn({ err: error, pod: keyText(pod) }, 'hooks after the backup could not be run');
    const isRefused = isAppError(error) && (error.retry === 'never' || error.code === 'KUBE_FORBIDDEN');
    const isFinal = isRefused && !signal.aborted;
    return isFinal
      ? { pod, kind: 'unknown', why: describeError(error) }
      : { pod, kind: 'later', error: notYet(pod, error) };
  }
}

const notYet = ({ namespace, name }: OpenPod, cause: unknown): AppError =>
  new AppError('OPEN_HOOKS_NOT_ENDED', `hooks after the backup of pod ${namespace}/${name}: ${describeError(cause)}`, {
    cause,
    retry: 'later',
  });

/** Also when the controller stops meanwhile: what has run is not to be run again. */
async function takeOff(ports: BackupPorts, backup: Backup, ends: readonly OpenPodEnd[]): Promise<Backup> {
  const done = new Set(ends.flatMap(({ kind, pod }) => (kind === 'later' ? [] : [pod.uid])));
  if (done.size === 0) return backup;
  const signal = ports.clock.deadline(limits.callMs);
  const act = async (latest: Backup) => {
    if (latest.metadata.uid !== backup.metadata.uid) return latest;
    const left = openPodsOf(latest).filter(({ uid }) => !done.has(uid));
    return await writeBackup(ports, latest, { annotations: { [annotations.openHooks]: openPodsText(left) } }, signal);
  };
  return await onLatest(ports, backup, act, signal);
}
