import { csi } from '@lateen/csi';
import { InFlight, makeService } from '@lateen/grpc';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type Files, openVolumes, type RunCommand } from '@lateen/volume';
import { identityHandlers } from '../csi/identity-service.ts';
import { serveCsi } from '../csi/serve-csi.ts';
import { snapshotMetadataHandlers } from '../csi/snapshot-metadata-service.ts';
import { driverName } from '../driver-name.ts';
import { controllerHandlers } from './controller-service.ts';
import type { LocalConfig } from './local-config.ts';
import { nodeHandlers } from './node-service.ts';
import { operationKeys } from './operation-keys.ts';
import { serveNodeBlocks } from './serve-node-blocks.ts';
import { localSnapshotBlocks } from './snapshot-blocks.ts';

export interface Base {
  log: Logger;
  clock: Clock;
  random: Random;
  run: RunCommand;
  files: Files;
}

/**
 * Recovers the state directory, then serves CSI (and, if configured, registers with kubelet) until `signal` aborts.
 * @throws AppError when the state cannot be opened, a socket is taken, or kubelet refuses the driver.
 */
export async function serveLocal(config: LocalConfig, base: Base, signal: AbortSignal): Promise<void> {
  const { log, clock } = base;
  const host = { run: base.run, files: base.files, log, clock };
  const { nodeId, stateDirectory } = config;
  const copyMode = config.dropReflink ? ({ copyMode: 'plain' } as const) : {};
  const deps = await openVolumes({ stateDirectory, nodeId, host, ...copyMode }, signal);
  const stopping = new AbortController();
  const options = { log, clock, stopping: stopping.signal, keysOf: operationKeys(nodeId), inFlight: new InFlight() };
  const blocks = makeService(csi.SnapshotMetadataService, snapshotMetadataHandlers(localSnapshotBlocks(deps)), options);
  const services = [
    makeService(csi.IdentityService, identityHandlers(driverName, { tellsBlocks: true }), options),
    makeService(csi.ControllerService, controllerHandlers(deps), options),
    makeService(csi.NodeService, nodeHandlers(deps), options),
    blocks,
  ];
  const place = config.blocks;
  const beside = async (stop: AbortSignal) => {
    if (place !== undefined) await serveNodeBlocks(place, blocks, base, stop);
  };
  await serveCsi({ ...config, driverName, services, stopping, beside }, base, signal);
}
