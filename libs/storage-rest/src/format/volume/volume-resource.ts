import { type Resource, resource } from '../../envelope/resource.ts';
import { nameOf } from '../given.ts';
import { controllerFields, replicaFields } from './instances.ts';
import { offeredActions } from './offered-actions.ts';
import { attachmentFields } from './volume-attachment.ts';
import { foundFields, wantedFields } from './volume-fields.ts';
import { activeEngine, type VolumeSeenByApi } from './volume-seen.ts';
import { backupStatuses, purgeStatuses, rebuildStatuses, restoreStatuses } from './work-status.ts';

/** A volume with all that belongs to it. */
export function volumeResource(seen: VolumeSeenByApi, base: string): Resource {
  const { volume, engines, replicas, backups, attachment } = seen;
  const engine = activeEngine(engines);
  const fields = {
    ...wantedFields(volume),
    ...foundFields(volume),
    replicas: [...replicas].sort(byName).map((replica) => replicaFields(replica, engines)),
    controllers: [...engines].sort(byName).map(controllerFields),
    backupStatus: backupStatuses(backups, engine),
    restoreStatus: restoreStatuses(engine),
    purgeStatus: purgeStatuses(engine),
    rebuildStatus: rebuildStatuses(engine),
    volumeAttachment: {
      links: null,
      actions: null,
      ...(attachment === undefined ? { volume: nameOf(volume), attachments: {} } : attachmentFields(attachment)),
    },
  };
  return resource({ type: 'volume', id: nameOf(volume), fields, actions: offeredActions(volume) }, base);
}

/** A volume as most actions answer it: without engines, replicas, and what these do. */
export const bareVolumeResource = (seen: VolumeSeenByApi, base: string): Resource =>
  volumeResource({ ...seen, engines: [], replicas: [], backups: [] }, base);

const byName = (a: { metadata: { name?: string } }, b: { metadata: { name?: string } }) =>
  nameOf(a) < nameOf(b) ? -1 : 1;
