import { type PodVolumeAccess, type PodVolumeSettings, podVolumeAccesses, podVolumeDefaults } from '@lateen/exposer';
import { objectAt, type Remark, remarkUnknown, shown } from './settings-value.ts';

/** How movers reach volumes of running pods; what is not said, or cannot be, is as by default. */
export function podVolumeAt(value: unknown, remark: Remark): PodVolumeSettings | undefined {
  const given = objectAt('podVolume', value, remark);
  if (given === undefined) return undefined;
  const { access, kubeletDirectory, ...others } = given;
  remarkUnknown('podVolume.', others, [], remark);
  return {
    access: accessAt(access, remark) ?? podVolumeDefaults.access,
    kubeletDirectory: directoryAt(kubeletDirectory, remark) ?? podVolumeDefaults.kubeletDirectory,
  };
}

function accessAt(value: unknown, remark: Remark): PodVolumeAccess | undefined {
  if (value === undefined || value === null) return undefined;
  const access = podVolumeAccesses.find((each) => each === value);
  const known = podVolumeAccesses.map((each) => `"${each}"`).join(', ');
  if (access === undefined) remark(`"podVolume.access": ${shown(value)} is ignored: it must be one of ${known}`);
  return access;
}

/** It becomes part of a path on the node, so it has to say where that is, and nothing else. */
function directoryAt(value: unknown, remark: Remark): string | undefined {
  if (value === undefined || value === null) return undefined;
  const path = typeof value === 'string' ? value.replace(/\/+$/, '') : '';
  const parts = path.split('/').slice(1);
  if (path.startsWith('/') && parts.every((part) => part !== '' && part !== '.' && part !== '..')) return path;
  remark(`"podVolume.kubeletDirectory": ${shown(value)} is ignored: it must be an absolute path without "." and ".."`);
  return undefined;
}
