import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attributesOfTests as given, type VolumeUnderTest, volumeUnderTest } from './volume-under-test.ts';

let volume: VolumeUnderTest;
beforeEach(async () => {
  volume = await volumeUnderTest();
});
afterEach(() => volume.remove());

const five = Buffer.from('five!');
const longAgo = 0n;
const farAhead = 1n << 62n;

describe('writtenSince', () => {
  it.each([
    ['with the right size and time', 5, given.mtimeNs, longAgo, 'whole'],
    ['of another size', 6, given.mtimeNs, longAgo, 'nothing'],
    ['with a time that differs by a nanosecond', 5, given.mtimeNs + 1n, longAgo, 'unfinished'],
    ['written before the restore began', 5, given.mtimeNs, farAhead, 'nothing'],
    [
      'written before the restore began, with a time that differs by a nanosecond',
      5,
      given.mtimeNs + 1n,
      farAhead,
      'nothing',
    ],
  ])('of a file %s', async (_, sizeBytes, mtimeNs, sinceNs, expected) => {
    volume.writer.writeWholeFile('f', [five], given);
    await volume.writer.settle();
    expect(volume.writer.writtenSince('f', sizeBytes, { ...given, mtimeNs }, sinceNs)).toBe(expected);
  });

  it('never reports a file as complete that lacks parts', async () => {
    const { writer } = volume;
    writer.beginFile('f', 5);
    expect(writer.writtenSince('f', 5, given, longAgo)).toBe('unfinished');
    writer.writeAt('f', five, 0);
    await writer.settle();
    expect(writer.writtenSince('f', 5, given, longAgo)).toBe('unfinished');
    writer.finishFile('f', given);
    await writer.settle();
    expect(writer.writtenSince('f', 5, given, longAgo)).toBe('whole');
  });

  it('ignores a file with a second name, because writes would change that, too', () => {
    writeFileSync(volume.at('other'), five);
    linkSync(volume.at('other'), volume.at('f'));
    expect(volume.writer.writtenSince('f', 5, given, longAgo)).toBe('nothing');
  });

  it('ignores missing entries and entries that are not files', () => {
    mkdirSync(volume.at('folder'));
    symlinkSync('f', volume.at('link'));
    for (const path of ['folder', 'link', 'gone'])
      expect(volume.writer.writtenSince(path, 5, given, longAgo)).toBe('nothing');
  });
});

describe('SkipUnchangedFiles', () => {
  it.each([
    ['of the same size and time', 5, 0, true],
    ['less than two seconds newer', 5, 1.9, true],
    ['less than two seconds older', 5, -1.9, true],
    ['two seconds newer', 5, 2, false],
    ['two seconds older', 5, -2, false],
    ['of another size', 4, 0, false],
  ])('compares a file %s', (_, sizeBytes, seconds, expected) => {
    writeFileSync(volume.at('f'), five);
    utimesSync(volume.at('f'), 1_700_000_000 + seconds, 1_700_000_000 + seconds);
    const attributes = { ...given, mtimeNs: 1_700_000_000_000_000_000n };
    expect(volume.writer.isUnchangedFile('f', sizeBytes, attributes)).toBe(expected);
  });

  it('keeps any link where a link is wanted, and nothing else', () => {
    symlinkSync('anywhere', volume.at('link'));
    writeFileSync(volume.at('f'), five);
    const { writer } = volume;
    expect(['link', 'f', 'gone'].map((path) => writer.isUnchangedLink(path))).toEqual([true, false, false]);
    expect(writer.isUnchangedFile('link', 5, given)).toBe(false);
  });
});
