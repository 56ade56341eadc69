import {
  type Backup,
  backupStorageLocationType,
  backupType,
  productVersion,
  type Restore,
  restoreType,
} from '@lateen/api-types';
import { type BackupObserver, runBackupControllers } from '@lateen/backup';
import { childRunner, clearPrivateDirectory } from '@lateen/child-process';
import { type Logger, systemClock, systemRandom } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { type ControllerBase, eventRecorder, informer, lead, waitForApi, withSpecOr } from '@lateen/kube-runtime';
import { type LocationObserver, openRepository, runLocationControllers, wholeLocation } from '@lateen/locations';
import type { MaintenanceObserver } from '@lateen/maintenance';
import { environmentProxies } from '@lateen/object-store';
import { accountKeys } from '@lateen/object-store-azure/account-key';
import { controllerMetrics, startProbes } from '@lateen/probes';
import { secretsDirectoryOf } from '@lateen/repository';
import { runRequestControllers, serverVersion } from '@lateen/requests';
import { type RestoreObserver, runRestoreControllers } from '@lateen/restore';
import { backupIndexers } from '@lateen/schedule';
import { backupMetrics } from './backup-metrics.ts';
import { backupPorts } from './backup-ports.ts';
import type { ControllerConfig } from './config.ts';
import { decoratedStores } from './decorated-stores.ts';
import { type LifecycleObservers, lifecycleMetrics } from './lifecycle-metrics.ts';
import { locationMetrics } from './location-metrics.ts';
import { locationStores } from './location-stores.ts';
import { maintenanceMetrics } from './maintenance-metrics.ts';
import { objectStoreMetrics, type StoreObserverOf } from './object-store-metrics.ts';
import { controllerPlugins } from './plugins.ts';
import { restoreMetrics } from './restore-metrics.ts';
import { restorePorts } from './restore-ports.ts';
import { runLifecycle } from './run-lifecycle.ts';

/** From SIGINT to SIGKILL of an engine, when the controller stops or a try exceeds its time limit. */
const engineGraceMs = 10_000;

/** The Lease that elects the working replica. */
export const leaseName = 'lateen-controller-leader';

interface Base extends ControllerBase {
  kube: KubeClient;
}

interface Observers {
  observer: LocationObserver | undefined;
  observerOf: StoreObserverOf | undefined;
  maintenanceObserver: MaintenanceObserver | undefined;
  backupObserver: BackupObserver | undefined;
  restoreObserver: RestoreObserver | undefined;
  lifecycleObservers: LifecycleObservers | undefined;
}

/**
 * Runs until `stop` aborts; resolves when everything it started has ended.
 * @throws KUBECONFIG_…, PORT_UNAVAILABLE, LEADERSHIP_LOST
 */
