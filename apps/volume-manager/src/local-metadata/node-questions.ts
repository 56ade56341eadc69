import { type Pod, podType } from '@lateen/api-types';
import { csi } from '@lateen/csi';
import { isAppError } from '@lateen/errors';
import { connectTcp, type ServiceHandlers, type TlsFiles } from '@lateen/grpc';
import { type KubeApi, listAll } from '@lateen/kube';
import { nodeTag, readId, volumeError } from '@lateen/volume';

/** Where the drivers of the nodes are asked. */
export interface NodePlaces {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly podSelector: string;
  readonly port: number;
  /** What both sides show, and the name in it. */
  readonly tls: TlsFiles;
  readonly serverName: string;
}

/**
 * CSI SnapshotMetadata for the snapshots of all nodes. The ID of a snapshot says which node has it: that node's driver is asked, and its messages and errors are passed on as
 * they are.
 */
export function nodeQuestions(places: NodePlaces): ServiceHandlers<csi.SnapshotMetadataServer> {
  return {
    getMetadataAllocated: async function* (request, { signal }) {
      using driver = await driverOf(places, request.snapshotId, signal);
      yield* driver.getMetadataAllocated(request, { signal });
    },
    getMetadataDelta: async function* (request, { signal }) {
      using driver = await driverOf(places, request.targetSnapshotId, signal);
      yield* driver.getMetadataDelta(request, { signal });
    },
  };
}

/**
 * The driver of the node that has a snapshot.
 * @throws AppError `INVALID_ARGUMENT`, `NOT_FOUND` for an ID that no snapshot can have; `UNAVAILABLE` while the driver of its node does not run
 */
async function driverOf(places: NodePlaces, snapshotId: string, signal: AbortSignal) {
  const finding = readId(snapshotId, 'the ID of the snapshot');
  if (finding.kind !== 'snapshot') throw volumeError('NOT_FOUND', `there is no snapshot ${JSON.stringify(snapshotId)}`);
  const { kube, namespace, podSelector: labelSelector, port, tls, serverName } = places;
  const { items } = await listAll(kube, podType, { namespace, labelSelector, signal });
  const host = items.find((pod) => nodeTag(pod.spec.nodeName ?? '') === finding.tag && runs(pod))?.status?.podIP;
  if (host === undefined) {
    throw volumeError('UNAVAILABLE', `the CSI driver of the node that has snapshot ${snapshotId} does not run`, {
      nextStep: `Look at the pods of namespace ${namespace} with label ${labelSelector}: that node has none that is ready.`,
    });
  }
  try {
    return await connectTcp<csi.SnapshotMetadataServer>({ host, port, tls, serverName }, csi.SnapshotMetadataClient);
  } catch (cause) {
    if (!isAppError(cause, 'TLS_FILES')) throw cause;
    throw volumeError('UNAVAILABLE', 'the certificate for the nodes is not there yet', { cause });
  }
}

const runs = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase === 'Running' && (status.podIP ?? '') !== '';
