import type { KindDefinition } from '@lateen/api-types/definitions';
import { instanceManagerType } from '../kinds/instance-manager.ts';
import { longhornNodeType } from '../kinds/longhorn-node.ts';
import { orphanType } from '../kinds/orphan.ts';
import { settingType } from '../kinds/setting.ts';
import { age, condition, currentState, dataEngine, node, text, yesOrNo } from './columns.ts';

export const instanceManagerDefinition: KindDefinition = {
  type: instanceManagerType,
  shortNames: ['lhim'],
  columns: [dataEngine, currentState, text('Type', '.spec.type'), node, age],
  statusSubresource: true,
};

export const longhornNodeDefinition: KindDefinition = {
  type: longhornNodeType,
  declaredAs: 'LonghornNode',
  shortNames: ['lhn'],
  columns: [
    condition('Ready', 'Ready'),
    yesOrNo('AllowScheduling', '.spec.allowScheduling'),
    condition('Schedulable', 'Schedulable'),
    age,
  ],
  statusSubresource: true,
};

export const settingDefinition: KindDefinition = {
  type: settingType,
  rootFields: ['value'],
  shortNames: ['lhs'],
  columns: [text('Value', '.value'), yesOrNo('Applied', '.status.applied'), age],
  statusSubresource: true,
};

export const orphanDefinition: KindDefinition = {
  type: orphanType,
  shortNames: ['lho'],
  columns: [text('Type', '.spec.orphanType'), node],
  statusSubresource: true,
};
