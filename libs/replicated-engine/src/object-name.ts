import { createHash } from 'node:crypto';
import { blockVolumeError } from '@lateen/block-engine';

const nameBytesMax = 128;
/** Of a label's value, which the name of a volume becomes. */
const objectNameMax = 63;
const digestLength = 16;
const objectName = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * The name of the object for the caller's `name`: the same, if it is valid as the name of an object and the value of a label.
 * Otherwise as much of it as is valid, and a digest of all of it, so that two names never collide. A name that it gives stays as it is.
 * @throws AppError `INVALID_ARGUMENT` for an empty name and one that is too long
 */
export function objectNameOf(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > nameBytesMax) {
    throw blockVolumeError('INVALID_ARGUMENT', `a name has 1 to ${nameBytesMax} bytes, and this one has ${bytes}`, {
      nextStep: 'Take another name.',
    });
  }
  if (objectName.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength);
  const start = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, objectNameMax - digestLength - 1)
    .replace(/-+$/, '');
  return start === '' ? `v-${digest}` : `${start}-${digest}`;
}
