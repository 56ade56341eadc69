import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { limitIn } from '@lateen/api-types';
import { childRunner } from '@lateen/child-process';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { type Clock, type Logger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { inClusterConfig, kubeInCluster } from '@lateen/kube-in-cluster';
import { failurePrefix, type OperationEnd, terminationText } from '@lateen/maintenance';
import { environmentProxies } from '@lateen/object-store';
import { accountKeys } from '@lateen/object-store-azure/account-key';
import { exitCodes, writeTermination } from '@lateen/process';
import { engineMemory, type RepositoryTarget } from '@lateen/repository';
import type { ReadStoredData, VerifyStoredSnapshot } from '@lateen/repository/operations';
import { programBeside } from '@lateen/worker-pool';
import { checkBudget } from './check-budget.ts';
import type { MaintenanceConfig } from './config.ts';
import type { TaskFlags } from './flags.ts';
import { mustHoldLock } from './must-hold-lock.ts';
import { findRepository } from './open-session.ts';
import { reporter } from './reporter.ts';
import { runTask } from './run-task.ts';

/** From SIGINT to SIGKILL: kopia ends what it writes, restic removes its lock. Below the 30 s that a pod gets. */
const engineGraceMs = 20_000;

/** Beside those of every program: a check or verification found damage. */
const damagedExitCode = 3;

interface Base {
  clock: Clock;
  log: Logger;
  stop: AbortSignal;
  write: (text: string) => void;
}

/** Builds everything, does the task, tells its end. Resolves with the exit code. */
export async function runRepositoryTask(
  flags: TaskFlags,
  config: MaintenanceConfig,
  deps: { log: Logger; stop: AbortSignal; write: (text: string) => void },
): Promise<number> {
  const base = { ...deps, clock: systemClock };
  const kube = kubeInCluster({
    config: await inClusterConfig(config.environment, (path) => readFile(path, 'utf8')),
    clock: base.clock,
    random: systemRandom,
    log: base.log,
    userAgent: 'lateen-repo-maintenance',
  });
  try {
    const end = await taskEnd(flags, config, { ...base, kube });
    await writeTermination(config.terminationLogPath, terminationText(end), base.log);
    return exitCodeOf(end);
  } finally {
    kube.close();
  }
}

async function taskEnd(flags: TaskFlags, config: MaintenanceConfig, base: Base & { kube: KubeApi }) {
  const { clock, log, stop } = base;
  const startedMs = clock.monotonicMs();
  const report = reporter(flags.output, clock, base.write);
  const ports = { ...base, ...portsOf(config, base), onProgress: report.progress };
  const common = { operation: flags.operation, repository: flags.repositoryName };
  const durationMs = () => Math.round(clock.monotonicMs() - startedMs);
  let end: OperationEnd;
  try {
    const found = await findRepository(ports, flags.repositoryName, stop);
    log.info({ ...common, engine: found.engine, namespace: found.target.volumeNamespace }, 'the task begins');
    await mustHoldLock(base, { ...flags, repository: found.repository, jobName: config.jobName }, stop);
    const result = await runTask(ports, flags, found, stop);
    end = { ...common, durationMs: durationMs(), succeeded: true, result } as OperationEnd;
  } catch (error) {
    const code = isAppError(error) ? error.code : 'UNKNOWN';
    const message = describeError(error);
    // The words by which Velero's own programs find the reason in the log.
    log.error({ ...common, code, err: error }, `${failurePrefix}${message}`);
    end = { ...common, durationMs: durationMs(), succeeded: false, error: { code, message } };
  }
  report.end(end);
  return end;
}

function portsOf(config: MaintenanceConfig, { clock, log }: Base) {
  const files = { workDirectory: config.scratchDirectory, environment: config.environment };
  const runtime = engineMemory(limitIn(config.environment, 'memory'));
  const child = { clock, graceMs: engineGraceMs };
  return {
    namespace: config.namespace,
    readStoredData: (target: RepositoryTarget) => storedDataReader(config, target, { clock, log }),
    readSnapshot: (target: RepositoryTarget) => snapshotReader(config, target, { clock, log }),
    listAccountKey: accountKeys(clock, environmentProxies(config.environment)),
    sessions: {
      kopia: { ...files, runtime, process: childRunner({ ...child, program: config.engineBinary }) },
      restic: { ...files, runtime, process: childRunner({ ...child, program: config.resticBinary }) },
    },
  };
}

type StoredDataProgram = typeof import('./read-stored-data.ts');

function storedDataReader(
  config: MaintenanceConfig,
  target: RepositoryTarget,
  base: Pick<Base, 'clock' | 'log'>,
): ReadStoredData {
  return async (options) => {
    const { readStoredData } = await storedDataProgram(target);
    return await readStoredData(storedDataSetUp(config, target, base), options);
  };
}

function snapshotReader(
  config: MaintenanceConfig,
  target: RepositoryTarget,
  base: Pick<Base, 'clock' | 'log'>,
): VerifyStoredSnapshot {
  return async (options) => {
    const { readSnapshot } = await storedDataProgram(target);
    return await readSnapshot(storedDataSetUp(config, target, base), options);
  };
}

/** What it takes is loaded when a task wants to read. @throws REPOSITORY_FORMAT_UNSUPPORTED */
async function storedDataProgram({ location }: RepositoryTarget): Promise<StoredDataProgram> {
  if (location.provider === 'fs')
    throw new AppError('REPOSITORY_FORMAT_UNSUPPORTED', 'a repository in a directory is read by the engine alone');
  return (await import(programBeside('read-stored-data', import.meta.url).href)) as StoredDataProgram;
}

function storedDataSetUp(
  { environment, scratchDirectory }: MaintenanceConfig,
  target: RepositoryTarget,
  base: Pick<Base, 'clock' | 'log'>,
) {
  const [memoryBytes, cpuMillis] = [limitIn(environment, 'memory'), limitIn(environment, 'cpu')];
  const cpus = Math.min(availableParallelism(), Math.ceil((cpuMillis ?? Number.POSITIVE_INFINITY) / 1000));
  const budget = checkBudget({ memoryBytes, cpus });
  return { ...base, target, environment, scratchDirectory, budget, random: systemRandom };
}

function exitCodeOf(end: OperationEnd): number {
  if (!end.succeeded) return exitCodes.failed;
  const isCheck = end.operation === 'check' || end.operation === 'verify';
  return isCheck && end.result.problemCount > 0 ? damagedExitCode : exitCodes.done;
}
