import { expect, it } from 'vitest';
import { ensureDeviceMark, readDeviceMark } from './device-mark.ts';

const path = '/run/device-mark';

function rig(text?: string) {
  const texts = new Map(text === undefined ? [] : [[path, text]]);
  const files = {
    readText: async (at: string) => texts.get(at),
    writeDurably: async (at: string, written: string) => void texts.set(at, written),
  };
  let made = 0;
  const random = { suffix: (length: number) => `${++made}`.padStart(length, 'b') };
  return { texts, files, random };
}

it('creates the mark of an instance manager once and keeps it', async () => {
  const { files, random } = rig();
  expect(await readDeviceMark(files, path)).toBeUndefined();
  expect(await ensureDeviceMark(files, path, random)).toBe('bbbbbbbbb1');
  expect(await ensureDeviceMark(files, path, random)).toBe('bbbbbbbbb1');
  expect(await readDeviceMark(files, path)).toBe('bbbbbbbbb1');
});

it.each(['', 'short\n', 'UPPERCASE1', '../../../../'])('does not replace %j', async (text) => {
  const { texts, files, random } = rig(text);
  await expect(ensureDeviceMark(files, path, random)).rejects.toMatchObject({ code: 'DEVICE_MARK_UNREADABLE' });
  expect(texts.get(path)).toBe(text);
});
