import { type Clock, type Logger, type Random, unlessAborted } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { type ControllerBase, waitForApi } from '@lateen/kube-runtime';
import { controllerMetrics, startProbes } from '@lateen/probes';
import { volumeType } from '@lateen/storage-types';
import type { ManagerConfig } from './manager-config.ts';

export interface ManagerBase {
  log: Logger;
  clock: Clock;
  random: Random;
}

/**
 * Looks after the volumes of the cluster as the manager of one node, until `stop` aborts; resolves when everything it started has ended.
 * @throws KUBECONFIG_…, PORT_UNAVAILABLE
 */
export async function runManager(config: ManagerConfig, base: ManagerBase, stop: AbortSignal): Promise<void> {
  const { log, clock, random } = base;
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-volume-manager' });
  let missing: string | undefined = 'starting';
  let metrics: ControllerBase['metrics'];
  const register: NonNullable<Parameters<typeof startProbes>[0]['register']> = (registry) => {
    metrics = controllerMetrics(registry);
  };
  const probes = await startProbes({ ...config, notReady: () => missing, register });
  const { namespace, node } = config;
  log.info({ server: cluster.server, namespace, node, probes: probes.url }, 'the volume manager starts');
  try {
    const ours = { type: volumeType, namespace, definitionsAt: 'deploy/crds-storage' };
    await waitForApi({ kube, clock, random, log, ...ours, onMissing: (reason) => (missing = reason) }, stop);
    await runWork(config, { kube, clock, random, log, metrics, ready: (reason) => (missing = reason) }, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    missing = 'stopping';
    await probes.close();
    await kube.close();
  }
  log.info({}, 'the volume manager has stopped');
}

interface WorkPorts extends ControllerBase {
  kube: KubeClient;
  /** Tells what is missing until the manager can do its work; undefined once it can. */
  ready(missing: string | undefined): void;
}

/**
 * What a manager does. The controllers and the REST server start here; until they do, the manager says that it has none and is never
 * ready.
 */
async function runWork(_config: ManagerConfig, { log, ready }: WorkPorts, signal: AbortSignal): Promise<void> {
  const missing = 'this build has no controllers and no REST server yet: no volume is looked after';
  ready(missing);
  log.error({}, missing);
  await unlessAborted(new Promise<never>(() => {}), signal);
}
