import { readFile, statfs } from 'node:fs/promises';
import { childRunner } from '@lateen/child-process';
import { fenceLimits } from '@lateen/datapath';
import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import { inClusterConfig, kubeInCluster } from '@lateen/kube-in-cluster';
import { type EventSubject, eventRecorder } from '@lateen/kube-runtime';
import { type DataPathResource, type EngineWish, moveVolume, type VolumeMark } from '@lateen/mover';
import { environmentProxies } from '@lateen/object-store';
import { accountKeys } from '@lateen/object-store-azure/account-key';
import { writeTermination } from '@lateen/process';
import { systemBlock, systemPrograms } from '@lateen/uploader';
import { checkVolume } from './check-volume.ts';
import type { MoverConfig } from './config.ts';
import type { OwnLimits } from './engine-budget.ts';
import type { DataPathFlags } from './flags.ts';
import { isMarked, markVolume } from './mark-volume.ts';
import { openEngine } from './open-engine.ts';
import { ownLimits } from './own-limits.ts';
import { syncVolume } from './sync-volume.ts';

/** Builds the data path and runs it to its end, including its last Event. */
export async function runMover(
  flags: DataPathFlags,
  config: MoverConfig,
  deps: { log: Logger; stop: AbortSignal },
): Promise<0 | 1> {
  const [clock, random] = [systemClock, systemRandom];
  const { log, stop } = deps;
  const kube = kubeInCluster({
    config: await inClusterConfig(config.environment, (path) => readFile(path, 'utf8')),
    clock,
    random,
    log,
    userAgent: 'lateen-data-mover',
  });
  const child = { clock, graceMs: fenceLimits.engineGraceMs };
  const engines = {
    kopia: childRunner({ ...child, program: config.engineBinary }),
    restic: childRunner({ ...child, program: config.resticBinary }),
  };
  const sync = childRunner({ ...child, program: 'sync' });
  const { scratchDirectory, environment } = config;
  const programs = systemPrograms({ ...child, path: environment.PATH, scratchDirectory });
  const block = systemBlock({ ...child, scratchDirectory });
  const events = eventRecorder({
    api: kube,
    component: flags.name,
    host: config.nodeName,
    related: hostingPod(flags, config),
    clock,
    random,
    log,
  });
  const listAccountKey = accountKeys(clock, environmentProxies(config.environment));
  const ports = {
    kube,
    clock,
    random,
    log,
    namespace: config.namespace,
    podUid: config.podUid,
    events,
    writeTermination: (message: string) => writeTermination(config.terminationLogPath, message, log),
    checkVolume: () => checkVolume(flags),
    isMarked: (mark: VolumeMark) => isMarked(flags.volumePath, mark),
    markVolume: (mark: VolumeMark, signal: AbortSignal) => markVolume(flags.volumePath, mark, signal),
    openEngine: async (wish: EngineWish, resource: DataPathResource, signal: AbortSignal) =>
      openEngine(
        {
          ...ports,
          ...flags,
          listAccountKey,
          config,
          engines,
          programs,
          block,
          limits: await limitsOf(config, flags),
          flush,
        },
        wish,
        resource,
        signal,
      ),
  };
  const flush = (volumePath: string, signal: AbortSignal) => syncVolume(sync, volumePath, signal);
  const exitCode = await moveVolume(flags, ports, stop);
  kube.close();
  return exitCode;
}

/** The pod in which this process runs; it has the name of its custom resource. */
function hostingPod({ name }: DataPathFlags, { podUid, namespace }: MoverConfig): EventSubject | undefined {
  return podUid === undefined ? undefined : { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: podUid };
}

function limitsOf(
  { environment, scratchDirectory }: MoverConfig,
  { cacheVolumePath }: DataPathFlags,
): Promise<OwnLimits> {
  return ownLimits({
    environment,
    scratchDirectory,
    cacheVolumePath,
    readText: (path) => readFile(path, 'utf8'),
    space: async (path) => {
      const { blocks, bavail, bsize } = await statfs(path);
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
    },
  });
}
