import { keyOf, keyText } from '@lateen/kube';
import type { Replica, Volume, VolumeAttachmentObject } from '@lateen/storage-types';
import { type ClusterFacts, type ReplicaTicket, type VolumeSeen, wholeSet } from '@lateen/volume-decisions';
import type { RoomContext } from '../../frame/room-context.ts';
import { restoreFacts } from '../../restores/restore-facts.ts';
import { storedJobsFacts } from '../../restores/stored-jobs.ts';
import { isForReplicas } from '../attachment/offline-attachments.ts';
import type { FreshNames } from './fresh-names.ts';
import type { StartClocks } from './start-clocks.ts';
import type { StartProgress } from './start-progress.ts';

export interface VolumePorts {
  readonly context: RoomContext;
  readonly cluster: () => ClusterFacts;
  readonly starts: StartClocks;
  readonly progress: StartProgress;
  readonly names: FreshNames;
}

/** The facts for the decision about a volume, from the caches. */
export function gatherVolume({ context, cluster, starts, progress, names }: VolumePorts, volume: Volume): VolumeSeen {
  const { caches, hosts, settings } = context;
  const { name = '' } = volume.metadata;
  const key = keyText(keyOf(volume));
  const engine = caches.engines.byIndex('volume', name)[0];
  const attachment = caches.attachments.get(keyOf(volume));
  const replicas = caches.replicas.byIndex('volume', name);
  const nodes = new Set([
    volume.spec.nodeID ?? '',
    volume.status?.currentNodeID ?? '',
    engine?.spec.nodeID ?? '',
    ...replicas.map(({ spec }) => spec.nodeID ?? ''),
  ]);
  nodes.delete('');
  const restore = restoreFacts(context, volume);
  const storedJobs = storedJobsFacts(context, volume);
  return {
    volume,
    ...(restore === undefined ? {} : { restore }),
    ...(storedJobs === undefined ? {} : { storedJobs }),
    ...(engine === undefined ? {} : { engine }),
    replicas,
    snapshots: caches.snapshots.byIndex('volume', name),
    hasAttachment: attachment !== undefined,
    ...offlineOf(attachment),
    cluster: cluster(),
    downNodes: new Set([...nodes].filter((node) => hosts.isLost(node))),
    answering: new Set([...nodes].filter((node) => hosts.facts(node).reach === 'answers')),
    startedAgoMs: progress.agoMs(nodes),
    settings: settings(),
    rebuildsOn: { get: (node) => rebuildsOn(context, node) },
    start: starts.look(key, engine, replicas),
    uuids: names.of(key, replicas),
  };
}

function offlineOf(attachment: VolumeAttachmentObject | undefined): Pick<VolumeSeen, 'offlineFor'> {
  const ticket = Object.values(attachment?.spec.attachmentTickets ?? {}).find(isForReplicas);
  return ticket === undefined ? {} : { offlineFor: ticket.type as ReplicaTicket };
}

/** Rebuilds that run or are requested on a node, of all volumes. */
function rebuildsOn({ caches }: RoomContext, node: string): number {
  const isRebuilt = (replica: Replica): boolean => {
    const engine = caches.engines.byIndex('volume', replica.spec.volumeName ?? '')[0];
    return engine?.status?.currentState === 'running' && !wholeSet(engine).has(replica.metadata.name ?? '');
  };
  return caches.replicas.byIndex('rebuilding', node).filter(isRebuilt).length;
}
