import { csi } from '@lateen/csi';
import { InFlight, makeService } from '@lateen/grpc';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, readObject } from '@lateen/kube';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { replicatedBackups, replicatedBlockEngine } from '@lateen/replicated-engine';
import { longhornNodeType } from '@lateen/storage-types';
import type { Files, RunCommand } from '@lateen/volume';
import { identityHandlers } from '../csi/identity-service.ts';
import { serveCsi } from '../csi/serve-csi.ts';
import { replicatedDriverName } from '../driver-name.ts';
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
 * Serves CSI for replicated volumes until `stop` aborts: what the sidecars of the cluster call, what kubelet calls, or both.
 * @throws AppError when the cluster's address cannot be read, a socket is taken, or kubelet refuses the driver
 */
export async function serveReplicated(config: CsiConfig, base: Base, stop: AbortSignal): Promise<void> {
  const { log, clock } = base;
  // A node asks no API: it has what it needs from kubelet and from the devices that are there.
  const kube = config.mode === 'node' ? undefined : await clientOf(config, base);
  const stopping = new AbortController();
  const inFlight = new InFlight();
  const options = { log, clock, stopping: stopping.signal, keysOf: replicatedOperationKeys, inFlight };
  const services = [
    makeService(csi.IdentityService, identityHandlers(replicatedDriverName, { tellsBlocks: false }), options),
  ];
  if (kube !== undefined) {
    const controller = controllerOf(kube, config, base);
    services.push(makeService(csi.ControllerService, replicatedControllerHandlers(controller), options));
  }
  if (config.mode !== 'controller') {
    const { nodeId, deviceDirectory } = config;
    const host = { run: base.run, files: base.files, log, clock };
    services.push(makeService(csi.NodeService, replicatedNodeHandlers({ nodeId, host, deviceDirectory }), options));
  }
  try {
    await serveCsi({ ...config, driverName: replicatedDriverName, services, stopping }, { log, clock }, stop);
  } finally {
    await kube?.close();
  }
}

async function clientOf(config: CsiConfig, { clock, random, log }: Base): Promise<KubeClient> {
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  return kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-volume-manager-csi' });
}

function controllerOf(kube: KubeApi, { namespace }: CsiConfig, { clock, random, log }: Base): ReplicatedController {
  const options = { kube, namespace, clock, random, log };
  const engine = replicatedBlockEngine(options);
  return { engine, backups: replicatedBackups(options), hasNode: hasNode(kube, namespace) };
}

const hasNode =
  (kube: KubeApi, namespace: string) =>
  async (name: string, signal: AbortSignal): Promise<boolean> =>
    (await readObject(kube, longhornNodeType, { namespace, name }, signal)) !== undefined;
