import { AppError } from '@lateen/errors';
import type { Random } from '@lateen/kernel';
import type { Files } from '@lateen/volume';

/** Letters of {@link Random.suffix}: two marks are equal once in 200 million million. */
const markLength = 10;
const markPattern = /^[a-z0-9]{10}$/;

/**
 * The mark of the devices of this instance manager, from its file; undefined before the first start.
 * @throws AppError `DEVICE_MARK_UNREADABLE` when the file holds something else
 */
export async function readDeviceMark(files: Pick<Files, 'readText'>, path: string): Promise<string | undefined> {
  const text = await files.readText(path);
  if (text === undefined || markPattern.test(text.trim())) return text?.trim();
  throw new AppError('DEVICE_MARK_UNREADABLE', `${path} does not contain a device mark`, {
    nextStep: 'Detach the volumes of this node, then remove the file: a new mark is made.',
  });
}

/**
 * The mark of the devices of this instance manager, created at the first start. It is kept as long as the records of processes: by it, a later
 * program recognises the loop devices that an earlier pod has left.
 */
export async function ensureDeviceMark(
  files: Pick<Files, 'readText' | 'writeDurably'>,
  path: string,
  random: Pick<Random, 'suffix'>,
): Promise<string> {
  const kept = await readDeviceMark(files, path);
  if (kept !== undefined) return kept;
  const mark = random.suffix(markLength);
  await files.writeDurably(path, `${mark}\n`);
  return mark;
}
