import {
  type BackupStorageLocation,
  cloudCredentials,
  defaultLocationName,
  type Secret,
  type VolumeSnapshotLocation,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import type { Unstructured } from '@lateen/kube';
import { type Manifests, renderManifests } from '@lateen/manifests';
import { caOf } from '../backup-location/new-location.ts';
import type { InstallSettings } from './install-settings.ts';
import { checkRequests } from './pod-resources.ts';

/** Reads a file that a flag names, up to a maximum of bytes. */
export type ReadFile = (path: string, bytesMax: number) => Promise<Uint8Array>;

/** The largest file that fits into a Secret or a custom resource: etcd's limit, less the other fields. */
const fileBytesMax = 512 * 1024;

const ours = { 'app.kubernetes.io/part-of': 'lateen' } as const;

/**
 * All objects of an installation with these settings: the objects of deploy/, the Secret and the locations.
 * @throws AppError BAD_FLAG for a file that cannot be read or has the wrong format; no message contains its content
 */
export async function installObjects(
  manifests: Manifests,
  settings: InstallSettings,
  readFile: ReadFile,
): Promise<Unstructured[]> {
  const { render, location, snapshotLocation, secretFile } = settings;
  const namespace = render.namespace ?? '';
  const objects = renderManifests(manifests, render);
  checkRequests(objects);
  if (secretFile !== undefined) {
    const data = await read(readFile, '--secret-file', secretFile);
    if (data.toString().trim() === '') throw new AppError('BAD_FLAG', `--secret-file ${secretFile} is empty`);
    objects.push({ ...secretOf(namespace, data) });
  }
  if (location !== undefined) {
    const { spec, caFile } = location;
    const objectStorage = { ...spec.objectStorage, ...(await caOf(caFile === undefined ? {} : { cacert: caFile })) };
    const made: BackupStorageLocation = {
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: { namespace, name: defaultLocationName, labels: ours },
      spec: { ...spec, objectStorage },
    };
    objects.push({ ...made });
  }
  if (snapshotLocation !== undefined) {
    const made: VolumeSnapshotLocation = {
      apiVersion: 'velero.io/v1',
      kind: 'VolumeSnapshotLocation',
      metadata: { namespace, name: defaultLocationName, labels: ours },
      spec: snapshotLocation,
    };
    objects.push({ ...made });
  }
  return objects;
}

const secretOf = (namespace: string, data: Buffer): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: cloudCredentials.name, labels: ours },
  type: 'Opaque',
  data: { [cloudCredentials.key]: data.toString('base64') },
});

async function read(readFile: ReadFile, flag: string, path: string): Promise<Buffer> {
  try {
    return Buffer.from(await readFile(path, fileBytesMax));
  } catch (error) {
    throw new AppError('BAD_FLAG', `${flag} ${path} cannot be read: ${describeError(error)}`, { cause: error });
  }
}
