import { apiTime } from '@lateen/kube';
import {
  backupResource,
  backupVolumeResource,
  collection,
  notFound,
  onlyFields,
  type Resource,
  readInput,
} from '@lateen/storage-rest';
import type { Backup, BackupVolume } from '@lateen/storage-types';
import type { StorageReader } from '../reading/storage-reader.ts';
import { type Handle, longhornNeed, type Need, type RestCall, type Route } from '../serving/rest-call.ts';
import { deleteObject, readThere } from '../writing/write-object.ts';
import { changeObject } from './change-object.ts';
import { collectionAnswer, listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { missing } from './missing.ts';

/** For a missing backup volume the answer is an empty resource, as Longhorn's clients expect. */
const nothing: Resource = { id: '', type: 'backupVolume', links: {}, actions: {} };

/** Backups of a volume, in the target of the backup volume; in any target when the volume is given by name. */
function backupsOf({ spec }: BackupVolume, reader: StorageReader): readonly Backup[] {
  const target = spec.backupTargetName ?? '';
  const isThere = ({ status }: Backup) =>
    (status?.backupTargetName ?? '') === '' || status?.backupTargetName === target;
  return reader.ofVolume('backups', spec.volumeName ?? '').filter(isThere);
}

const listAnswer = (backups: readonly Backup[], base: string) => ({
  body: collection(
    'backup',
    backups.map((backup) => backupResource(backup, base)),
    base,
  ),
});

const nameIn = (body: unknown, schema: string): string => readInput(schema, onlyFields(body, ['name'])).text('name');

/** A backup of this volume. @throws REST_NOT_FOUND also for one of another volume */
function backupNamed(name: string, of: BackupVolume, reader: StorageReader): Backup {
  const found = backupsOf(of, reader).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw missing('backups', name);
  return found;
}

const actions: Readonly<Record<string, { readonly needs: readonly Need[]; readonly handle: Handle }>> = {
  backupList: {
    needs: [longhornNeed('list', 'backups')],
    handle: async ({ name, signal, base }, ports) =>
      listAnswer(backupsOf(await readThere(ports, 'backupVolumes', name, signal), ports.reader), base),
  },
  backupListByVolume: {
    needs: [longhornNeed('list', 'backups')],
    handle: ({ base, body }, { reader }) => listAnswer(reader.ofVolume('backups', nameIn(body(), 'volume')), base),
  },
  backupGet: {
    needs: [longhornNeed('get', 'backups')],
    handle: async ({ name, signal, base, body }, ports) => {
      const backup = nameIn(body(), 'backupInput');
      const of = await readThere(ports, 'backupVolumes', name, signal);
      return { body: backupResource(backupNamed(backup, of, ports.reader), base) };
    },
  },
  backupDelete: {
    needs: [longhornNeed('delete', 'backups')],
    handle: async ({ name, signal, base, body }, ports) => {
      const backup = nameIn(body(), 'backupInput');
      const of = await readThere(ports, 'backupVolumes', name, signal);
      await deleteObject(ports, 'backups', backupNamed(backup, of, ports.reader), signal);
      return { body: backupVolumeResource(of, base) };
    },
  },
  backupVolumeSync: {
    needs: [longhornNeed('update', 'backupvolumes')],
    handle: async (call, ports) => {
      const isAsked = readInput('syncBackupResource', call.body()).flag('syncBackupVolume');
      const at = apiTime(ports.clock.now());
      const change = (before: BackupVolume) => (isAsked ? askedAt(before, at) : undefined);
      return { body: backupVolumeResource(await changeObject(ports, call, 'backupVolumes', change), call.base) };
    },
  },
};

const askedAt = (volume: BackupVolume, at: string): BackupVolume => ({
  ...volume,
  spec: { ...volume.spec, syncRequestedAt: at },
});

function actionOf({ name, action }: RestCall) {
  const found = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (found === undefined) throw notFound(`backup volume ${name} has no action ${JSON.stringify(action)}`);
  return found;
}

const syncAll: Handle = async ({ base, body, signal }, ports) => {
  if (readInput('syncBackupResource', body()).flag('syncAllBackupVolumes')) {
    const at = apiTime(ports.clock.now());
    for (const { metadata } of ports.reader.list('backupVolumes'))
      await changeObject(ports, { name: metadata.name ?? '', signal }, 'backupVolumes', (one) => askedAt(one, at));
  }
  return collectionAnswer('backupvolumes', ports.reader, base);
};

export const backupVolumeRoutes: readonly Route[] = [
  {
    path: '/v1/backupvolumes',
    methods: {
      GET: listEndpoint('backupvolumes'),
      PUT: { needs: [longhornNeed('update', 'backupvolumes')], handle: syncAll },
    },
  },
  {
    path: '/v1/backupvolumes/:name',
    methods: {
      GET: oneEndpoint('backupvolumes', () => nothing),
      POST: { needs: (call) => actionOf(call).needs, handle: (call, ports) => actionOf(call).handle(call, ports) },
      DELETE: deleteEndpoint('backupvolumes', 'backupVolumes'),
    },
  },
];
