import { isObjectName } from '@lateen/api-types';
import type {
  BackupPVC,
  CachePVC,
  CopiedNames,
  ExposureSettings,
  LoadAffinity,
  PodVolumeSettings,
  RestorePVC,
} from '@lateen/exposer';
import { labelSelectorAt } from './label-selector.ts';
import { podResourcesAt, podResourcesMaxAt, podResourcesPerStorageClassAt } from './pod-resources.ts';
import { podVolumeAt } from './pod-volume.ts';
import {
  booleanAt,
  isObject,
  listAt,
  numberAt,
  objectAt,
  type Remark,
  remarkUnknown,
  shown,
  textAt,
  textsAt,
} from './settings-value.ts';

/** The requested cache volume; check-classes.ts checks whether its class exists. */
export type AskedCachePVC = Omit<CachePVC, 'waitsForConsumer' | 'limitMB'>;
export interface AskedExposure extends Omit<ExposureSettings, 'cachePVC' | 'podVolume'> {
  cachePVC?: AskedCachePVC | undefined;
  /** For absent fields the agent's flags apply. */
  podVolume?: Partial<PodVolumeSettings>;
}

/** The keys of the ConfigMap that this file reads. */
export const exposureKeys: readonly string[] = [
  'podResources',
  'podResourcesPerStorageClass',
  'podResourcesMax',
  'loadAffinity',
  'backupPVC',
  'restorePVC',
  'priorityClassName',
  'podLabels',
  'podAnnotations',
  'cachePVC',
  'privilegedFsBackup',
  'csiSnapshotMetadataServiceConfigs',
  'podVolume',
];

/** The installation's settings for hosting pods and their volumes; each key is read independently (api.md section 17.1). */
export function exposureAt(settings: Readonly<Record<string, unknown>>, remark: Remark): AskedExposure {
  const podLabels = textsAt('podLabels', settings.podLabels, { fits: isLabel, must: 'a label value', remark });
  const podAnnotations = textsAt('podAnnotations', settings.podAnnotations, { ...anyText, remark });
  const podVolume = podVolumeAt(settings.podVolume, remark);
  return {
    podResources: podResourcesAt('podResources', settings.podResources, remark),
    podResourcesPerStorageClass: podResourcesPerStorageClassAt(settings.podResourcesPerStorageClass, remark),
    podResourcesMax: podResourcesMaxAt(settings.podResourcesMax, remark),
    loadAffinity: loadAffinityAt(settings.loadAffinity, remark),
    backupPVC: backupPVCAt(settings.backupPVC, remark),
    restorePVC: restorePVCAt(settings.restorePVC, remark),
    priorityClassName: textAt('priorityClassName', settings.priorityClassName, remark),
    ...(podLabels === undefined ? {} : { podLabels }),
    ...(podAnnotations === undefined ? {} : { podAnnotations }),
    cachePVC: cachePVCAt(settings.cachePVC, remark),
    privilegedFsBackup: booleanAt('privilegedFsBackup', settings.privilegedFsBackup, remark),
    csiSnapshotMetadataServiceConfigs: metadataServiceAt(settings.csiSnapshotMetadataServiceConfigs, remark),
    ...(podVolume === undefined ? {} : { podVolume }),
  };
}

const anyText = { fits: () => true, must: 'a text' } as const;

/** The API server would refuse a pod with an invalid label, and so every movement would fail. */
function isLabel(name: string, value: string): boolean {
  const part = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
  const [last = '', ...before] = name.split('/').reverse();
  const prefixed =
    before.length === 0 || (before.length === 1 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(before[0] ?? ''));
  return prefixed && part.test(last) && (value === '' || part.test(value));
}

function loadAffinityAt(value: unknown, remark: Remark): LoadAffinity[] {
  return listAt('loadAffinity', value, remark).flatMap((entry) => {
    if (!isObject(entry)) {
      remark(`"loadAffinity": ${shown(entry)} is ignored: it must be an object with nodeSelector`);
      return [];
    }
    remarkUnknown('loadAffinity.', entry, ['nodeSelector', 'storageClass'], remark);
    const nodeSelector = labelSelectorAt('loadAffinity.nodeSelector', entry.nodeSelector ?? {}, remark);
    const storageClass = textAt('loadAffinity.storageClass', entry.storageClass, remark);
    const wrongClass = storageClass === undefined && (entry.storageClass ?? '') !== '';
    // Without its selector or class, an entry for one class would apply to every class, so it is dropped.
    if (nodeSelector === undefined || wrongClass) return [];
    return [{ nodeSelector, ...(storageClass === undefined ? {} : { storageClass }) }];
  });
}

