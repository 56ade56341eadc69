import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttributeRecord, parseManifestLine, recordLine } from './attribute-record.ts';
import { attributesSource } from './attribute-snapshot.ts';
import { ByteSplitter } from './byte-splitter.ts';
import { deviceNumbers } from './device-numbers.ts';
import { decimalTime, parseFoundEntry } from './found-entry.ts';
import { InodeGroups } from './inode-groups.ts';
import { isText, kopiaName } from './kopia-name.ts';
import { orphanAgeMsMin, orphanedManifests } from './orphaned-manifests.ts';
import { extendedRecord } from './pax-member.ts';
import { SnapshotList, taggedSnapshotOf } from './snapshot-list.ts';
import { isKept, restoreFileLine, restoreXattrLine, XattrLines } from './xattr-lines.ts';

/** Any bytes but zero, one character each. */
const bytes = (minLength = 1) =>
  fc.uint8Array({ minLength, maxLength: 40, min: 1 }).map((array) => Buffer.from(array).toString('latin1'));
const noSlash = bytes().map((text) => text.replaceAll('/', '_'));

describe('records', () => {
  const inode = { mode: fc.nat({ max: 0o7777 }), uid: fc.nat(), gid: fc.nat(), mtime: fc.constant('-1.500000000') };
  const record: fc.Arbitrary<AttributeRecord> = fc.oneof(
    fc.record({ type: fc.constant('directory' as const), path: bytes(0), ...inode }),
    fc.record({ type: fc.constant('symlink' as const), path: bytes(), target: bytes(), ...inode }),
    fc.record({ type: fc.constant('file' as const), path: bytes(), group: fc.nat() }),
    fc.record({ type: fc.constant('xattr' as const), path: bytes(0), name: bytes(), value: fc.base64String() }),
  );

  it('are read as they were written, for any bytes', () => {
    fc.assert(
      fc.property(record, (written) => {
        const line = recordLine(written);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(parseManifestLine(line)).toEqual({ kind: 'record', record: written });
      }),
    );
  });

  it('are parsed from a stream with any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.array(noSlash), fc.array(fc.nat({ max: 30 })), (items, sizes) => {
        const stream = Buffer.from(items.map((item) => `${item}\0`).join(''), 'latin1');
        const splitter = new ByteSplitter('\0', 100, () => new Error('too long'));
        const cut: string[] = [];
        let at = 0;
        for (const size of [...sizes, stream.length]) {
          cut.push(...splitter.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(cut).toEqual(items);
        expect(splitter.rest()).toBe('');
      }),
    );
  });

  it('are limited in length', () => {
    const splitter = new ByteSplitter('\n', 10, () => new Error('too long'));
    splitter.push(Buffer.from('12345678'));
    expect(() => splitter.push(Buffer.from('9012'))).toThrow('too long');
  });
});

describe('what find prints', () => {
  it('is parsed for any bytes in path and target', () => {
    fc.assert(
      fc.property(noSlash, noSlash, bytes(0), (folder, name, target) => {
        const item = `65024:77 l 2 777 4000000000 5 1700000000.1234567890 ${folder}/${name}//${target}`;
        expect(parseFoundEntry(item)).toEqual({
          inode: '65024:77',
          type: 'l',
          links: 2,
          mode: 0o777,
          uid: 4_000_000_000,
          gid: 5,
          mtime: '1700000000.123456789',
          path: `${folder}/${name}`,
          target,
        });
      }),
    );
  });

  it.each(['', '65024:77 l 2 777 0 0 1.5 a', 'find: warning'])('%j is rejected', (item) =>
    expect(() => parseFoundEntry(item)).toThrow(expect.objectContaining({ code: 'SCAN_BAD_ANSWER' })),
  );

  it('before 1970 is negative', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (ns) => {
        const nanoseconds = ((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
        const text = decimalTime(String((ns - nanoseconds) / 1_000_000_000n), String(nanoseconds).padStart(9, '0'));
        expect(BigInt(text.replace('.', ''))).toBe(ns);
      }),
    );
  });

  it('of a device is split as the kernel combines it', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xfff }), fc.nat({ max: 0xfffff }), (major, minor) => {
        // makedev of glibc, bits/sysmacros.h, for 32 bits.
        const device = (minor & 0xff) + (major << 8) + Math.trunc(minor / 256) * 2 ** 20;
        expect(deviceNumbers(device)).toEqual({ major, minor });
      }),
    );
  });
});

