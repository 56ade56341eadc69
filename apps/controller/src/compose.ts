import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { openRepository, runLocationControllers } from '@lateen/locations';
import { s3Store } from '@lateen/object-store-s3';
import type { ResolvedLocation } from '@lateen/repository';
import type { ControllerConfig } from './config.ts';
import { execaEngine } from './execa-engine.ts';
import { startProbes } from './probes.ts';

/** Runs until `stop` aborts; resolves when everything it started has ended. @throws KUBECONFIG_…, PORT_UNAVAILABLE */
export async function runControllerApp(
  config: ControllerConfig,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<void> {
  const [clock, random] = [systemClock, systemRandom];
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-controller' });
  const readiness = { missing: 'starting' as string | undefined };
  const probes = await startProbes({ ...config, notReady: () => readiness.missing });
  log.info({ server: cluster.server, namespace: config.namespace, probes: probes.url }, 'the controller starts');
  try {
    readiness.missing = 'the objects of the namespace have not been read yet';
    await work(config, { kube, clock, random, log }, () => (readiness.missing = undefined), stop);
  } finally {
    readiness.missing = 'stopping';
    await probes.close();
    await kube.close();
  }
  log.info({}, 'the controller has stopped');
}

async function work(
  config: ControllerConfig,
  base: { kube: KubeApi; clock: typeof systemClock; random: typeof systemRandom; log: Logger },
  onSynced: () => void,
  stop: AbortSignal,
): Promise<void> {
  const { kube, clock } = base;
  const openStore = (location: ResolvedLocation) => s3Store(location);
  const session = {
    process: execaEngine(config.engineBinary),
    workDirectory: config.scratchDirectory,
    environment: config.environment,
  };
  await runLocationControllers(
    {
      ...base,
      namespace: config.namespace,
      openStore,
      openRepository: (repository, location, signal) =>
        openRepository({ kube, openStore, session, clock }, repository, location, signal),
      onSynced,
    },
    stop,
  );
}
