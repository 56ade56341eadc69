import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { archiveWriter } from './archive-writer.ts';
import { readArchive } from './read/read-archive.ts';

const MiB = 1024 * 1024;
const writerOf = () => archiveWriter({ mtimeMs: 0 });

describe('archiveWriter', () => {
  it('blocks no writer until the reader is behind, and then all until it reads', async () => {
    const writer = writerOf();
    const body = new Uint8Array(64 * 1024);
    let added = 0;
    let wait: Promise<void> | undefined;
    while (wait === undefined && added < 1_000) {
      wait = writer.add(`a/${added}`, body);
      added++;
    }
    // Three members in progress, and one above the limit.
    expect(added * body.length).toBeLessThan(6 * MiB);
    let waiting = true;
    void wait?.then(() => {
      waiting = false;
    });
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    expect(waiting).toBe(true);
    const reader = writer.pieces[Symbol.asyncIterator]();
    await reader.next();
    await wait;
    expect(writer.add('b', 'x')).toBeUndefined();
    const rest = (async () => {
      while ((await reader.next()).done !== true);
    })();
    await writer.end();
    await rest;
    expect(writer.entries).toBe(added + 2);
  });

  it('fails reader, waiting writers and later writers with the reason of an abort', async () => {
    const reason = new Error('enough');
    const writer = writerOf();
    const reading = Array.fromAsync(writer.pieces);
    const outcome = expect(reading).rejects.toBe(reason);
    void writer.add('a', 'x');
    writer.abort(reason);
    await outcome;
    expect(() => writer.add('b', 'x')).toThrow(reason);
    await expect(writer.end()).rejects.toBe(reason);
    await expect(Array.fromAsync(writer.pieces)).rejects.toBe(reason);
  });

  it('releases writers that wait for a reader that never came, on abort', async () => {
    const writer = writerOf();
    let wait: Promise<void> | undefined;
    while (wait === undefined) wait = writer.add('a', new Uint8Array(MiB));
    const outcome = expect(wait).rejects.toThrow('the bucket is gone');
    writer.abort(new Error('the bucket is gone'));
    await outcome;
  });

  it('fails when its reader leaves, even before the first chunk', async () => {
    const left = writerOf();
    void left.add('a', new Uint8Array(2 * MiB));
    for await (const _ of left.pieces) break;
    expect(() => left.add('b', 'x')).toThrow(expect.objectContaining({ code: 'ARCHIVE_READER_GONE' }));
    await expect(left.end()).rejects.toMatchObject({ code: 'ARCHIVE_READER_GONE' });

    const never = writerOf();
    await never.pieces[Symbol.asyncIterator]().return?.();
    expect(() => never.add('b', 'x')).toThrow(expect.objectContaining({ code: 'ARCHIVE_READER_GONE' }));
  });

  it('does not end before the reader has everything', async () => {
    const writer = writerOf();
    void writer.add('a', 'x');
    let ended = false;
    const ending = writer.end().then(() => {
      ended = true;
    });
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    expect(ended).toBe(false);
    await Array.fromAsync(writer.pieces);
    await ending;
    expect(() => writer.add('b', 'x')).toThrow(TypeError);
  });

  it.each([
    '',
    '/',
    '/abs',
    'a/',
    'a//b',
    './a',
    'a/.',
    '..',
    'a/../b',
    'a\0b',
    '\ud800',
    'x'.repeat(4_097),
    'ü'.repeat(2_049),
  ])('rejects the path %j and continues', async (path) => {
    const writer = writerOf();
    expect(() => writer.add(path, 'x')).toThrow(expect.objectContaining({ code: 'ARCHIVE_PATH_INVALID' }));
    void writer.end();
    const entries = await Array.fromAsync(readArchive(writer.pieces));
    expect(entries.map((entry) => entry.path)).toEqual(['metadata/version']);
  });

  it('writes text as UTF-8, however long, and counts what it wrote', async () => {
    const writer = writerOf();
    const bodies = ['ü€\u{1f6a2}', 'x'.repeat(3 * MiB), 'ü'.repeat(700_000), ''];
    const reading = Array.fromAsync(readArchive(writer.pieces));
    for (const [index, body] of bodies.entries()) await writer.add(`resources/${index}`, body);
    await writer.end();
    const found = await reading;
    expect(found.slice(1).map(({ body }, index) => Buffer.from(body).toString() === bodies[index])).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(writer.tarBytes % 512).toBe(0);
  });
});
