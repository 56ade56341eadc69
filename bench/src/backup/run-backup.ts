import { type Backup, type BackupSpec, type backupPhases, backupType } from '@lateen/api-types';
import type { RunningLateen } from '@lateen/installation';
import type { Clock } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';

const ended: readonly (typeof backupPhases)[number][] = [
  'Completed',
  'PartiallyFailed',
  'Failed',
  'FailedValidation',
  'Canceled',
];

/** Creates a Backup and waits for its end; ms from the creation to Completed. @throws when it ends in another phase */
export async function runBackup(
  { lateen, clock, signal }: { lateen: RunningLateen; clock: Clock; signal: AbortSignal },
  name: string,
  spec: BackupSpec,
): Promise<{ ms: number; backup: Backup }> {
  const { kube, veleroNamespace: namespace } = lateen;
  const startedMs = clock.monotonicMs();
  await kube.create(backupType, { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { namespace, name }, spec });
  const backup = await waitForObject<Backup, Backup>({
    api: kube,
    type: backupType,
    key: { namespace, name },
    clock,
    signal,
    until: (seen) => (ended.some((phase) => phase === seen?.status?.phase) ? seen : undefined),
  });
  const ms = clock.monotonicMs() - startedMs;
  const { phase, failureReason, validationErrors, errors } = backup.status ?? {};
  if (phase !== 'Completed')
    throw new Error(
      `Backup ${name} is ${phase}: ${failureReason ?? validationErrors?.join('; ') ?? `${errors} errors`}`,
    );
  return { ms, backup };
}
