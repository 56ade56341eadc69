import {
  type AccessMode,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { refused, type VolumeIntent } from '@lateen/storage-rest';
import type { Volume } from '@lateen/storage-types';
import { settingsOf } from '../reading/settings-of.ts';
import type { RestPorts } from '../serving/rest-call.ts';
import { whenSeen } from '../writing/write-object.ts';

type IntentTo<Do extends VolumeIntent['do']> = Extract<VolumeIntent, { do: Do }>;

/** The driver whose volumes these are. */
const driver = 'driver.longhorn.io';

const modes: Readonly<Record<string, AccessMode>> = { rwo: 'ReadWriteOnce', rwop: 'ReadWriteOncePod' };
const accessModesOf = ({ spec }: Volume): AccessMode[] => [modes[spec.accessMode ?? 'rwo'] ?? 'ReadWriteOnce'];

/** Creates a PersistentVolume for a volume that no claim has created. @throws REST_REFUSED, KUBE_ALREADY_EXISTS */
export async function createPv(volume: Volume, intent: IntentTo<'create-pv'>, ports: RestPorts, signal: AbortSignal) {
  if (intent.secretName !== '' || intent.secretNamespace !== '')
    throw refused(
      'secrets of PVs are not supported by this volume manager: it has no encrypted volumes, leave secretName out',
    );
  const { spec } = volume;
  const object: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: intent.pvName },
    spec: {
      capacity: { storage: spec.size ?? '0' },
      accessModes: accessModesOf(volume),
      volumeMode: 'Filesystem',
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName:
        intent.storageClassName || settingsOf(ports.reader).text('default-longhorn-static-storage-class'),
      csi: {
        driver,
        volumeHandle: volume.metadata.name ?? '',
        fsType: intent.fsType || 'ext4',
        volumeAttributes: {
          numberOfReplicas: String(spec.numberOfReplicas ?? 0),
          staleReplicaTimeout: String(spec.staleReplicaTimeout ?? 0),
        },
      },
    },
  };
  await ports.api.create(persistentVolumeType, object, { signal });
}

/** As long as Longhorn waits for the PersistentVolume. */
const pvMs = 5_000;

/** Makes a claim that the volume's PersistentVolume is bound to. @throws REST_REFUSED, KUBE_ALREADY_EXISTS */
export async function createPvc(volume: Volume, intent: IntentTo<'create-pvc'>, ports: RestPorts, signal: AbortSignal) {
  if (intent.namespace === '') throw refused('namespace is required to create a PVC');
  const pv = await persistentVolumeOf(volume, ports, signal);
  const object: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: intent.pvcName, namespace: intent.namespace },
    spec: {
      accessModes: accessModesOf(volume),
      resources: { requests: { storage: volume.spec.size ?? '0' } },
      storageClassName: pv.spec.storageClassName ?? '',
      volumeName: pv.metadata.name ?? '',
    },
  };
  await ports.api.create(persistentVolumeClaimType, object, { signal });
}

/** The manager writes it into the volume's status, a moment after its creation. */
async function persistentVolumeOf(volume: Volume, ports: RestPorts, signal: AbortSignal): Promise<PersistentVolume> {
  const name = volume.metadata.name ?? '';
  const pvName = () => ports.reader.get('volumes', name)?.status?.kubernetesStatus?.pvName ?? '';
  await whenSeen(ports, 'volumes', () => pvName() !== '', signal, pvMs);
  const pv = await readObject(ports.api, persistentVolumeType, { name: pvName() }, signal);
  if (pv === undefined) throw refused(`volume ${name} has no PV yet: create it first with pvCreate`);
  return pv;
}
