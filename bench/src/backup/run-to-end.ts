import {
  type Backup,
  type BackupSpec,
  backupType,
  type Restore,
  type RestoreSpec,
  restoreType,
} from '@lateen/api-types';
import type { RunningLateen } from '@lateen/installation';
import type { Clock } from '@lateen/kernel';
import type { ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

const ended: ReadonlySet<string | undefined> = new Set([
  'Completed',
  'PartiallyFailed',
  'Failed',
  'FailedValidation',
  'Canceled',
]);

export interface RunContext {
  lateen: RunningLateen;
  clock: Clock;
  signal: AbortSignal;
}

/** Result of a Completed run; ms from its creation. */
export interface EndedRun<T> {
  ms: number;
  run: T;
}

/** Creates a Backup and waits for its end. @throws when it ends in another phase than Completed */
export const runBackup = (context: RunContext, name: string, spec: BackupSpec): Promise<EndedRun<Backup>> =>
  runToEnd<Backup>(context, backupType, { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name }, spec });

/** The same for a Restore. */
export const runRestore = (context: RunContext, name: string, spec: RestoreSpec): Promise<EndedRun<Restore>> =>
  runToEnd<Restore>(context, restoreType, { apiVersion: 'velero.io/v1', kind: 'Restore', metadata: { name }, spec });

async function runToEnd<T extends Backup | Restore>(
  { lateen, clock, signal }: RunContext,
  type: ResourceType<T>,
  object: NoInfer<T>,
): Promise<EndedRun<T>> {
  const { kube, veleroNamespace: namespace } = lateen;
  const { name = '' } = object.metadata;
  const startedMs = clock.monotonicMs();
  await kube.create<T>(type, object, { namespace, signal });
  const run = await waitForObject<T, T>({
    api: kube,
    type,
    key: { namespace, name },
    clock,
    signal,
    until: (seen) => (ended.has(seen?.status?.phase) ? seen : undefined),
  });
  const ms = clock.monotonicMs() - startedMs;
  const { phase, failureReason, validationErrors, errors } = run.status ?? {};
  if (phase !== 'Completed')
    throw new Error(
      `${type.kind} ${name} is ${phase}: ${failureReason ?? validationErrors?.join('; ') ?? `${errors} errors`}`,
    );
  return { ms, run };
}
