import { canceledSuffix } from '@lateen/datapath';
import { describe, expect, it } from 'vitest';
import { failureText, progressEvent, resultText, terminationBytesMax } from './data-path-messages.ts';
import { subjectOf } from './data-path-subject.ts';

describe('the messages of a data path', () => {
  it('omit zero in progress, as Velero does', () => {
    expect(progressEvent({ totalBytes: 0, doneBytes: 5 }).message).toBe('{"doneBytes":5}');
    expect(progressEvent({}).message).toBe('{}');
  });

  it('contain files and the limit only when they are known', () => {
    const progress = { totalBytes: 9, doneBytes: 5, totalFiles: 4, doneFiles: 2, limitedBy: 'disk' as const };
    expect(progressEvent(progress).message).toBe(
      '{"totalBytes":9,"doneBytes":5,"totalFiles":4,"doneFiles":2,"limitedBy":"disk"}',
    );
  });

  it("contain the complete report of a restore, however long the engine's reason is", () => {
    const target = { byPath: `/${'u'.repeat(36)}`, volumeMode: 'Filesystem' as const };
    const most = Number.MAX_SAFE_INTEGER;
    const report = {
      reader: 'engine' as const,
      reason: `begin ${'"'.repeat(5000)} end`,
      limitedBy: 'store-bandwidth' as const,
      files: most,
      filesPerSecond: most,
      bytesPerSecond: most,
      storeBytes: most,
      storeRequests: most,
      storeLatencyMs: most,
      storeRequestsInFlight: 64,
      comparedBytes: most,
      unchangedBytes: most,
      writtenBytes: most,
      seconds: most,
    };
    const text = resultText({ target, totalBytes: most, report });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
    const told = JSON.parse(text);
    expect(told).toEqual({ target, totalBytes: most, report: { ...report, reason: told.report.reason } });
    expect(told.report.reason).toMatch(/^begin "+ … "+ end$/);
  });

  it('contain the complete warning of a backup with its other fields, for any names', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const result = {
      snapshotID: 'f'.repeat(64),
      emptySnapshot: false,
      source: { byPath: `/${'u'.repeat(36)}`, volumeMode: 'Filesystem' as const },
      totalBytes: most,
      incrementalBytes: most,
      warning: `begin ${'"'.repeat(5000)} end`,
    };
    const text = resultText(result);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
    const told = JSON.parse(text);
    expect(told).toEqual({ ...result, warning: told.warning });
    expect(told.warning).toMatch(/^begin "+ … "+ end$/);
  });

  it('contain how a volume was read, however long the reason of a full read is', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const result = {
      snapshotID: 'f'.repeat(64),
      emptySnapshot: false,
      source: { byPath: `/${'u'.repeat(36)}`, volumeMode: 'Block' as const },
      totalBytes: most,
      incrementalBytes: most,
      readReport: {
        readBytes: most,
        changedBytes: most,
        uploadedBytes: most,
        fullReadReason: `begin ${'"'.repeat(5000)}`,
      },
    };
    const text = resultText(result);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024);
    const { fullReadReason, ...figures } = JSON.parse(text).readReport;
    expect(figures).toEqual({ readBytes: most, changedBytes: most, uploadedBytes: most });
    expect(fullReadReason).toMatch(/^begin "+ … "+$/);
  });

  it('keep the cancel suffix of a text that kubelet would truncate', () => {
    const text = failureText(subjectOf('data-upload'), 'du', `${'ä'.repeat(5000)}: ${canceledSuffix}`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(terminationBytesMax);
    expect(text).toMatch(/^Failed to run data path service for DataUpload du: ä/);
    expect(text.endsWith(canceledSuffix)).toBe(true);
    expect(text).not.toContain('�');
  });
});
