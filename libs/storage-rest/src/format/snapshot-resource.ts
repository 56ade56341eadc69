import type { EngineSnapshot, Snapshot } from '@lateen/storage-types';
import { type Resource, resource } from '../envelope/resource.ts';
import { given, nameOf } from './given.ts';

/** A snapshot as the engine has it. The checksum is not the engine's to know: it comes from the Snapshot object, empty without one. */
export function snapshotResource(name: string, seen: EngineSnapshot, checksum: string, base: string): Resource {
  const fields = {
    name: seen.name || name,
    parent: seen.parent ?? '',
    children: seen.children ?? {},
    removed: seen.removed ?? false,
    usercreated: seen.usercreated ?? false,
    created: seen.created ?? '',
    size: seen.size ?? '0',
    labels: seen.labels ?? null,
    checksum,
  };
  return resource({ type: 'snapshot', id: name, fields }, base);
}

/** A Snapshot object. */
export function snapshotCRResource(snapshot: Snapshot, base: string): Resource {
  const { metadata, spec, status = {} } = snapshot;
  const fields = {
    name: nameOf(snapshot),
    crCreationTime: metadata.creationTimestamp ?? '',
    volume: spec.volume,
    createSnapshot: spec.createSnapshot ?? false,
    parent: status.parent ?? '',
    children: status.children ?? {},
    markRemoved: status.markRemoved ?? false,
    userCreated: status.userCreated ?? false,
    creationTime: status.creationTime ?? '',
    size: status.size ?? 0,
    labels: status.labels ?? null,
    ownerID: status.ownerID ?? '',
    ...given({ error: status.error }),
    restoreSize: status.restoreSize ?? 0,
    readyToUse: status.readyToUse ?? false,
    checksum: status.checksum ?? '',
  };
  return resource({ type: 'snapshotCR', id: nameOf(snapshot), fields }, base);
}