export async function runControllerApp(
  config: ControllerConfig,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<void> {
  const [clock, random] = [systemClock, systemRandom];
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-controller' });
  let missing: string | undefined = 'starting';
  let observer: LocationObserver | undefined;
  let observerOf: StoreObserverOf | undefined;
  let maintenanceObserver: MaintenanceObserver | undefined;
  let backupObserver: BackupObserver | undefined;
  let restoreObserver: RestoreObserver | undefined;
  let lifecycleObservers: LifecycleObservers | undefined;
  let metrics: ControllerBase['metrics'];
  const probes = await startProbes({
    ...config,
    notReady: () => missing,
    register: (registry) => {
      metrics = controllerMetrics(registry);
      observer = locationMetrics(registry);
      observerOf = objectStoreMetrics(registry);
      maintenanceObserver = maintenanceMetrics(registry);
      backupObserver = backupMetrics(registry);
      restoreObserver = restoreMetrics(registry);
      lifecycleObservers = lifecycleMetrics(registry);
    },
  });
  log.info({ server: cluster.server, namespace: config.namespace, probes: probes.url }, 'the controller starts');
  const base: Base = { kube, clock, random, log, metrics };
  try {
    const ours = { type: backupStorageLocationType, namespace: config.namespace, definitionsAt: 'deploy/crds' };
    await waitForApi({ ...base, ...ours, onMissing: (reason) => (missing = reason) }, stop);
    // A standby replica is ready too: otherwise a rolling update would wait for it for ever.
    missing = undefined;
    const work = (signal: AbortSignal) =>
      runWork(
        config,
        { ...base, observer, observerOf, maintenanceObserver, backupObserver, restoreObserver, lifecycleObservers },
        signal,
      );
    await (config.leaderElect ? lead(leadOptions(config, base), work, stop) : work(stop));
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    missing = 'stopping';
    await probes.close();
    await kube.close();
  }
  log.info({}, 'the controller has stopped');
}

function leadOptions(config: ControllerConfig, { kube, clock, random, log }: Base) {
  const api = kube.withPriority('control');
  const identity = `${config.identity}_${random.suffix(8)}`;
  return { api, namespace: config.namespace, name: leaseName, identity, clock, random, log };
}

async function runWork(
  config: ControllerConfig,
  {
    observer,
    observerOf,
    maintenanceObserver,
    backupObserver,
    restoreObserver,
    lifecycleObservers,
    ...base
  }: Base & Observers,
  signal: AbortSignal,
): Promise<void> {
  const events = eventRecorder({ ...base, api: base.kube, component: 'lateen-controller', host: config.identity });
  const secrets = secretsDirectoryOf(config.environment);
  // Existing files were left by a crashed container of this pod.
  if (secrets !== undefined) await clearPrivateDirectory(secrets);
  const files = { workDirectory: config.scratchDirectory, environment: config.environment };
  const engine = (program: string) => childRunner({ program, clock: base.clock, graceMs: engineGraceMs });
  const session = { process: engine(config.engineBinary), ...files };
  const resticSession = { process: engine(config.resticBinary), ...files };
  const { forBackups, plugins, reach, outside } = await outsideOf(config, { ...base, observerOf }, signal);
  const ports = { ...reach, kube: base.kube, clock: base.clock, session, resticSession };
  const server = { version: serverVersion(productVersion), plugins: plugins.list };
  const informed = { ...base, api: base.kube, namespace: config.namespace };
  const { backups, restores, locations } = heldObjects(informed);
  await Promise.all([
    runLocationControllers(
      {
        ...base,
        ...config,
        ...(observer === undefined ? {} : { observer }),
        maintenanceObserver,
        tell: (subject, reason, message, type) => events.record(subject, reason, message, { type }),
        ...reach,
        openRepository: (repository, location, each) => openRepository(ports, repository, location, each),
      },
      signal,
    ),
    runRequestControllers({ ...base, ...config, ...reach, server }, signal),
    backups.run(signal),
    runBackupControllers({ ...base, ...config, ...outside, ...forBackups, backups, observer: backupObserver }, signal),
    restores.run(signal),
    locations.run(signal),
    runRestoreControllers(
      {
        ...base,
        ...config,
        ...outside,
        ...restorePorts(config, base, forBackups),
        restores,
        locations,
        observer: restoreObserver,
      },
      signal,
    ),
    runLifecycle(
      config,
      { ...base, ...outside, deleteActions: forBackups.actions.delete, backups, restores, locations },
      lifecycleObservers ?? {},
      signal,
    ),
    plugins.run(signal),
  ]);
}

/** Everything outside of the cluster's API: buckets, and plugin programs with their actions. */
async function outsideOf(
  config: ControllerConfig,
  { observerOf, ...base }: Base & Pick<Observers, 'observerOf'>,
  signal: AbortSignal,
) {
  const { environment } = config;
  const builtIn = await backupPorts(config, base, signal);
  const plugins = await controllerPlugins(config, base, builtIn.actions, signal);
  const { actions, snapshotters, credentialFiles } = plugins;
  const openStore = decoratedStores(locationStores(base.clock, environment, plugins.openStore), {
    ...base,
    observerOf,
  });
  const reach = { listAccountKey: accountKeys(base.clock, environmentProxies(environment)), openStore };
  return {
    plugins,
    reach,
    forBackups: { ...builtIn, actions },
    outside: { ...reach, snapshotters, credentialFiles },
  };
}

/** One set of informers, shared by the controllers that make backups and those that schedule, sync and delete them. */
const heldObjects = (informed: ControllerBase & { api: KubeClient; namespace: string }) => ({
  backups: informer({
    ...informed,
    type: backupType,
    indexers: backupIndexers,
    transform: withSpecOr<Backup>(() => ({})),
  }),
  restores: informer({ ...informed, type: restoreType, transform: withSpecOr<Restore>(() => ({})) }),
  locations: informer({ ...informed, type: backupStorageLocationType, transform: wholeLocation }),
});
