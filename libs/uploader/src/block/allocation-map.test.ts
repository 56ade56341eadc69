import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childRunner } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import type { EngineExit } from '@lateen/repository';
import { recordingLog } from '@lateen/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DeviceTools, rangesToRead } from './allocation-map.ts';
import { type ByteRange, gapsOf, lengthOf } from './byte-ranges.ts';
import { nodeBlockDevices } from './node-block-devices.ts';
import { readDevice } from './read-device.ts';

const MiB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const hasTools = ['partclone.ext4', 'mkfs.btrfs', 'mkfs.xfs'].every((name) => existsSync(`/usr/sbin/${name}`));
const tools: DeviceTools = (binary) => childRunner({ program: binary, clock: systemClock, graceMs: 1_000 });
const devices = nodeBlockDevices({ fallocate: tools('fallocate'), sizeOf: async (_, { size }) => size });
const run = promisify(execFile);
const sh = async (script: string, ...args: string[]) =>
  (await run('/bin/sh', ['-euc', script, 'sh', ...args], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } })).stdout;

let directory: string;
let image: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-block-'));
  image = join(directory, 'image');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Every byte of a fresh device is noise, so that a block which is wrongly left out is detected. */
async function noisyDevice(bytes: number): Promise<void> {
  await sh('openssl enc -aes-128-ctr -K 00 -iv 00 < /dev/zero 2>/dev/null | head -c "$2" > "$1"', image, String(bytes));
}

async function mapped(use: DeviceTools = tools) {
  const log = recordingLog();
  const device = await devices.open(image, 'read');
  try {
    const ranges = await rangesToRead(device, {
      tools: use,
      scratchDirectory: directory,
      log,
      signal: new AbortController().signal,
    });
    const [line] = log.lines.filter(({ level }) => level === 'info');
    return { ranges, sizeBytes: device.sizeBytes, why: String(line?.fields.why ?? '') };
  } finally {
    await device.close();
  }
}

/** The device as a backup has it. */
async function asBackedUp(ranges: readonly ByteRange[]): Promise<string> {
  const copy = join(directory, 'restored');
  const device = await devices.open(image, 'read');
  const into = await open(copy, 'w');
  for await (const chunk of readDevice(device, ranges)) await into.write(chunk);
  await Promise.all([into.close(), device.close()]);
  return copy;
}

describe.skipIf(!hasTools)('rangesToRead, file systems made without mounting', { timeout: 120_000 }, () => {
  it.each([
    ['4 KiB blocks', '-b 4096'],
    ['1 KiB blocks, where the first block is none of it', '-b 1024'],
    ['no journal and few features', '-O ^has_journal,^64bit,^metadata_csum,^flex_bg'],
    ['all metadata written at once', '-E lazy_itable_init=0,lazy_journal_init=0'],
  ])('of ext4 with %s are all blocks in use, checked with another program', async (_, options) => {
    await noisyDevice(96 * MiB);
    await sh('mkdir "$1/tree"; for i in 1 2 3 4 5; do head -c 3000000 /dev/urandom > "$1/tree/f$i"; done', directory);
    await sh(`mkfs.ext4 -q -F -K ${options} -d "$1/tree" "$2" 80M`, directory, image);
    await sh('debugfs -w -R "rm f2" "$1"; debugfs -w -R "rm f4" "$1"', image);
    const { ranges, sizeBytes, why } = await mapped();
    expect(why).toBe('');
    expect(lengthOf(ranges)).toBeLessThan(sizeBytes * 0.7);
    // The bytes behind the file system may belong to another user, so they are read too.
    expect(ranges.at(-1)?.end).toBe(sizeBytes);
    const free = await freeByDumpe2fs();
    for (const gap of gapsOf(ranges, sizeBytes)) {
      expect(free.some(({ start, end }) => start <= gap.start && gap.end <= end)).toBe(true);
    }
    const copy = await asBackedUp(ranges);
    expect(await sh('e2fsck -fn "$1" 2>&1 || true', copy)).toBe(
      await sh('e2fsck -fn "$1" 2>&1 || true', image).then((text) => text.replaceAll(image, copy)),
    );
    for (const file of ['f1', 'f3', 'f5']) {
      await sh(
        'debugfs -R "dump $2 $1.out" "$1" 2>/dev/null; cmp "$1.out" "$3"',
        copy,
        file,
        join(directory, 'tree', file),
      );
    }
  });

  it('of ext4 contain every block in use, after any file operations, and everything once the file system is dirty', async () => {
    const step = fc.record({ file: fc.nat(9), bytes: fc.integer({ min: 1, max: 3_000_000 }), stays: fc.boolean() });
    const steps = fc.array(step, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(1024, 4096), async (all, blockBytes) => {
        await noisyDevice(32 * MiB);
        await sh(`mkfs.ext4 -q -F -K -b ${blockBytes} "$1"`, image);
        const commands = all.flatMap(({ file, stays }, index) => [
          `rm f${file}`,
          ...(stays ? [`write ${directory}/from${index} f${file}`] : []),
        ]);
        for (const [index, { bytes }] of all.entries())
          await writeFile(`${directory}/from${index}`, randomBytes(bytes));
        await writeFile(`${directory}/commands`, commands.join('\n'));
        await sh('debugfs -w -f "$2/commands" "$1" 2>&1', image, directory);
        const { ranges, why } = await mapped();
        expect(why).toBe('');
        const [source, copy] = [await readFile(image), await readFile(await asBackedUp(ranges))];
        const free = await freeByDumpe2fs();
        for (const used of gapsOf(free, source.length)) {
          expect(copy.compare(source, used.start, used.end, used.start, used.end)).toBe(0);
        }
        // The map is effective: most of the free blocks were left out.
        expect(lengthOf(gapsOf(ranges, source.length))).toBeGreaterThan(lengthOf(free) * 0.5);
        await sh('debugfs -w -R "feature needs_recovery" "$1"', image);
        expect((await mapped()).ranges).toEqual([{ start: 0, end: source.length }]);
      }),
      { numRuns: 8 },
    );
  });

  /** Free blocks as e2fsprogs prints them. */
  async function freeByDumpe2fs(): Promise<ByteRange[]> {
    const text = await sh('dumpe2fs "$1" 2>/dev/null', image);
    const blockBytes = Number(/^Block size:\s+(\d+)/m.exec(text)?.[1]);
    const listed = [...text.matchAll(/^ {2}Free blocks: (.*)$/gm)].flatMap(([, list = '']) => list.split(', '));
    const blocks = listed
      .filter((each) => each !== '')
      .map((each) => each.split('-').map(Number))
      .map(([first = 0, last = first]) => ({ start: first * blockBytes, end: (last + 1) * blockBytes }));
    // Groups have fixed ends; free space may continue in the next group.
    const joined: ByteRange[] = [];
    for (const each of blocks) {
      const before = joined.at(-1);
      if (before?.end === each.start) before.end = each.end;
      else joined.push({ ...each });
    }
    return joined;
  }
});

