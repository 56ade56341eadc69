import type { KindDefinition } from '@lateen/api-types/definitions';
import { engineType } from '../kinds/engine.ts';
import { engineImageType } from '../kinds/engine-image.ts';
import { replicaType } from '../kinds/replica.ts';
import { snapshotType } from '../kinds/snapshot.ts';
import { volumeType } from '../kinds/volume.ts';
import { volumeAttachmentObjectType } from '../kinds/volume-attachment-object.ts';
import {
  age,
  condition,
  count,
  currentImage,
  currentState,
  dataEngine,
  image,
  instanceManager,
  node,
  since,
  size,
  state,
  text,
  yesOrNo,
} from './columns.ts';

/** The column Scheduled stays empty, as in Longhorn: a volume's condition is of type Scheduled, a node's of type Schedulable. */
export const volumeDefinition: KindDefinition = {
  type: volumeType,
  shortNames: ['lhv'],
  columns: [
    dataEngine,
    state,
    text('Robustness', '.status.robustness'),
    condition('Scheduled', 'Schedulable'),
    text('Size', '.spec.size'),
    text('Node', '.status.currentNodeID'),
    { ...text('Switchover', '.status.switchoverState'), priority: 1 },
    age,
  ],
  statusSubresource: true,
};

export const engineDefinition: KindDefinition = {
  type: engineType,
  shortNames: ['lhe'],
  columns: [dataEngine, currentState, node, instanceManager, currentImage, age],
  statusSubresource: true,
};

export const replicaDefinition: KindDefinition = {
  type: replicaType,
  shortNames: ['lhr'],
  columns: [dataEngine, currentState, node, text('Disk', '.spec.diskID'), instanceManager, currentImage, age],
  statusSubresource: true,
};

export const volumeAttachmentDefinition: KindDefinition = {
  type: volumeAttachmentObjectType,
  declaredAs: 'VolumeAttachmentObject',
  shortNames: ['lhva'],
  columns: [age],
  statusSubresource: true,
};

export const snapshotDefinition: KindDefinition = {
  type: snapshotType,
  shortNames: ['lhsnap'],
  columns: [
    text('Volume', '.spec.volume'),
    text('CreationTime', '.status.creationTime'),
    yesOrNo('ReadyToUse', '.status.readyToUse'),
    text('RestoreSize', '.status.restoreSize'),
    size,
    age,
  ],
  statusSubresource: true,
};

export const engineImageDefinition: KindDefinition = {
  type: engineImageType,
  shortNames: ['lhei'],
  columns: [
    yesOrNo('Incompatible', '.status.incompatible'),
    state,
    image,
    count('RefCount', '.status.refCount'),
    since('BuildDate', '.status.buildDate'),
    age,
  ],
  statusSubresource: true,
};