describe('what getfattr prints', () => {
  it('is in the format of setfattr, for any bytes in path and name', () => {
    fc.assert(
      fc.property(noSlash, noSlash, fc.base64String({ minLength: 4 }), (path, name, value) => {
        const record = { type: 'xattr' as const, path, name: `user.${name}`, value };
        const lines = new XattrLines('/v');
        const printed = restoreFileLine(`/v/${path}`) + restoreXattrLine(record);
        const read = printed.split('\n').flatMap((line) => lines.take(line) ?? []);
        expect(read).toEqual([record]);
      }),
    );
  });

  it('of an empty value is accepted with and without an encoding, and written without', () => {
    const lines = new XattrLines('/v');
    lines.take('# file: /v');
    expect(lines.take('user.a=0s')).toEqual({ type: 'xattr', path: '', name: 'user.a', value: '' });
    expect(lines.take('user.b')).toEqual({ type: 'xattr', path: '', name: 'user.b', value: '' });
    expect(restoreXattrLine({ type: 'xattr', path: '', name: 'user.a', value: '' })).toBe('user.a=""\n');
  });

  it.each(['user.a=0sAA==', '=0sAA==', 'user.a=not base64'])('%j without a file is rejected', (line) =>
    expect(() => new XattrLines('/v').take(line)).toThrow(expect.objectContaining({ code: 'SCAN_BAD_ANSWER' })),
  );

  it('about another file is rejected', () =>
    expect(() => new XattrLines('/v').take('# file: /vw/a')).toThrow(
      expect.objectContaining({ code: 'SCAN_BAD_ANSWER' }),
    ));

  it.each([
    ['user.a', true],
    ['trusted.overlay.opaque', true],
    ['security.capability', true],
    ['system.posix_acl_access', true],
    ['system.posix_acl_default', true],
    ['security.selinux', false],
    ['security.ima', false],
    ['user.', false],
  ])('keeps %s: %s', (name, kept) => expect(isKept(name)).toBe(kept));
});

describe('a name as kopia stores it', () => {
  it.each([
    ['plain', 'plain'],
    ['\xc3\xa9', '\xc3\xa9'],
    ['\xf0\x9f\x90\x9f', '\xf0\x9f\x90\x9f'],
    ['caf\xe9', 'caf\xef\xbf\xbd'],
    ['\xe2\x82', '\xef\xbf\xbd\xef\xbf\xbd'],
    ['\xe2\x82\xac\x82', '\xe2\x82\xac\xef\xbf\xbd'],
    ['\xed\xa0\x80', '\xef\xbf\xbd'.repeat(3)],
    ['\xff/\xfe', '\xef\xbf\xbd/\xef\xbf\xbd'],
  ])('%j becomes %j', (name, kept) => expect(kopiaName(name)).toBe(kept));

  it('is UTF-8 and unchanged', () => {
    const bytes = fc.uint8Array().map((each) => Buffer.from(each).toString('latin1'));
    fc.assert(
      fc.property(bytes, (name) => {
        const kept = kopiaName(name);
        expect(isText(kept)).toBe(true);
        expect(kopiaName(kept)).toBe(kept);
        expect(kept === name).toBe(isText(name));
      }),
    );
  });
});

