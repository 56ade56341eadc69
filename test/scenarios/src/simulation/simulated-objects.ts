import type { KubeObject } from '@lateen/kube';
import {
  aBackupStorageLocation,
  aDaemonSet,
  aDataDownload,
  aDataUpload,
  aNode,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aPodVolumeBackup,
  aPodVolumeRestore,
  aStorageClass,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
} from '@lateen/testing';
import { clientPod, owningRestore, waitingPod } from '../world/movement-worlds.ts';
import { diceFor } from './dice.ts';
import type { MovementPlan, SimulationPlan } from './plan.ts';

export interface SimulatedObjects {
  objects: KubeObject[];
  /** Snapshots on the storage from the start. */
  volumes: string[];
  snapshots: string[];
}

/** The cluster before the movements start: nodes, class, location, and the source or target of each movement. */
export function simulatedObjects(plan: SimulationPlan): SimulatedObjects {
  const found: SimulatedObjects = {
    objects: [
      ...plan.nodes.map((name) => aNode({ name })),
      aDaemonSet(),
      aBackupStorageLocation(),
      owningRestore,
      aStorageClass({
        volumeBindingMode: plan.waitForFirstConsumer ? 'WaitForFirstConsumer' : 'Immediate',
        reclaimPolicy: plan.retain ? 'Retain' : 'Delete',
      }),
    ],
    volumes: [],
    snapshots: [],
  };
  const dice = diceFor(plan.seed, 'objects');
  for (const movement of plan.movements) {
    switch (movement.kind) {
      case 'DataUpload':
        addSource(found, movement, plan);
        break;
      case 'DataDownload':
        found.objects.push(target(movement, plan.waitForFirstConsumer ? dice.pick(plan.nodes) : undefined));
        break;
      case 'PodVolumeBackup':
        found.objects.push(clientPod(clientOf(movement)));
        break;
      case 'PodVolumeRestore':
        found.objects.push(waitingPod(clientOf(movement)));
        break;
      default:
        movement.kind satisfies never;
    }
  }
  return found;
}

/** A bound claim on a volume of node-1, and its snapshot. */
function addSource(
  { objects, volumes, snapshots }: SimulatedObjects,
  { name, block }: MovementPlan,
  plan: SimulationPlan,
) {
  const volumeMode = block ? ('Block' as const) : ('Filesystem' as const);
  const hostname = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['node-1'] };
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } };
  const claim = { namespace: 'app', name, uid: `claim-${name}` };
  volumes.push(`handle-pv-${name}`);
  snapshots.push(`handle-${name}`);
  objects.push(
    aPersistentVolumeClaim({ ...claim, volumeName: `pv-${name}`, spec: { volumeMode } }),
    aPersistentVolume({
      name: `pv-${name}`,
      claim,
      spec: { volumeMode, ...(plan.waitForFirstConsumer ? { nodeAffinity } : {}) },
    }),
    aVolumeSnapshot({
      name,
      uid: `snapshot-${name}`,
      content: `content-${name}`,
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'],
    }),
    aVolumeSnapshotContent({
      name: `content-${name}`,
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
      spec: {
        sourceVolumeMode: volumeMode,
        volumeSnapshotRef: {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshot',
          namespace: 'app',
          name,
          uid: `snapshot-${name}`,
        },
      },
      status: { snapshotHandle: `handle-${name}` },
    }),
  );
}

/** A claim that only a restore can bind. */
function target({ name, block }: MovementPlan, selectedNode: string | undefined): KubeObject {
  return aPersistentVolumeClaim({
    name,
    uid: `claim-${name}`,
    annotations: selectedNode === undefined ? {} : { 'volume.kubernetes.io/selected-node': selectedNode },
    spec: {
      volumeMode: block ? 'Block' : 'Filesystem',
      selector: { matchLabels: { 'velero.io/dynamic-pv-restore': `app.${name}.x2x4p` } },
    },
  });
}

/** The pod has the name of the movement. */
const clientOf = ({ name, node = '' }: MovementPlan) => ({ name, uid: `client-${name}`, nodeName: node });

export function movementObject(movement: MovementPlan): KubeObject {
  const { kind, name, node = '' } = movement;
  const pod = { kind: 'Pod', namespace: 'app', name, uid: `client-${name}` };
  switch (kind) {
    case 'DataDownload':
      return aDataDownload({ name, spec: { targetVolume: { pvc: name, pv: '', namespace: 'app' } } });
    case 'DataUpload':
      return aDataUpload({ name, spec: { sourcePVC: name, csiSnapshot: { ...csiSnapshot, volumeSnapshot: name } } });
    case 'PodVolumeBackup':
      return aPodVolumeBackup({ name, spec: { node, pod } });
    case 'PodVolumeRestore':
      return aPodVolumeRestore({ name, spec: { pod } });
    default:
      return kind satisfies never;
  }
}

const csiSnapshot = { storageClass: 'lateen', snapshotClass: 'lateen', driver: 'csi.lateen.dev' };
