import { type PodVolumeAccess, type PodVolumeSettings, podVolumeAccesses } from '@lateen/exposer';
import { objectAt, type Remark, remarkUnknown, shown } from './settings-value.ts';

/** How movers reach volumes of running pods; for missing or invalid fields the agent's flags apply. */
export function podVolumeAt(value: unknown, remark: Remark): Partial<PodVolumeSettings> | undefined {
  const given = objectAt('podVolume', value, remark);
  if (given === undefined) return undefined;
  const { access, kubeletDirectory, ...others } = given;
  remarkUnknown('podVolume.', others, [], remark);
  const [asked, directory] = [accessAt(access, remark), directoryAt(kubeletDirectory, remark)];
  return {
    ...(asked === undefined ? {} : { access: asked }),
    ...(directory === undefined ? {} : { kubeletDirectory: directory }),
  };
}

function accessAt(value: unknown, remark: Remark): PodVolumeAccess | undefined {
  if (value === undefined || value === null) return undefined;
  const access = podVolumeAccesses.find((each) => each === value);
  const known = podVolumeAccesses.map((each) => `"${each}"`).join(', ');
  if (access === undefined) remark(`"podVolume.access": ${shown(value)} is ignored: it must be one of ${known}`);
  return access;
}

function directoryAt(value: unknown, remark: Remark): string | undefined {
  if (value === undefined || value === null) return undefined;
  const path = typeof value === 'string' ? absoluteDirectory(value) : undefined;
  if (path === undefined)
    remark(
      `"podVolume.kubeletDirectory": ${shown(value)} is ignored: it must be an absolute path without "." and ".."`,
    );
  return path;
}

/**
 * The text becomes a part of a path on the node, so it must be an absolute path without further meaning. Undefined when it is
 * not.
 */
export function absoluteDirectory(text: string): string | undefined {
  const path = text.replace(/\/+$/, '');
  const parts = path.split('/').slice(1);
  const isPlain = path.startsWith('/') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain ? path : undefined;
}
