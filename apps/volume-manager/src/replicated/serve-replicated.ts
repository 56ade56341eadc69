import { csi } from '@lateen/csi';
import { InFlight, makeService } from '@lateen/grpc';
import { connectInstanceHostLate } from '@lateen/instance-api';
import { exportKeyIn } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, readObject } from '@lateen/kube';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { connectStatus } from '@lateen/nbd';
import { replicatedBackups, replicatedBlockEngine, type SnapshotReads } from '@lateen/replicated-engine';
import { longhornNodeType } from '@lateen/storage-types';
import type { Files, RunCommand } from '@lateen/volume';
import { certificateFilesIn, instanceManagerPort, volumeManagerTls } from '@lateen/volume-controllers';
import { identityHandlers } from '../csi/identity-service.ts';
import { serveCsi } from '../csi/serve-csi.ts';
import { snapshotMetadataHandlers } from '../csi/snapshot-metadata-service.ts';
import { replicatedDriverName } from '../driver-name.ts';
import { prepareMetadataService } from '../metadata/keep-metadata-service.ts';
import { replicaReads } from './blocks/replica-reads.ts';
import { replicatedSnapshotBlocks } from './blocks/snapshot-blocks.ts';
import { type ReplicatedController, replicatedControllerHandlers } from './controller-service.ts';
import type { CsiConfig } from './csi-config.ts';
import { replicatedNodeHandlers } from './node-service.ts';
import { replicatedOperationKeys } from './operation-keys.ts';

interface Base {
  log: Logger;
  clock: Clock;
  random: Random;
  run: RunCommand;
  files: Files;
}

/**
 * Serves CSI for replicated volumes until `stop` aborts: the services for the cluster's sidecars, those for kubelet, or both.
 * @throws AppError when the cluster's address cannot be read, a socket is taken, or kubelet refuses the driver
 */
export async function serveReplicated(config: CsiConfig, base: Base, stop: AbortSignal): Promise<void> {
  const { log, clock } = base;
  // A node calls no API: it gets everything from kubelet and from the existing devices.
  const kube = config.mode === 'node' ? undefined : await clientOf(config, base);
  const stopping = new AbortController();
  const inFlight = new InFlight();
  const options = { log, clock, stopping: stopping.signal, keysOf: replicatedOperationKeys, inFlight };
  const reads = kube === undefined ? undefined : readsOf(kube, config, base);
  const identity = identityHandlers(replicatedDriverName, { tellsBlocks: reads !== undefined });
  const services = [makeService(csi.IdentityService, identity, options)];
  if (kube !== undefined) {
    const controller = controllerOf(kube, reads, config, base);
    services.push(makeService(csi.ControllerService, replicatedControllerHandlers(controller), options));
    if (reads !== undefined) {
      const blocks = snapshotMetadataHandlers(replicatedSnapshotBlocks(controller.engine));
      services.push(makeService(csi.SnapshotMetadataService, blocks, options));
    }
  }
  if (config.mode !== 'controller') {
    const { nodeId, deviceDirectory } = config;
    const host = { run: base.run, files: base.files, log, clock };
    services.push(makeService(csi.NodeService, replicatedNodeHandlers({ nodeId, host, deviceDirectory }), options));
  }
  const { metadata: place, namespace } = config;
  try {
    const metadata =
      kube === undefined || place === undefined
        ? undefined
        : await prepareMetadataService({ driver: replicatedDriverName, place }, clock);
    const beside = async (signal: AbortSignal) => {
      if (kube !== undefined) await metadata?.keep({ ...base, kube, namespace }, signal);
    };
    const driver = { ...config, driverName: replicatedDriverName, services, stopping, beside };
    await serveCsi(driver, { log, clock }, stop);
  } finally {
    await kube?.close();
  }
}

async function clientOf(config: CsiConfig, { clock, random, log }: Base): Promise<KubeClient> {
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  return kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-volume-manager-csi' });
}

function controllerOf(
  kube: KubeApi,
  reads: SnapshotReads | undefined,
  { namespace }: CsiConfig,
  { clock, random, log }: Base,
): ReplicatedController {
  const options = { kube, namespace, clock, random, log };
  const engine = replicatedBlockEngine({ ...options, ...(reads && { snapshotReads: reads }) });
  return { engine, backups: replicatedBackups(options), hasNode: hasNode(kube, namespace) };
}

const contexts = ['base:allocation', 'qemu:allocation-depth'] as const;

/** Calls instance managers, if there is a certificate; its files are read when they are needed. */
function readsOf(
  kube: KubeApi,
  { namespace, certificateDirectory: directory }: CsiConfig,
  { clock, random, log }: Base,
): SnapshotReads | undefined {
  if (directory === undefined) return undefined;
  const peer = {
    port: instanceManagerPort,
    tls: certificateFilesIn(directory),
    serverName: volumeManagerTls.serverName,
  };
  return replicaReads({
    ...{ kube, namespace, clock, random, log },
    hostAt: (host) => connectInstanceHostLate({ ...peer, host }, { clock }),
    connect: (at, exportName, signal) => connectStatus({ at, exportName, clock, signal, contexts }),
    exportKey: () => exportKeyIn(directory),
  });
}

const hasNode =
  (kube: KubeApi, namespace: string) =>
  async (name: string, signal: AbortSignal): Promise<boolean> =>
    (await readObject(kube, longhornNodeType, { namespace, name }, signal)) !== undefined;