describe('names of one inode', () => {
  it('get one number; a single name gets none, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 30 }), (inodes) => {
        const entry = parseFoundEntry('1:1 f 2 644 0 0 1.5000000000 a//');
        const sorted = inodes.sort().map((inode, index) => ({ ...entry, inode: `1:${inode}`, path: String(index) }));
        const groups = new InodeGroups();
        const settled = [...sorted.flatMap((each) => groups.take(each)), ...groups.end()];
        expect(settled.map((each) => each.entry)).toEqual(sorted);
        for (const { entry: each, group } of settled) {
          const fellows = settled.filter((other) => other.entry.inode === each.inode);
          expect(group !== undefined).toBe(fellows.length > 1);
          expect(fellows.every((other) => other.group === group)).toBe(true);
        }
      }),
    );
  });
});

describe('a pax record', () => {
  it('begins with its own length', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), (length) => {
        const record = extendedRecord('path', 'x'.repeat(length));
        expect(Number.parseInt(record, 10)).toBe(record.length);
      }),
    );
  });
});

describe('the source of a manifest', () => {
  it.each([
    ['snapshot-data-upload-download/kopia/shop/data', 'lateen-attributes/shop/data'],
    ['snapshot-pod-volume/kopia/shop/db-0/data', 'lateen-attributes/shop/data'],
  ])('beside %s is %s: namespace and volume', (main, source) => {
    expect(attributesSource(main)).toBe(source);
  });
});

describe('orphaned manifests', () => {
  const snapshot = (id: string, isManifest: boolean, key: string, startedAtMs = 0) => ({
    id,
    isManifest,
    key,
    startedAtMs,
    rootObject: 'k1',
  });

  it('are old ones whose snapshot is gone', () => {
    const tagged = [
      snapshot('main', false, 'a'),
      snapshot('its manifest', true, 'a'),
      snapshot('orphan', true, 'b'),
      snapshot('of an upload that runs', true, 'c', 1),
      snapshot('of an unreadable time', true, 'd', Number.NaN),
    ];
    expect(orphanedManifests(tagged, orphanAgeMsMin).map(({ id }) => id)).toEqual(['orphan']);
  });

  it("are found in kopia's listing", () => {
    const listed = [
      {
        id: 'm',
        source: { path: 'lateen-attributes/n/p' },
        startTime: '1970-01-01T00:00:01Z',
        rootEntry: { obj: 'k2' },
        tags: { 'tag:lateen-attributes': 'x' },
      },
      {
        id: 's',
        source: { path: 'snapshot-data-upload-download/kopia/n/p' },
        startTime: '',
        tags: { 'tag:lateen-attributes': 'x' },
      },
      {
        id: 'reference',
        source: { path: 'snapshot-data-upload-download/kopia/n/p' },
        tags: { 'snapshot-uploader': 'kopia' },
      },
      {
        id: 'with its manifest in a tag',
        source: { path: 'snapshot-data-upload-download/kopia/n/p' },
        tags: { 'tag:lateen-attributes-inline': '1.x' },
      },
    ];
    const printed = Buffer.from(`[\n ${listed.map((each) => JSON.stringify(each)).join(',\n ')}\n]`);
    const list = new SnapshotList(taggedSnapshotOf);
    for (let at = 0; at < printed.length; at += 7) list.take(printed.subarray(at, at + 7));
    expect(list.end()).toEqual([
      { id: 'm', isManifest: true, key: 'x', startedAtMs: 1000, rootObject: 'k2' },
      { id: 's', isManifest: false, key: 'x', startedAtMs: Number.NaN, rootObject: '' },
    ]);
  });

  it.each(['', '[', '[\n {"id":', '[\n {}', '[\n {},\n', '{}\n', '[\n]\n[', '[\n null\n]'])(
    'are not found in %j',
    (printed) => {
      const read = () => {
        const list = new SnapshotList(taggedSnapshotOf);
        list.take(Buffer.from(printed));
        return list.end();
      };
      expect(read).toThrow(expect.objectContaining({ code: 'ENGINE_BAD_ANSWER' }));
    },
  );

  it('are none in an empty list', () => {
    const list = new SnapshotList(taggedSnapshotOf);
    list.take(Buffer.from('[\n]'));
    expect(list.end()).toEqual([]);
  });
});
