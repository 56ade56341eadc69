import type { KindDefinition } from '@lateen/api-types/definitions';
import { backupDefinition, backupTargetDefinition, backupVolumeDefinition, recurringJobDefinition } from './backups.ts';
import { listedDefinitions } from './listed.ts';
import { instanceManagerDefinition, longhornNodeDefinition, orphanDefinition, settingDefinition } from './nodes.ts';
import {
  engineDefinition,
  engineImageDefinition,
  replicaDefinition,
  snapshotDefinition,
  volumeAttachmentDefinition,
  volumeDefinition,
} from './volumes.ts';

/** The kinds that the volume manager acts on. */
export const actedOnDefinitions: readonly KindDefinition[] = [
  volumeDefinition,
  engineDefinition,
  replicaDefinition,
  instanceManagerDefinition,
  engineImageDefinition,
  longhornNodeDefinition,
  settingDefinition,
  volumeAttachmentDefinition,
  snapshotDefinition,
  backupDefinition,
  backupVolumeDefinition,
  backupTargetDefinition,
  recurringJobDefinition,
  orphanDefinition,
];

/** All kinds of longhorn.io. Each has a CRD in deploy/crds-storage. */
export const storageKindDefinitions: readonly KindDefinition[] = [...actedOnDefinitions, ...listedDefinitions];