/** A partition that starts at 1 MiB, in an MBR partition table. */
const mbr = String.raw`printf '\0\0\2\0\203\377\377\377\0\10\0\0\0\360\1\0' | dd of="$1" bs=1 seek=446 conv=notrunc status=none
  printf '\125\252' | dd of="$1" bs=1 seek=510 conv=notrunc status=none`;

describe.skipIf(!hasTools)('rangesToRead, whenever there is doubt', { timeout: 120_000 }, () => {
  const everything = async (use?: DeviceTools) => {
    const { ranges, sizeBytes, why } = await mapped(use);
    expect(ranges).toEqual([{ start: 0, end: sizeBytes }]);
    return why;
  };
  const ext4 = async () => {
    await writeFile(image, '');
    await truncate(image, 64 * MiB);
    await sh('mkfs.ext4 -q -F "$1"', image);
  };
  /** Uses the real programs, but replaces the map that partclone writes. */
  const withMap =
    (change: (text: string) => string): DeviceTools =>
    (name) => ({
      run: async (request) => {
        const exit = await tools(name).run(request);
        const output = request.args.find((arg) => arg.startsWith('--output='))?.slice('--output='.length);
        if (name.startsWith('partclone.') && output) await writeFile(output, change(await readFile(output, 'utf8')));
        return exit;
      },
    });
  /** Uses the real programs, but replaces the exit of one of them. */
  const withTool =
    (program: string, change: (exit: EngineExit) => Partial<EngineExit>): DeviceTools =>
    (name) => ({
      run: async (request) => {
        const exit = await tools(name).run(request);
        return name === program ? { ...exit, ...change(exit) } : exit;
      },
    });

  it.each([
    ['zeroes', 'truncate -s 64M "$1"', /no file system that we know/],
    ['noise', 'head -c 4000000 /dev/urandom > "$1"', /no file system that we know|partition table/],
    ['next to nothing', 'truncate -s 64K "$1"', /smaller than any file system/],
    ['swap', 'truncate -s 64M "$1"; mkswap "$1"', /no file system that we know/],
    ['a partition table', `truncate -s 64M "$1"; ${mbr}`, /partition table/],
    ['a partition table over an old ext4', `truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; ${mbr}`, /partition table/],
    [
      'ext4 in use',
      'truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; debugfs -w -R "feature needs_recovery" "$1"',
      /needs_recovery/,
    ],
    [
      'ext4 with errors',
      'truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; debugfs -w -R "ssv state 2" "$1"',
      /not clean \(state 2\)/,
    ],
    ['ext4 with features that are rare', 'truncate -s 64M "$1"; mkfs.ext4 -q -F -O bigalloc "$1"', /features 0x200/],
    ['ext4 that was cut', 'truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; truncate -s 40M "$1"', /larger than the device/],
    [
      'ext4 whose counters are wrong',
      'truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; debugfs -w -R "ssv free_blocks_count 7" "$1"',
      /cannot map its ext4|not what its ext4 counts/,
    ],
    ['XFS of the old format', 'truncate -s 320M "$1"; mkfs.xfs -q -m crc=0 "$1" 2>/dev/null', /format version 4/],
    [
      'XFS with its log elsewhere',
      'truncate -s 320M "$1"; truncate -s 80M "$1.log"; mkfs.xfs -q -l "logdev=$1.log,size=70m" "$1"',
      /log elsewhere/,
    ],
    [
      'btrfs that is damaged',
      'truncate -s 256M "$1"; mkfs.btrfs -q "$1"; dd if=/dev/zero of="$1" bs=1M seek=20 count=40 conv=notrunc 2>/dev/null',
      /partclone cannot map|counts|covers/,
    ],
    ['btrfs on two devices', 'truncate -s 256M "$1" "$1.2"; mkfs.btrfs -q "$1" "$1.2"', /2 devices/],
    [
      'an ext4 that was encrypted over',
      `truncate -s 64M "$1"; mkfs.ext4 -q -F "$1"; printf 'LUKS\\272\\276\\0\\1' | dd of="$1" conv=notrunc status=none`,
      /blkid is not sure that it is ext4/,
    ],
  ])('reads everything of %s', async (_, script, why) => {
    await sh(script, image);
    expect(await everything()).toMatch(why);
  });

  it('reads everything when a program is missing', async () => {
    await ext4();
    const missing =
      (gone: string): DeviceTools =>
      (name) =>
        tools(name === gone ? '/no/such/program' : name);
    expect(await everything(missing('partclone.ext4'))).toMatch(/partclone cannot map its ext4/);
    expect(await everything(missing('blkid'))).toMatch(/blkid is missing/);
  });

  it('reads everything when the map fails, is truncated, or marks used blocks as free', async () => {
    await ext4();
    expect((await mapped()).why).toBe('');
    const failing = withTool('partclone.ext4', () => ({ exitCode: 1, stderr: 'no luck' }));
    expect(await everything(failing)).toMatch(/cannot map its ext4: no luck/);
    const cut = withMap((text) => text.slice(0, text.length * 0.8));
    expect(await everything(cut)).toMatch(/allocation map cannot be used|the map/);
    const short = withMap((text) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    expect(await everything(short)).toMatch(/the map covers|counts/);
    const lying = withMap((text) => text.replace(/\+\n(0x\w+\s+0x\w+\s+)\?/, '?\n$1?'));
    expect(await everything(lying)).toMatch(/not what its ext4 counts/);
    expect(await everything(withMap(() => ''))).toMatch(/allocation map cannot be used|covers/);
  });
});

describe.skipIf(!isRoot)('nodeBlockDevices', () => {
  it('finds sizes of real devices, and reports paths that are not devices', async () => {
    await writeFile(image, 'x');
    await truncate(image, 5 * MiB + 512);
    const loop = (await sh('losetup --find --show "$1"', image)).trim();
    const real = nodeBlockDevices({ fallocate: tools('fallocate') });
    try {
      const device = await real.open(loop, 'write');
      expect(device.sizeBytes).toBe(5 * MiB + 512);
      await device.write(Buffer.from('hello'.repeat(1000)), MiB);
      await device.flush();
      expect((await readFile(image)).subarray(MiB, MiB + 10).toString()).toBe('hellohello');
      expect(await device.punch(MiB, 4096, new AbortController().signal)).toBe(true);
      const back = Buffer.alloc(10);
      await device.read(back, MiB);
      expect(back.equals(Buffer.alloc(10))).toBe(true);
      await expect(device.read(back, device.sizeBytes - 4)).rejects.toMatchObject({
        code: 'BLOCK_READ_FAILED',
        message: `block device ${loop} ends at offset ${device.sizeBytes}, before its size`,
      });
      await device.close();
    } finally {
      await sh('losetup --detach "$1"', loop);
    }
    await mkdir(join(directory, 'd'));
    for (const path of [image, join(directory, 'd'), '/dev/null']) {
      await expect(real.open(path, 'read')).rejects.toMatchObject({ code: 'BLOCK_DEVICE_WRONG_KIND' });
    }
    await expect(real.open(join(directory, 'none'), 'read')).rejects.toMatchObject({ code: 'BLOCK_DEVICE_NOT_FOUND' });
  });
});
