import { outputLines } from '@lateen/child-process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BackupMessage, parseBackupMessage } from './restic-progress.ts';

const bytes = fc.maxSafeNat();

/** Go omits zeros. */
const line = (message: Record<string, unknown>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(message).filter(([, value]) => value !== 0)));

describe('parseBackupMessage', () => {
  it('reads every status line as it was written, for any chunk boundaries', () => {
    const status = fc.record({ done: bytes, total: bytes, file: fc.string() });
    fc.assert(
      fc.property(fc.array(status, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), (all, size) => {
        const text = all
          .map(({ done, total, file }) =>
            line({
              message_type: 'status',
              percent_done: 0.5,
              bytes_done: done,
              total_bytes: total,
              current_files: [file],
            }),
          )
          .map((each) => `${each}\n`)
          .join('');
        const heard: (BackupMessage | undefined)[] = [];
        const split = outputLines((each) => heard.push(parseBackupMessage(each))).push;
        for (let at = 0; at < text.length; at += size) split(text.slice(at, at + size));
        expect(heard).toEqual(all.map(({ done, total }) => ({ kind: 'status', doneBytes: done, totalBytes: total })));
      }),
    );
  });

  it('reads every summary', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.stringMatching(/^[0-9a-f]{8,64}$/), (total, added, id) => {
        const text = line({
          message_type: 'summary',
          data_added: added,
          total_bytes_processed: total,
          snapshot_id: id,
        });
        expect(parseBackupMessage(text)).toEqual({
          kind: 'summary',
          snapshotId: id,
          totalBytes: total,
          addedBytes: added,
        });
      }),
    );
  });

  it('never throws, and accepts only these messages', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constantFrom('{', '{}', 'null', '[]')), (text) => {
        expect(parseBackupMessage(text)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['{"message_type":"summary","total_bytes_processed":1}', undefined],
    ['{"message_type":"status","bytes_done":-1,"total_bytes":"7"}', { kind: 'status', doneBytes: 0, totalBytes: 0 }],
    ['{"message_type":"verbose_status","bytes_done":1}', undefined],
  ])('%s', (text, expected) => expect(parseBackupMessage(text)).toEqual(expected));
});
