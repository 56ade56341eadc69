import { closeSync, fstatSync, futimesSync, openSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exactSeconds, kernelTime } from './nanosecond-times.ts';
import { timesProgram } from './times-program.ts';
import {
  attributesAt,
  attributesOfTests as given,
  type VolumeUnderTest,
  volumeUnderTest,
} from './volume-under-test.ts';

let volume: VolumeUnderTest;
beforeEach(async () => {
  volume = await volumeUnderTest();
});
afterEach(() => volume.remove());

/** From 1905 to 2200, the range that ext4 stores. */
const times = fc.bigInt({ min: -2_050_000_000_000_000_000n, max: 7_258_118_400_000_000_000n });
const edges = [
  0n,
  1n,
  -1n,
  999_999_999n,
  -1_000_000_000n,
  -999_999_999n,
  1_700_000_000_000_000_001n,
  1_700_000_000_999_999_999n,
  1_700_000_000_000_000_000n,
];

describe('times', () => {
  it('of files, links and folders are exact to the nanosecond, even before 1970', async () => {
    const { writer } = volume;
    const all = [...edges, ...fc.sample(times, 300)];
    for (const [index, mtimeNs] of all.entries()) {
      writer.writeWholeFile(`f${index}`, [], { ...given, mtimeNs });
      writer.makeLink(`l${index}`, 'target', { ...given, mtimeNs });
      writer.makeFolder(`d${index}`);
      writer.finishFolder(`d${index}`, { ...given, mtimeNs });
    }
    await writer.settle();
    for (const kind of ['f', 'l', 'd'])
      expect(all.map((_, index) => attributesAt(volume.at(`${kind}${index}`)).mtimeNs)).toEqual(all);
  });

  it('are set on entries with any name', async () => {
    const { writer } = volume;
    const names = [
      '0',
      '-1',
      ' leading',
      'two  spaces ',
      'line\nbreak',
      '$x @y %z',
      '\'"`\\',
      'é\u{1f600}',
      '1e3',
      '~',
    ];
    for (const name of names) writer.writeWholeFile(name, [], given);
    await writer.settle();
    for (const name of names) expect(attributesAt(volume.at(name))).toEqual(given);
  });

  it('are set in many parallel batches, each with its own result', async () => {
    const { writer } = volume;
    const settled: Promise<void>[] = [];
    for (let index = 0; index < 3_000; index++) {
      writer.writeWholeFile(`f${index}`, [], given);
      if (index % 700 === 0) settled.push(writer.settle());
    }
    await Promise.all([...settled, writer.settle()]);
    expect(attributesAt(volume.at('f2999'))).toEqual(given);
  });

  it('that cannot be set fail the batch, and the error names the entry', async () => {
    const { writer } = volume;
    writer.writeWholeFile('gone', [], given);
    rmSync(volume.at('gone'));
    await expect(writer.settle()).rejects.toThrow(/setting the time of gone failed/);
    await expect(writer.settle()).resolves.toBeUndefined();
  });

  it("are set with Node's precision without Perl, less than a microsecond off", async () => {
    const without = await volumeUnderTest({ perl: 'no-such-program' });
    without.writer.writeWholeFile('f', [], given);
    without.writer.makeLink('l', 'target', given);
    await without.writer.settle();
    for (const path of ['f', 'l']) {
      const off = attributesAt(without.at(path)).mtimeNs - given.mtimeNs;
      expect(off > -1_000n && off < 1_000n).toBe(true);
    }
    without.writer.writeWholeFile('old', [], { ...given, mtimeNs: -5_123_456_789n });
    expect(attributesAt(without.at('old')).mtimeNs).toBe(-5_123_000_000n);
    await without.remove();
  });
});

describe('exactSeconds', () => {
  it('returns only seconds that Node sets exactly', () => {
    volume.writer.writeWholeFile('f', [], given);
    const file = openSync(volume.at('f'), 'r+');
    const near = fc.tuple(times, fc.constantFrom(1n, 1_000n, 1_000_000n, 500_000_000n, 1_000_000_000n));
    fc.assert(
      fc.property(near, ([time, step]) => {
        const ns = time - (time % step);
        const seconds = exactSeconds(ns);
        if (seconds === undefined) return;
        futimesSync(file, seconds, seconds);
        expect(fstatSync(file, { bigint: true }).mtimeNs).toBe(ns);
      }),
      { numRuns: 2_000 },
    );
    closeSync(file);
    expect(exactSeconds(1_700_000_000_000_000_000n)).toBe(1_700_000_000);
    expect(exactSeconds(1_700_000_000_123_456_789n)).toBeUndefined();
  });
});

describe('kernelTime', () => {
  it('has positive nanoseconds even before 1970', () => {
    expect(kernelTime(-1n)).toEqual({ seconds: -1n, nanoseconds: 999_999_999 });
    expect(kernelTime(1_000_000_001n)).toEqual({ seconds: 1n, nanoseconds: 1 });
  });
});

describe('timesProgram', () => {
  it('exists for the architectures that pods run on', () => {
    expect((['x64', 'arm64', 'riscv64'] as const).map((machine) => timesProgram(machine) !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
