import { productVersion } from '@lateen/api-types';
import { connectInstanceHostLate } from '@lateen/instance-api';
import type { Clock, Random } from '@lateen/kernel';
import { unlessAborted } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { type ControllerBase, waitForApi } from '@lateen/kube-runtime';
import type { LeveledLogger } from '@lateen/logging';
import { nfsMounts } from '@lateen/object-store-fs/nfs';
import { controllerMetrics, startProbes } from '@lateen/probes';
import { volumeType } from '@lateen/storage-types';
import {
  backupRooms,
  type CertificateFiles,
  ensureCertificate,
  type HostConnection,
  type HostPeer,
  jobRooms,
  nodeRooms,
  type RoomContext,
  runVolumeControllers,
  volumeManagerTls,
  volumeRooms,
  writeCertificateFiles,
} from '@lateen/volume-controllers';
import type { Registry } from 'prom-client';
import { storageInformers } from '../rest/reading/storage-informers.ts';
import { startRestServer } from '../rest/start-rest-server.ts';
import { followLogLevel } from './follow-log-level.ts';
import { hostVolumeWork } from './host-volume-work.ts';
import type { ManagerConfig } from './manager-config.ts';
import { backupTargets } from './open-backup-target.ts';

export interface ManagerBase {
  log: LeveledLogger;
  clock: Clock;
  random: Random;
}

/**
 * Runs the manager of one node, until `stop` aborts; resolves when everything it started has ended.
 * @throws KUBECONFIG_…, PORT_UNAVAILABLE
 */
export async function runManager(config: ManagerConfig, base: ManagerBase, stop: AbortSignal): Promise<void> {
  const { log, clock, random } = base;
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-volume-manager' });
  let missing: string | undefined = 'starting';
  let found: { metrics: ControllerBase['metrics']; registry: Registry } | undefined;
  const probes = await startProbes({
    ...config,
    notReady: () => missing,
    register: (registry) => {
      found = { metrics: controllerMetrics(registry), registry };
    },
  });
  const { namespace, node } = config;
  log.info({ server: cluster.server, namespace, node, probes: probes.url }, 'the volume manager starts');
  try {
    const ours = { type: volumeType, namespace, definitionsAt: 'deploy/crds-storage' };
    await waitForApi({ kube, clock, random, log, ...ours, onMissing: (reason) => (missing = reason) }, stop);
    const ready = (reason: string | undefined) => (missing = reason);
    await runWork(config, { kube, clock, random, log, setLevel: log.setLevel, ...found, ready }, stop);
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
  setLevel: LeveledLogger['setLevel'];
  registry?: Registry;
  /** Reports what is missing until the manager can work; undefined once it is ready. */
  ready(missing: string | undefined): void;
}

/** The certificate first, because instance managers cannot be called without it; then the controllers, and the REST API on the same caches. */
async function runWork(config: ManagerConfig, ports: WorkPorts, signal: AbortSignal): Promise<void> {
  const { kube, clock, random, log, setLevel, ready } = ports;
  const { namespace, node } = config;
  ready('the certificate of the volume manager is not there yet');
  const certificate = { kube, namespace, clock, random, log };
  const tls = await refreshedCertificate(config, certificate, signal);
  ready('the objects of the volume manager are not read yet');
  const connect = ({ host, port }: HostPeer): HostConnection => {
    const made = connectInstanceHostLate({ host, port, tls, serverName: volumeManagerTls.serverName }, { clock });
    return { host: made, close: () => made[Symbol.dispose]() };
  };
  const mounts = nfsMounts({
    ...{ directory: config.mountDirectory, path: config.environment.PATH ?? '', pid: process.pid },
    ...{ clock, log },
  });
  const targets = backupTargets({ clock, random, log, mounts });
  await runVolumeControllers(
    {
      ...ports,
      namespace,
      node,
      connect,
      release: { image: config.instanceManagerImage, version: productVersion },
      rooms: [...volumeRooms, ...jobRooms, ...backupRooms(targets), ...nodeRooms],
      beside: async (context, stop) => {
        followLogLevel(context, { log, setLevel, flag: config.logLevel });
        await Promise.all([serveRest(config, ports, context, stop), keepCertificateFiles(config, certificate, stop)]);
      },
    },
    signal,
  );
}

type CertificateParts = Parameters<typeof ensureCertificate>[0];

async function refreshedCertificate(
  { certificateDirectory }: ManagerConfig,
  parts: CertificateParts,
  signal: AbortSignal,
): Promise<CertificateFiles> {
  const secret = await ensureCertificate(parts, signal);
  return await writeCertificateFiles(certificateDirectory, secret, { random: parts.random, signal });
}

/** A renewed certificate is read from the files within a minute; this is how often the files are updated. */
const certificateFilesMs = 600_000;

async function keepCertificateFiles(
  config: ManagerConfig,
  parts: CertificateParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await unlessAborted(parts.clock.sleep(certificateFilesMs, signal), signal);
    if (!signal.aborted) await unlessAborted(refreshedCertificate(config, parts, signal), signal);
  }
}

/** Every manager serves the whole API: it writes objects, and their owners act on them. */
async function serveRest(
  { api, namespace, node }: ManagerConfig,
  { kube, clock, random, log, registry, ready }: WorkPorts,
  { caches, hosts }: RoomContext,
  signal: AbortSignal,
): Promise<void> {
  const { volumes, engines, replicas, snapshots, attachments, nodes, settings } = caches;
  const {
    engineImages,
    instanceManagers,
    recurringJobs,
    backupTargets: targets,
    backupVolumes,
    backups,
    orphans,
  } = caches;
  const reader = storageInformers({
    ...{ api: kube, namespace, managerPods: 'app.kubernetes.io/name=volume-manager', clock, random, log },
    shared: {
      ...{ volumes, engines, replicas, snapshots, attachments, nodes, settings, engineImages, instanceManagers },
      ...{ recurringJobs, backupTargets: targets, backupVolumes, backups, orphans },
    },
  });
  const server = await startRestServer({
    listen: { host: api.address, port: api.port },
    auth: api.auth,
    ...{ api: kube, reader, namespace, node, clock, random, log },
    work: hostVolumeWork({ caches, hosts, namespace, clock, log, stopping: signal }),
    ...(registry === undefined ? {} : { registry }),
  });
  try {
    const reading = reader.run(signal);
    await unlessAborted(reader.synced(signal), signal);
    if (!signal.aborted) ready(undefined);
    await reading;
  } finally {
    await server.stop();
  }
}
