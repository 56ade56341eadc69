import { canceledSuffix } from '@lateen/datapath';
import { describe, expect, it } from 'vitest';
import { failureText, progressEvent, terminationBytesMax } from './data-path-messages.ts';
import { subjectOf } from './data-path-subject.ts';

describe('the messages of a data path', () => {
  it('leave zero out of progress, as the reference does', () => {
    expect(progressEvent({ totalBytes: 0, doneBytes: 5 }).message).toBe('{"doneBytes":5}');
    expect(progressEvent({}).message).toBe('{}');
  });

  it('keep the cancel suffix of a text that kubelet would cut', () => {
    const text = failureText(subjectOf('backup'), 'du', `${'ä'.repeat(5000)}: ${canceledSuffix}`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(terminationBytesMax);
    expect(text).toMatch(/^Failed to run data path service for DataUpload du: ä/);
    expect(text.endsWith(canceledSuffix)).toBe(true);
    expect(text).not.toContain('�');
  });
});
