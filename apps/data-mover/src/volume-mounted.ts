import { AppError } from '@lateen/errors';

/**
 * Makes sure that a volume is mounted at `volumePath`, from the text of /proc/self/mountinfo; an empty directory of the
 * image would otherwise be backed up as if it were the volume, and a restore would go into the pod's own disk.
 * @throws VOLUME_NOT_MOUNTED
 */
export function mustBeMounted(volumePath: string, mountinfo: string): void {
  const wanted = volumePath.replace(/\/+$/, '') || '/';
  const mounted = mountinfo.split('\n').some((line) => unescapeOctal(line.split(' ')[4] ?? '') === wanted);
  if (mounted && wanted !== '/') return;
  throw new AppError('VOLUME_NOT_MOUNTED', `no volume is mounted at ${volumePath}`, {
    nextStep:
      'Check the volumes and volumeMounts of this pod; node-agent mounts the volume under the UID of its object.',
  });
}

/** The kernel writes space, tab, newline and backslash of a mount point as \\ooo. */
const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