function backupPVCAt(value: unknown, remark: Remark): Record<string, BackupPVC> {
  const entries = Object.entries(objectAt('backupPVC', value, remark) ?? {}).map(([name, block]) => {
    const key = `backupPVC.${name}`;
    const { storageClass, readOnly, spcNoRelabeling, annotations, secretNames, configMapNames, ...others } =
      objectAt(key, block, remark) ?? {};
    remarkUnknown(`${key}.`, others, [], remark);
    const className = textAt(`${key}.storageClass`, storageClass, remark);
    const entry: BackupPVC = {
      ...(className === undefined ? {} : { storageClass: className }),
      readOnly: booleanAt(`${key}.readOnly`, readOnly, remark),
      spcNoRelabeling: booleanAt(`${key}.spcNoRelabeling`, spcNoRelabeling, remark),
      annotations: textsAt(`${key}.annotations`, annotations, { ...anyText, remark }) ?? {},
      ...copiedAt(key, { secretNames, configMapNames }, remark),
    };
    return [name, entry] as const;
  });
  return Object.fromEntries(entries);
}

function restorePVCAt(value: unknown, remark: Remark): RestorePVC {
  const { ignoreDelayBinding, secretNames, configMapNames, ...others } = objectAt('restorePVC', value, remark) ?? {};
  remarkUnknown('restorePVC.', others, [], remark);
  return {
    ignoreDelayBinding: booleanAt('restorePVC.ignoreDelayBinding', ignoreDelayBinding, remark),
    ...copiedAt('restorePVC', { secretNames, configMapNames }, remark),
  };
}

/** Invalid object names are left out: with one of them, every movement would fail. */
function copiedAt(where: string, lists: Readonly<Record<keyof CopiedNames, unknown>>, remark: Remark): CopiedNames {
  const named = Object.entries(lists).map(([list, value]) => {
    const key = `${where}.${list}`;
    const names = listAt(key, value, remark).filter((name): name is string => {
      if (typeof name === 'string' && isObjectName(name)) return true;
      remark(`"${key}": ${shown(name)} is ignored: it must be the name of an object`);
      return false;
    });
    return [list, [...new Set(names)]] as const;
  });
  return Object.fromEntries(named.filter(([, names]) => names.length > 0));
}

/** A name that is none would fail every pod of an upload that reads changes. */
function metadataServiceAt(value: unknown, remark: Remark): ExposureSettings['csiSnapshotMetadataServiceConfigs'] {
  const where = 'csiSnapshotMetadataServiceConfigs';
  const { saName, ...others } = objectAt(where, value, remark) ?? {};
  remarkUnknown(`${where}.`, others, [], remark);
  const name = textAt(`${where}.saName`, saName, remark);
  if (name === undefined || isObjectName(name)) return name === undefined ? undefined : { saName: name };
  remark(`"${where}.saName": ${shown(name)} is ignored: it must be the name of a service account`);
  return undefined;
}

function cachePVCAt(value: unknown, remark: Remark): AskedCachePVC | undefined {
  const given = objectAt('cachePVC', value, remark);
  if (given === undefined) return undefined;
  remarkUnknown('cachePVC.', given, ['storageClass', 'residentThresholdInMB'], remark);
  const storageClass = textAt('cachePVC.storageClass', given.storageClass, remark);
  const threshold = numberAt('cachePVC.residentThresholdInMB', given.residentThresholdInMB ?? 0, { least: 0, remark });
  if (storageClass !== undefined && threshold !== undefined) return { storageClass, residentThresholdInMB: threshold };
  remark(
    `"cachePVC": ${shown(value)} is ignored: it needs a storageClass, and a residentThresholdInMB that is a number`,
  );
  return undefined;
}
