import { join } from 'node:path';
import { csi } from '@lateen/csi';
import { InFlight, makeService } from '@lateen/grpc';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { certificateFilesIn } from '@lateen/volume-controllers/certificate';
import { identityHandlers } from '../csi/identity-service.ts';
import { serveCsi } from '../csi/serve-csi.ts';
import { driverName } from '../driver-name.ts';
import { prepareMetadataService } from '../metadata/keep-metadata-service.ts';
import type { LocalMetadataConfig } from './local-metadata-config.ts';
import { nodeQuestions } from './node-questions.ts';

interface Base {
  log: Logger;
  clock: Clock;
  random: Random;
}

/**
 * Serves SnapshotMetadata of the local driver to the sidecar until `stop` aborts, and announces that sidecar in the cluster.
 * @throws AppError when the cluster's address cannot be read or a socket is taken
 */
export async function serveLocalMetadata(config: LocalMetadataConfig, base: Base, stop: AbortSignal): Promise<void> {
  const { log, clock, random } = base;
  const { endpoint, namespace, podSelector, nodePort, metadata: place } = config;
  const cluster = await loadKubeConfig({ path: config.kubeconfig, env: config.environment });
  const kube = kubeClient({ config: cluster, clock, random, log, userAgent: 'lateen-volume-manager-metadata' });
  const stopping = new AbortController();
  const options = { log, clock, stopping: stopping.signal, inFlight: new InFlight() };
  const directory = join(place.directory, 'nodes');
  const tls = certificateFilesIn(directory);
  const questions = nodeQuestions({ kube, namespace, podSelector, port: nodePort, tls, serverName: place.service });
  const services = [
    makeService(csi.IdentityService, identityHandlers(driverName, { tellsBlocks: true, isController: false }), options),
    makeService(csi.SnapshotMetadataService, questions, options),
  ];
  try {
    const metadata = await prepareMetadataService(
      { driver: driverName, place, certificateDirectory: directory },
      clock,
    );
    const beside = (signal: AbortSignal) => metadata.keep({ ...base, kube, namespace }, signal);
    await serveCsi({ endpoint, nodeId: '', driverName, services, stopping, beside }, base, stop);
  } finally {
    await kube.close();
  }
}
