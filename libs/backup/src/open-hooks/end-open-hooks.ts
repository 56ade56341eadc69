import { annotations, type Backup, podType } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { backupHooksOf, runPodHooks } from '@lateen/hooks';
import { eachAtOnce } from '@lateen/kernel';
import { keyText, readObject } from '@lateen/kube';
import { onLatest, writeBackup } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { type OpenPod, type OpenPodEnd, openPodsOf, openPodsText } from './open-pod.ts';

const limits = {
  /** How many pods have their hooks run at the same time. */
  podsAtOnce: 16,
  /** How long to wait for a pod that another backup holds. */
  turnMs: 600_000,
  /** The time-out for reading a pod or recording the result. */
  callMs: 30_000,
} as const;

/**
 * Runs the post hooks of pods that a controller left open when it died, as pods and spec define them now, and removes the pods from the
 * Backup's record. The results of the hooks change nothing else; each hook ends at its own timeout. When this controller dies too, the next
 * one runs the hooks again: that is better than a database that stays frozen. Without open hooks, no call is made.
 * @returns the Backup as it is afterwards @throws when a pod could not be reached; the other pods have had their hooks by then
 */
export async function endOpenHooks(ports: BackupPorts, backup: Backup, signal: AbortSignal): Promise<Backup> {
  const open = openPodsOf(backup);
  if (open.length === 0) return backup;
  const log = ports.log.child({ backup: backup.metadata.name });
  log.warn({ pods: open.length }, 'a previous controller left post hooks of a backup open; they are run now');
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
    // Another backup may have frozen the pod for its own snapshot.
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
    log.warn({ err: error, pod: keyText(pod) }, 'post hooks could not be run');
    const isRefused = isAppError(error) && (error.retry === 'never' || error.code === 'KUBE_FORBIDDEN');
    const isFinal = isRefused && !signal.aborted;
    return isFinal
      ? { pod, kind: 'unknown', why: describeError(error) }
      : { pod, kind: 'later', error: notYet(pod, error) };
  }
}

const notYet = ({ namespace, name }: OpenPod, cause: unknown): AppError =>
  new AppError('OPEN_HOOKS_NOT_ENDED', `post hooks of pod ${namespace}/${name}: ${describeError(cause)}`, {
    cause,
    retry: 'later',
  });

/** Runs also when the controller stops meanwhile: hooks that have run must not run again. */
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
